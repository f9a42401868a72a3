package exact

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestShortDoublesAsTheStandardLibraryReadsThem(t *testing.T) {
	const seed = 11
	rnd := rand.New(rand.NewPCG(seed, 0))
	const alphabet = "00123456789..-e"
	read := 0
	for range 300_000 {
		text := make([]byte, rnd.IntN(19))
		for i := range text {
			text[i] = alphabet[rnd.IntN(len(alphabet)-rnd.IntN(5))]
		}
		got, ok := ShortDouble(text)
		if !ok {
			continue
		}
		read++
		if want, err := strconv.ParseFloat(string(text), 64); err != nil || math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("seed %d: %q is %v, want %v, %v", seed, text, got, want, err)
		}
	}
	if read < 10_000 {
		t.Errorf("only %d texts were read", read)
	}
}

func TestShortDoublesAreThoseOfPlainDigits(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0": true, "007": true, "1.50": true, "-12.5": true, "9007199254740992": true, "0.00000000000001": true,
		"": false, "-": false, ".": false, "-.": false, ".5": false, "5.": false, "1.2.3": false, "1e5": false, "+1": false, " 1": false, "1_0": false,
		"9007199254740993": false, "12345678901234567": false, "nan": false, "--1": false,
	} {
		if _, ok := ShortDouble([]byte(text)); ok != want {
			t.Errorf("%q is read: %v", text, ok)
		}
	}
}
