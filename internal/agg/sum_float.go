package agg

import (
	"ubik/internal/exact"
	"ubik/internal/vec"
)

// sumFloat is sum and avg of DOUBLE. Saved: uvarint n, and for n > 0 the exact sum as exact.FloatSums writes it.
type sumFloat struct {
	sums exact.FloatSums
	n    []int64
	mean bool

	groups []uint32 // the rows of an Update that are not NULL, side by side
	xs     []float64
}

func (s *sumFloat) Grow(n int) {
	s.n = grow(s.n, n)
	if n > s.sums.Len() {
		s.sums.Grow(n)
	}
}

func (s *sumFloat) Reset() {
	s.n = s.n[:0]
	s.sums.Reset()
}

func (s *sumFloat) Bytes() int {
	return s.sums.Bytes() + cap(s.n)*8 + cap(s.groups)*4 + cap(s.xs)*8
}

func (s *sumFloat) Update(groups []uint32, arg *vec.Vector, rows []int32) {
	xs := s.xs[:0]
	if !arg.HasNulls() {
		for _, r := range rows {
			xs = append(xs, arg.F64[r])
		}
	} else {
		some := s.groups[:0]
		for k, r := range rows {
			if !arg.IsNull(int(r)) {
				some = append(some, groups[k])
				xs = append(xs, arg.F64[r])
			}
		}
		s.groups, groups = some, some
	}
	s.xs = xs
	s.sums.AddRows(groups, xs)
	for _, g := range groups {
		s.n[g]++
	}
}

func (s *sumFloat) Merge(groups []uint32, from Accumulator, fromGroups []uint32) {
	f := from.(*sumFloat)
	for k, g := range groups {
		h := fromGroups[k]
		s.sums.Merge(g, &f.sums, h)
		s.n[g] += f.n[h]
	}
}

func (s *sumFloat) Finish(groups []uint32, out *vec.Vector) error {
	for k, g := range groups {
		switch n := s.n[g]; {
		case n == 0:
			out.SetNull(k)
		case s.mean:
			out.F64[k] = s.sums.Mean(g, n)
		default:
			out.F64[k] = s.sums.Sum(g)
		}
	}
	return nil
}

func (s *sumFloat) Save(e *vec.Encoder, groups []uint32) {
	for _, g := range groups {
		e.Uvarint(uint64(s.n[g]))
		if s.n[g] > 0 {
			e.Buf = s.sums.AppendState(e.Buf, g)
		}
	}
}

func (s *sumFloat) Load(d *vec.Decoder, n int) {
	from := len(s.n)
	s.Grow(from + n)
	for i := from; i < from+n; i++ {
		v := canonicalUvarint(d)
		if v > 1<<62 {
			d.Refuse()
		}
		if v == 0 || d.Err != nil {
			continue
		}
		rest, err := s.sums.LoadState(uint32(i), d.Buf)
		if err != nil {
			d.Refuse()
			return
		}
		d.Buf = rest
		s.n[i] = int64(v)
	}
}
