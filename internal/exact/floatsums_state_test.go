package exact

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
)

// One multiset, added in many orders, split over columns and merged in any
// grouping, through saved states and not: one byte string.
func TestStateIsAFunctionOfTheMultiset(t *testing.T) {
	r := rng(t)
	for round := range 150 {
		xs := randColumn(r, 1+r.Intn(80))
		var f FloatSums
		f.Grow(1)
		for _, x := range xs {
			f.Add(0, x)
		}
		want := f.AppendState(nil, 0)
		for range 10 {
			r.Shuffle(len(xs), func(i, j int) { xs[i], xs[j] = xs[j], xs[i] })
			parts := 1 + r.Intn(8)
			var p, q FloatSums
			p.Grow(parts)
			q.Grow(1)
			for _, x := range xs {
				p.Add(uint32(r.Intn(parts)), x)
			}
			for n := parts; n > 1; n-- { // merge the last into any other
				from, to := uint32(n-1), uint32(r.Intn(n-1))
				switch r.Intn(3) {
				case 0:
					p.Merge(to, &p, from)
				case 1: // by way of another column, which held something else
					q.Add(0, randFloat(r))
					if _, err := q.LoadState(0, p.AppendState(nil, from)); err != nil {
						t.Fatal(err)
					}
					p.Merge(to, &q, 0)
				case 2: // the target was saved and restored in between
					if _, err := p.LoadState(to, p.AppendState(nil, to)); err != nil {
						t.Fatal(err)
					}
					p.Merge(to, &p, from)
				}
			}
			if got := p.AppendState(nil, 0); !bytes.Equal(got, want) {
				t.Fatalf("round %d: state % x, want % x", round, got, want)
			}
			if got := p.Sum(0); !same(got, f.Sum(0)) {
				t.Fatalf("round %d: sum %v, want %v", round, got, f.Sum(0))
			}
		}
	}
}

// The bytes are frozen: checkpoints of earlier builds hold them.
func TestStateBytes(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want string
	}{
		{nil, "00 00 00"},
		{[]float64{1}, "08 60 08 04"},
		{[]float64{-1}, "08 60 08 fc"},
		{[]float64{0x1p-1074}, "08 00 00 01"},
		{[]float64{32}, "10 60 08 80 00"},
		{[]float64{-32}, "08 60 08 80"},
		{[]float64{12.34}, "38 00 08 5c 8f c2 f5 28 5c 31"},
		{[]float64{1e300, -1e300}, "00 00 00"},
	} {
		var f FloatSums
		f.Grow(1)
		for _, x := range c.xs {
			f.Add(0, x)
		}
		if got := fmt.Sprintf("% x", f.AppendState(nil, 0)); got != c.want {
			t.Errorf("state of %v = %s, want %s", c.xs, got, c.want)
		}
	}
}

func TestLoadStateReadsWhatAppendStateWrote(t *testing.T) {
	r := rng(t)
	var f, back FloatSums
	f.Grow(200)
	back.Grow(200)
	var all []byte
	for g := range uint32(200) {
		for _, x := range randColumn(r, r.Intn(30)) {
			f.Add(g, x)
		}
		back.Add(g, randFloat(r))
		back.Add(g, randFloat(r))
		all = f.AppendState(all, g)
	}
	rest := all
	for g := range uint32(200) {
		var err error
		if rest, err = back.LoadState(g, rest); err != nil {
			t.Fatal(err)
		}
		if !same(back.Sum(g), f.Sum(g)) || !bytes.Equal(back.AppendState(nil, g), f.AppendState(nil, g)) {
			t.Fatalf("group %d differs", g)
		}
	}
	if len(rest) != 0 {
		t.Errorf("%d bytes left", len(rest))
	}
	// Loading over wide windows gives them back.
	held := back.Bytes()
	for g := range uint32(200) {
		if _, err := back.LoadState(g, f.AppendState(nil, g)); err != nil {
			t.Fatal(err)
		}
	}
	if grown := back.Bytes() - held; grown > 3200 {
		t.Errorf("loading again grew memory by %d bytes", grown)
	}
}

func TestLoadStateRefusesDamage(t *testing.T) {
	head := func(n, place uint) []byte {
		h := n<<3 | place<<statePlace
		return []byte{byte(h), byte(h >> 8), byte(h >> 16)}
	}
	for _, c := range []struct {
		name string
		src  []byte
		err  error
		text string
	}{
		{"no bytes", nil, ErrStateShort, "exact: the state of a float sum is cut short"},
		{"half a head", []byte{8, 0}, ErrStateShort, "exact: the state of a float sum is cut short"},
		{"no body", head(2, 0), ErrStateShort, "exact: the state of a float sum is cut short"},
		{"beyond the top", append(head(2, 270), 1, 1), ErrStateInvalid, "exact: the state of a float sum is out of range"},
		{"high bits of the head", []byte{0, 0, 0x80}, ErrStateInvalid, "exact: the state of a float sum is out of range"},
		{"zero with a place", head(0, 1), ErrStateNotCanonical, "exact: the state of a float sum is not in canonical form"},
		{"zero below", append(head(2, 0), 0, 1), ErrStateNotCanonical, "exact: the state of a float sum is not in canonical form"},
		{"a zero", append(head(1, 0), 0), ErrStateNotCanonical, "exact: the state of a float sum is not in canonical form"},
		{"zero above", append(head(2, 0), 1, 0), ErrStateNotCanonical, "exact: the state of a float sum is not in canonical form"},
		{"sign above", append(head(2, 0), 0x81, 0xff), ErrStateNotCanonical, "exact: the state of a float sum is not in canonical form"},
	} {
		var f FloatSums
		f.Grow(1)
		f.Add(0, 42)
		_, err := f.LoadState(0, c.src)
		if !errors.Is(err, c.err) || err.Error() != c.text {
			t.Errorf("%s: %v, want %v", c.name, err, c.text)
		}
		if f.Sum(0) != 42 {
			t.Errorf("%s: the group changed to %v", c.name, f.Sum(0))
		}
	}
}
