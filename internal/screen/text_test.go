package screen

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"
)

func TestWidthCountsColumns(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "größer": 6, "gro\u0308ßer": 6, "売上": 4, "한국어": 6, "ｆｕｌｌ": 8, "ﾊﾝｶｸ": 4, "😀": 2, "…": 1, "░": 1, "Ελλάδα": 6,
		"שלום": 4, "ไทยที่": 4, "\u1112\u1161\u11ab": 2, "か\u3099": 2,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q has %d columns, want %d", text, got, want)
		}
	}
}

func TestWhatIsNotPrintableIsEscaped(t *testing.T) {
	got := string(AppendPrintable(nil, "a\x1b[31m\n\r\t\x00\x7f\u0085\u202e\u200b\U000E0001é\xff\\"))
	if want := `a\u001b[31m\n\r\t\u0000\u007f\u0085\u202e\u200b\U000e0001é` + "\ufffd" + `\`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// The plainest way to cut: try every beginning of the text.
func cutPlainly(text string, max int) (string, bool) {
	whole := string(AppendPrintable(nil, text))
	if Width(whole) <= max {
		return whole, false
	}
	best := ""
	for i := range text {
		if b := string(AppendPrintable(nil, text[:i])); Width(b) < max {
			best = b
		}
	}
	if max <= 0 {
		return "", true
	}
	return best + "…", true
}

func TestCuttingAgainstThePlainestWay(t *testing.T) {
	const seed = 5
	rnd := rand.New(rand.NewPCG(seed, 0))
	alphabet := []rune("abcé売上\u0308\n\x1b😀")
	for round := range 20_000 {
		var text []byte
		for range rnd.IntN(14) {
			text = utf8.AppendRune(text, alphabet[rnd.IntN(len(alphabet))])
		}
		max := rnd.IntN(20)
		want, wantCut := cutPlainly(string(text), max)
		got, columns, cut := AppendCut([]byte("x"), string(text), max)
		if string(got) != "x"+want || cut != wantCut || columns != Width(want) || columns > max {
			t.Fatalf("seed %d round %d: %q to %d columns is %q, %d, %v; want %q, %v", seed, round, text, max, got[1:], columns, cut, want, wantCut)
		}
	}
}
