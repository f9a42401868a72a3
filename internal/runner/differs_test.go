package runner

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOfLongFactsThePartsThatDifferAreShown(t *testing.T) {
	long := strings.Repeat("long and ever longer, ", 10)
	for _, c := range []struct{ name, before, now, want string }{
		{"WHERE", "none", "(a > 1)", "WHERE is none, here it is (a > 1)"},
		{"columns", "a BIGINT", "a DOUBLE", "columns are a BIGINT, here they are a DOUBLE"},
		{"operator", long + "TUMBLE 1 minute, " + long, long + "TUMBLE 1 hour, " + long,
			"operator is …and ever longer, TUMBLE 1 minute,…, here it is …and ever longer, TUMBLE 1 hour,…"},
		{"operator", long, long + "more", "operator is …long and ever longer, , here it is …long and ever longer, more"},
		{"operator", "x " + long, long, "operator is x long…, here it is long…"},
		{"operator", "none", long, "operator is none, here it is " + long[:100] + "…"},
		{"operator", long + "ä", long + "ö", "operator is …long and ever longer, ä, here it is …long and ever longer, ö"},
	} {
		if got := differs(c.name, c.before, c.now); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func TestThePartsOfDifferentFactsDiffer(t *testing.T) {
	words := []string{"a", "b", "äö", "sum(amount)", " ", "  ", "(", "€"}
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 9))
		text := func(n int) (s string) {
			for range n {
				s += words[rng.IntN(len(words))] + " "[:rng.IntN(2)]
			}
			return s
		}
		before, behind := text(rng.IntN(60)), text(rng.IntN(60))
		a, b := before+text(rng.IntN(4))+behind, before+text(rng.IntN(4))+behind
		if a == b {
			continue
		}
		x, y := parts(a, b)
		if x == y || !utf8.ValidString(x) || !utf8.ValidString(y) || len(x) > partMost+2*len("…") || len(y) > partMost+2*len("…") {
			t.Fatalf("seed %d: of %q and %q the parts are %q and %q", seed, a, b, x, y)
		}
	}
}
