package agg

import (
	"ubik/internal/exact"
	"ubik/internal/vec"
)

var sumEntry = &Entry{
	Name: "sum",
	Doc: "The sum of the values that are not NULL; NULL when there are none. Of integers a HUGEINT, of DECIMAL(p,s) a " +
		"DECIMAL(38,s), of DOUBLE the exact sum rounded once. A total that does not fit stops the query.",
	Examples: []Example{
		{Arg: vec.TypeOf(vec.Int64), Values: []string{"9223372036854775807", "1", "NULL"}, Result: "9223372036854775808"},
		{Arg: vec.DecimalType(18, 2), Values: []string{"1.10", "-0.05"}, Result: "1.05"},
		{Arg: vec.TypeOf(vec.Double), Values: []string{"1e100", "1", "-1e100"}, Result: "1.0"},
		{Arg: vec.TypeOf(vec.Int8), Values: []string{"NULL"}, Result: "NULL"},
	},
	resolve: func(arg vec.Type) (vec.Type, func() Accumulator, error) {
		var result vec.Type
		switch {
		case arg.IsInteger():
			result = vec.TypeOf(vec.HugeInt)
		case arg.Kind == vec.Decimal:
			result = vec.DecimalType(exact.MaxPrecision, int(arg.Scale))
		case arg.Kind == vec.Double:
			result = arg
		case arg.Kind == vec.Null:
			return result, nil, errUntyped("sum")
		default:
			return result, nil, errNotNumeric("sum", arg)
		}
		return result, newSum(arg, result, false), nil
	},
}

var avgEntry = &Entry{
	Name: "avg",
	Doc: "The average of the values that are not NULL, as a DOUBLE; NULL when there are none. It is the exact quotient, " +
		"rounded once.",
	Examples: []Example{
		{Arg: vec.DecimalType(18, 2), Values: []string{"0.10", "0.20", "NULL"}, Result: "0.15"},
		{Arg: vec.TypeOf(vec.Int32), Values: []string{"1", "2", "2"}, Result: "1.6666666666666667"},
		{Arg: vec.TypeOf(vec.Double), Values: []string{"1e308", "1e308"}, Result: "1e+308"},
		{Arg: vec.TypeOf(vec.Double), Values: []string{}, Result: "NULL"},
	},
	resolve: func(arg vec.Type) (vec.Type, func() Accumulator, error) {
		result := vec.TypeOf(vec.Double)
		switch {
		case arg.Kind == vec.Null:
			return result, nil, errUntyped("avg")
		case !arg.IsNumeric():
			return result, nil, errNotNumeric("avg", arg)
		}
		return result, newSum(arg, result, true), nil
	},
}

// newSum returns how to make a column of sums or averages of a numeric type.
func newSum(arg, result vec.Type, mean bool) func() Accumulator {
	switch arg.Phys() {
	case vec.PhysI64:
		return func() Accumulator { return &sum64{scale: int(arg.Scale), result: result, mean: mean} }
	case vec.PhysI128:
		return func() Accumulator { return &sum128{scale: int(arg.Scale), result: result, mean: mean} }
	}
	return func() Accumulator { return &sumFloat{mean: mean} }
}

// sum64 is sum and avg of values stored in 64 bits. Fewer than 2^63 of them cannot leave 128 bits.
type sum64 struct {
	cells  []cell64
	scale  int
	result vec.Type
	mean   bool
}

type cell64 struct {
	sum exact.Int128
	n   int64
}

func (s *sum64) Grow(n int) { s.cells = grow(s.cells, n) }
func (s *sum64) Reset()     { s.cells = s.cells[:0] }
func (s *sum64) Bytes() int { return cap(s.cells) * 24 }

func (s *sum64) Update(groups []uint32, arg *vec.Vector, rows []int32) {
	cells, x := s.cells, arg.I64
	groups = groups[:len(rows)]
	if !arg.HasNulls() {
		for k, r := range rows {
			c := &cells[groups[k]]
			c.sum.AddInt64(x[r])
			c.n++
		}
		return
	}
	for k, r := range rows {
		if !arg.IsNull(int(r)) {
			c := &cells[groups[k]]
			c.sum.AddInt64(x[r])
			c.n++
		}
	}
}

func (s *sum64) Merge(groups []uint32, from Accumulator, fromGroups []uint32) {
	f := from.(*sum64).cells
	for k, g := range groups {
		c, h := &s.cells[g], &f[fromGroups[k]]
		c.sum = c.sum.WrapAdd(h.sum)
		c.n += h.n
	}
}

func (s *sum64) Finish(groups []uint32, out *vec.Vector) error {
	for k, g := range groups {
		c := &s.cells[g]
		switch {
		case c.n == 0:
			out.SetNull(k)
		case s.mean:
			out.F64[k] = exact.Quo(c.sum, s.scale, c.n)
		default:
			if !fitsResult(c.sum, s.result) {
				return &Overflow{Row: k, Type: s.result}
			}
			out.I128[k] = c.sum
		}
	}
	return nil
}

func fitsResult(v exact.Int128, t vec.Type) bool {
	return t.Kind != vec.Decimal || exact.FitsDecimal(v, int(t.Precision))
}

func (s *sum64) Save(e *vec.Encoder, groups []uint32) {
	// The cells lie anywhere in a column that may be large; a loop of nothing but loads has many of them on their way
	// at once.
	var some [128]cell64
	for len(groups) > 0 {
		n := min(len(groups), len(some))
		for i, g := range groups[:n] {
			some[i] = s.cells[g]
		}
		for i := range some[:n] {
			putSum(e, some[i].n, wordsOf(some[i].sum))
		}
		groups = groups[n:]
	}
}

func (s *sum64) Load(d *vec.Decoder, n int) {
	from := len(s.cells)
	s.cells = grow(s.cells, from+n)
	for i := from; i < from+n; i++ {
		c := &s.cells[i]
		var w words
		c.n, w = getSum(d, 63)
		c.sum, _ = w.int128()
	}
}
