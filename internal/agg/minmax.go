package agg

import (
	"errors"
	"math"

	"ubik/internal/exact"
	"ubik/internal/vec"
)

var minEntry = &Entry{
	Name: "min",
	Doc:  "The least of the values that are not NULL, in the order of ORDER BY; NULL when there are none. Text compares by its bytes.",
	Examples: []Example{
		{Arg: vec.TypeOf(vec.Varchar), Values: []string{"b", "NULL", "ab"}, Result: "ab"},
		{Arg: vec.TypeOf(vec.Double), Values: []string{"nan", "1.5"}, Result: "1.5"},
	},
	resolve: resolveExtreme("min", false),
}

var maxEntry = &Entry{
	Name: "max",
	Doc:  "The greatest of the values that are not NULL, in the order of ORDER BY; NULL when there are none. NaN is the greatest DOUBLE.",
	Examples: []Example{
		{Arg: vec.DecimalType(4, 1), Values: []string{"-3.5", "2.0"}, Result: "2.0"},
		{Arg: vec.TypeOf(vec.Double), Values: []string{"nan", "1.5"}, Result: "nan"},
		{Arg: vec.TypeOf(vec.Int32), Values: []string{"NULL"}, Result: "NULL"},
	},
	resolve: resolveExtreme("max", true),
}

func resolveExtreme(name string, most bool) func(arg vec.Type) (vec.Type, func() Accumulator, error) {
	return func(arg vec.Type) (vec.Type, func() Accumulator, error) {
		switch arg.Kind {
		case vec.Null:
			return arg, nil, errUntyped(name)
		case vec.Interval:
			return arg, nil, errors.New(name + " of INTERVAL is not defined, since a month has no fixed length: cast or convert it first, as in epoch_ms")
		case vec.JSON, vec.Struct, vec.List, vec.Map:
			return arg, nil, errors.New(name + " of " + arg.String() + " is not defined: take a field of it, or cast it to VARCHAR")
		}
		switch arg.Phys() {
		case vec.PhysBool, vec.PhysI64, vec.PhysF64:
			return arg, func() Accumulator { return newExtreme64(arg, most) }, nil
		case vec.PhysI128:
			return arg, func() Accumulator { return newExtreme128(arg, most) }, nil
		case vec.PhysBytes:
			return arg, func() Accumulator { return &extremeText{typ: arg, most: most} }, nil
		}
		return arg, nil, errors.New(name + " of " + arg.String() + " is not defined: take a field of it, or cast it to VARCHAR")
	}
}

// extreme64 is min and max of values stored in 64 bits or fewer, each taken as an int64 of the same order. For max the
// bits are flipped, so that the least is wanted always. Saved: byte 0, or byte 1 and the int64 unflipped.
type extreme64 struct {
	typ   vec.Type
	flip  int64 // −1 for max
	least []int64
	seen  []bool
}

func newExtreme64(t vec.Type, most bool) *extreme64 {
	x := &extreme64{typ: t}
	if most {
		x.flip = -1
	}
	return x
}

func (x *extreme64) Grow(n int) {
	from := len(x.least)
	x.least = grow(x.least, n)
	x.seen = grow(x.seen, n)
	for i := from; i < n; i++ {
		x.least[i] = math.MaxInt64
	}
}

func (x *extreme64) Reset()     { x.least, x.seen = x.least[:0], x.seen[:0] }
func (x *extreme64) Bytes() int { return cap(x.least)*8 + cap(x.seen) }

func (x *extreme64) put(g uint32, v int64) {
	x.least[g] = min(x.least[g], v^x.flip)
	x.seen[g] = true
}

func (x *extreme64) Update(groups []uint32, arg *vec.Vector, rows []int32) {
	groups = groups[:len(rows)]
	switch arg.Type.Phys() {
	case vec.PhysI64:
		for k, r := range rows {
			if !arg.IsNull(int(r)) {
				x.put(groups[k], arg.I64[r])
			}
		}
	case vec.PhysF64:
		for k, r := range rows {
			if !arg.IsNull(int(r)) {
				x.put(groups[k], orderOfFloat(arg.F64[r]))
			}
		}
	case vec.PhysBool:
		for k, r := range rows {
			if !arg.IsNull(int(r)) {
				x.put(groups[k], orderOfBool(arg.Bools[r]))
			}
		}
	}
}

// orderOfFloat maps a DOUBLE to an int64 of the same order: NaN greatest, −0.0 as 0.0.
func orderOfFloat(f float64) int64 {
	if f != f {
		return math.MaxInt64
	}
	b := int64(math.Float64bits(f + 0)) // −0.0 + 0 is 0.0
	return b ^ int64(uint64(b>>63)>>1)
}

func floatOfOrder(o int64) float64 {
	if o == math.MaxInt64 {
		return math.NaN()
	}
	return math.Float64frombits(uint64(o ^ int64(uint64(o>>63)>>1)))
}

func orderOfBool(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func (x *extreme64) Merge(groups []uint32, from Accumulator, fromGroups []uint32) {
	f := from.(*extreme64)
	for k, g := range groups {
		h := fromGroups[k]
		x.least[g] = min(x.least[g], f.least[h])
		x.seen[g] = x.seen[g] || f.seen[h]
	}
}

func (x *extreme64) Finish(groups []uint32, out *vec.Vector) error {
	phys := x.typ.Phys()
	for k, g := range groups {
		if !x.seen[g] {
			out.SetNull(k)
			continue
		}
		switch v := x.least[g] ^ x.flip; phys {
		case vec.PhysI64:
			out.I64[k] = v
		case vec.PhysF64:
			out.F64[k] = floatOfOrder(v)
		case vec.PhysBool:
			out.Bools[k] = v == 1
		}
	}
	return nil
}

func (x *extreme64) Save(e *vec.Encoder, groups []uint32) {
	for _, g := range groups {
		e.Bool(x.seen[g])
		if x.seen[g] {
			e.I64(x.least[g] ^ x.flip)
		}
	}
}

func (x *extreme64) Load(d *vec.Decoder, n int) {
	from := len(x.least)
	x.Grow(from + n)
	for i := from; i < from+n && d.Err == nil; i++ {
		if !d.Bool() {
			continue
		}
		v := d.I64()
		if !x.valid(v) {
			d.Refuse()
			return
		}
		x.put(uint32(i), v)
	}
}

func (x *extreme64) valid(v int64) bool {
	switch x.typ.Kind {
	case vec.Bool:
		return v == 0 || v == 1
	case vec.Double:
		return orderOfFloat(floatOfOrder(v)) == v
	}
	return vec.ValidI64(x.typ, v)
}

// extreme128 is min and max of values stored in 128 bits. Saved: byte 0, or byte 1 and the value.
type extreme128 struct {
	typ  vec.Type
	most bool
	best []exact.Int128
	seen []bool
}

func newExtreme128(t vec.Type, most bool) *extreme128 { return &extreme128{typ: t, most: most} }

func (x *extreme128) Grow(n int) {
	x.best = grow(x.best, n)
	x.seen = grow(x.seen, n)
}

func (x *extreme128) Reset()     { x.best, x.seen = x.best[:0], x.seen[:0] }
func (x *extreme128) Bytes() int { return cap(x.best)*16 + cap(x.seen) }

func (x *extreme128) put(g uint32, v exact.Int128) {
	if !x.seen[g] || v != x.best[g] && v.Less(x.best[g]) != x.most {
		x.best[g] = v
		x.seen[g] = true
	}
}

func (x *extreme128) Update(groups []uint32, arg *vec.Vector, rows []int32) {
	for k, r := range rows {
		if !arg.IsNull(int(r)) {
			x.put(groups[k], arg.I128[r])
		}
	}
}

func (x *extreme128) Merge(groups []uint32, from Accumulator, fromGroups []uint32) {
	f := from.(*extreme128)
	for k, g := range groups {
		if h := fromGroups[k]; f.seen[h] {
			x.put(g, f.best[h])
		}
	}
}

func (x *extreme128) Finish(groups []uint32, out *vec.Vector) error {
	for k, g := range groups {
		if !x.seen[g] {
			out.SetNull(k)
			continue
		}
		out.I128[k] = x.best[g]
	}
	return nil
}

func (x *extreme128) Save(e *vec.Encoder, groups []uint32) {
	for _, g := range groups {
		e.Bool(x.seen[g])
		if x.seen[g] {
			e.I128(x.best[g])
		}
	}
}

func (x *extreme128) Load(d *vec.Decoder, n int) {
	from := len(x.best)
	x.Grow(from + n)
	for i := from; i < from+n && d.Err == nil; i++ {
		if !d.Bool() {
			continue
		}
		v := d.I128()
		if x.typ.Kind == vec.Decimal && !exact.FitsDecimal(v, int(x.typ.Precision)) {
			d.Refuse()
			return
		}
		x.put(uint32(i), v)
	}
}
