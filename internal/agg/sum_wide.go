package agg

import (
	"math/big"
	"math/bits"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

// sum128 is sum and avg of values stored in 128 bits, kept in 192: fewer than 2^63 of them cannot leave those.
type sum128 struct {
	cells  []cell128
	scale  int
	result vec.Type
	mean   bool
}

type cell128 struct {
	sum words
	n   int64
}

func (c *cell128) add(w words) {
	var carry uint64
	c.sum[0], carry = bits.Add64(c.sum[0], w[0], 0)
	c.sum[1], carry = bits.Add64(c.sum[1], w[1], carry)
	c.sum[2] += w[2] + carry
}

func (s *sum128) Grow(n int) { s.cells = grow(s.cells, n) }
func (s *sum128) Reset()     { s.cells = s.cells[:0] }
func (s *sum128) Bytes() int { return cap(s.cells) * 32 }

func (s *sum128) Update(groups []uint32, arg *vec.Vector, rows []int32) {
	cells, x := s.cells, arg.I128
	groups = groups[:len(rows)]
	for k, r := range rows {
		if !arg.IsNull(int(r)) {
			c := &cells[groups[k]]
			c.add(wordsOf(x[r]))
			c.n++
		}
	}
}

func (s *sum128) Merge(groups []uint32, from Accumulator, fromGroups []uint32) {
	f := from.(*sum128).cells
	for k, g := range groups {
		c, h := &s.cells[g], &f[fromGroups[k]]
		c.add(h.sum)
		c.n += h.n
	}
}

func (s *sum128) Finish(groups []uint32, out *vec.Vector) error {
	for k, g := range groups {
		c := &s.cells[g]
		if c.n == 0 {
			out.SetNull(k)
			continue
		}
		v, ok := c.sum.int128()
		switch {
		case s.mean && ok:
			out.F64[k] = exact.Quo(v, s.scale, c.n)
		case s.mean:
			out.F64[k] = c.wideMean(s.scale)
		case !ok || !fitsResult(v, s.result):
			return &Overflow{Row: k, Type: s.result}
		default:
			out.I128[k] = v
		}
	}
	return nil
}

// wideMean is the average when the sum has left 128 bits, which real data hardly ever sees.
func (c *cell128) wideMean(scale int) float64 {
	num := new(big.Int)
	num.SetInt64(int64(c.sum[2]))
	for i := 1; i >= 0; i-- {
		num.Lsh(num, 64)
		num.Add(num, new(big.Int).SetUint64(c.sum[i]))
	}
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	den.Mul(den, big.NewInt(c.n))
	f, _ := new(big.Rat).SetFrac(num, den).Float64()
	return f
}

func (s *sum128) Save(e *vec.Encoder, groups []uint32) {
	for _, g := range groups {
		c := &s.cells[g]
		putSum(e, c.n, c.sum)
	}
}

func (s *sum128) Load(d *vec.Decoder, n int) {
	from := len(s.cells)
	s.cells = grow(s.cells, from+n)
	for i := from; i < from+n; i++ {
		c := &s.cells[i]
		c.n, c.sum = getSum(d, 127)
	}
}
