package exact

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

var numberText = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)

// naiveParse returns the value of number text times 10^scale, rounded half away
// from zero, and whether nothing was rounded.
func naiveParse(s string, scale int) (v *big.Int, whole, ok bool) {
	if !numberText.MatchString(s) {
		return nil, false, false
	}
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, false, false
	}
	x.Mul(x, new(big.Rat).SetInt(bigPow10(scale)))
	return halfAway(x.Num(), x.Denom()), x.IsInt(), true
}

func checkParse(t *testing.T, s string, precision, scale int) {
	t.Helper()
	b := []byte(s)
	v, _, ok := naiveParse(s, scale)
	ok = ok && v.CmpAbs(bigPow10(precision)) < 0
	got, gotOK := ParseDecimal(b, precision, scale)
	if gotOK != ok || ok && toBig(got).Cmp(v) != 0 {
		t.Fatalf("ParseDecimal(%q, %d, %d) = %v, %v, want %v, %v", s, precision, scale, got, gotOK, v, ok)
	}
	if precision <= 18 {
		if got64, ok64 := ParseDecimal64(b, precision, scale); ok64 != ok || ok && FromInt64(got64) != got {
			t.Fatalf("ParseDecimal64(%q, %d, %d) = %v, %v, want %v, %v", s, precision, scale, got64, ok64, v, ok)
		}
	}
	v, whole, ok := naiveParse(s, 0)
	ok = ok && inRange(v)
	got, gotWhole, gotOK := ParseNumber(b)
	if gotOK != ok || ok && (toBig(got).Cmp(v) != 0 || gotWhole != whole) {
		t.Fatalf("ParseNumber(%q) = %v, %v, %v, want %v, %v, %v", s, got, gotWhole, gotOK, v, whole, ok)
	}
	if n, nOK := ParseNumberInt(b); n != got || nOK != gotOK {
		t.Fatalf("ParseNumberInt(%q) = %v, %v", s, n, nOK)
	}
	plain := strings.Trim(s, "0123456789") == "" && s != "" || len(s) > 1 && (s[0] == '-' || s[0] == '+') && strings.Trim(s[1:], "0123456789") == ""
	if i, iOK := ParseInt128(b); iOK != (plain && ok) || iOK && i != got {
		t.Fatalf("ParseInt128(%q) = %v, %v", s, i, iOK)
	}
}

var numberCorpus = []string{
	"", "-", "+", ".", "-.", "e1", ".e1", "1e", "1e+", "1.2.3", "1..2", "..", "--1", "1-", " 1", "1 ", "0x1", "1_0", "NaN", "Infinity",
	"0", "-0", "0.0", "00", "000.000", "5.", ".5", "-.5", "+.5", "0.5", "1.5", "2.5", "-2.5", "0.4999999999", "1e2", "1E2", "1e+2", "1e-2",
	"12345.67", "1234567.89", "12345678", "123456789", "1234567.", ".1234567", "12345678.1234567", "1234567812345678", "1.23456781234567",
	"0.005", "0.004", "0.0050000", "-0.005", "999.995", "999999999999999.995", "9999999999999999.99", "999999999999999999",
	"99999999999999999999999999999999999999", "100000000000000000000000000000000000000",
	"170141183460469231731687303715884105727", "170141183460469231731687303715884105728",
	"-170141183460469231731687303715884105728", "-170141183460469231731687303715884105729",
	"170141183460469231731687303715884105727.5", "170141183460469231731687303715884105727.4", "-170141183460469231731687303715884105728.5",
	"340282366920938463463374607431768211455.5", "340282366920938463463374607431768211456", "1e38", "1e39", "0.000001e38", "123e-40", "5e-1", "49e-2", "0e999", "0.0e-999",
}

func TestParsingEqualsBigRat(t *testing.T) {
	for _, s := range numberCorpus {
		for _, ps := range [][2]int{{18, 0}, {18, 2}, {18, 18}, {1, 0}, {5, 2}, {38, 0}, {38, 10}, {38, 38}} {
			checkParse(t, s, ps[0], ps[1])
		}
	}
	r := rng(t)
	for range 100_000 {
		precision := 1 + r.Intn(18)
		if r.Intn(2) == 0 {
			precision = 1 + r.Intn(38)
		}
		checkParse(t, randNumber(r), precision, r.Intn(precision+1))
	}
}

func TestLongTextIsExact(t *testing.T) {
	zeros := strings.Repeat("0", 100_000)
	for _, c := range []struct{ text, want string }{
		{"0." + zeros + "1", "0.00"},
		{zeros + "1", "1.00"},
		{"1" + zeros + "e-100000", "1.00"},
		{"0." + zeros + "1e100001", "1.00"},
		{"0.004" + strings.Repeat("9", 100_000), "0.00"},
		{"0.00500" + zeros, "0.01"},
		{"0.0049" + zeros + "1", "0.00"},
		{"1" + zeros, ""},
		{"1e-400", "0.00"},
		{"1e400", ""},
		{"1e999999999999999999999999999999", ""},
		{"1e-999999999999999999999999999999", "0.00"},
		{"-1e-999999999", "0.00"},
		{"0e999999999", "0.00"},
		{"1e" + zeros + "2", "100.00"},
	} {
		want, wantOK := ParseDecimal([]byte(c.want), 18, 2)
		short := c.text[:min(len(c.text), 20)]
		if got, ok := ParseDecimal([]byte(c.text), 18, 2); got != want || ok != wantOK {
			t.Errorf("ParseDecimal(%s…) = %v, %v, want %q", short, got, ok, c.want)
		}
		if got, ok := ParseDecimal64([]byte(c.text), 18, 2); FromInt64(got) != want || ok != wantOK {
			t.Errorf("ParseDecimal64(%s…) = %v, %v, want %q", short, got, ok, c.want)
		}
	}
}

// Every text of up to 4 bytes over the alphabet of numbers, and every position
// of a point in text of up to 17 bytes: the word-wise path has an edge at each.
func TestShortTextsAreReadAlikeByBothPaths(t *testing.T) {
	same := func(b []byte) {
		got, ok := ParseDecimal64(b, 12, 3)
		want, wantOK := ParseDecimal(b, 12, 3)
		if ok != wantOK || FromInt64(got) != want {
			t.Fatalf("%q: ParseDecimal64 gives %v, %v, ParseDecimal %v, %v", b, got, ok, want, wantOK)
		}
	}
	const alphabet = "059.-+e/:"
	var grow func(b []byte)
	grow = func(b []byte) {
		same(b)
		if len(b) == 4 {
			return
		}
		for _, c := range []byte(alphabet) {
			grow(append(b, c))
		}
	}
	grow(nil)
	for n := 1; n <= 17; n++ {
		for at := range n {
			for c := range 256 {
				b := []byte("98765432123456789"[:n])
				b[at] = byte(c)
				same(b)
				same(append([]byte{'-'}, b...))
				b[(at+3)%n] = '.'
				same(b)
			}
		}
	}
}
