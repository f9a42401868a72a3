package agg

import (
	"ubik/internal/vec"
)

var countStarEntry = &Entry{
	Name: "count_star", Star: true,
	Doc:      "The number of rows, written count(*).",
	Examples: []Example{{Values: []string{"", "", ""}, Result: "3"}, {Result: "0"}},
	resolve: func(vec.Type) (vec.Type, func() Accumulator, error) {
		return vec.TypeOf(vec.Int64), func() Accumulator { return new(count) }, nil
	},
}

var countEntry = &Entry{
	Name: "count",
	Doc:  "The number of rows whose argument is not NULL.",
	Examples: []Example{
		{Arg: vec.TypeOf(vec.Varchar), Values: []string{"a", "NULL", "a"}, Result: "2"},
		{Arg: vec.TypeOf(vec.Int32), Values: []string{"NULL"}, Result: "0"},
	},
	resolve: func(vec.Type) (vec.Type, func() Accumulator, error) {
		return vec.TypeOf(vec.Int64), func() Accumulator { return new(count) }, nil
	},
}

// count is count(*) and count(x). Saved as one uvarint a group.
type count struct{ n []int64 }

func (c *count) Grow(n int) { c.n = grow(c.n, n) }
func (c *count) Reset()     { c.n = c.n[:0] }
func (c *count) Bytes() int { return cap(c.n) * 8 }

func (c *count) Update(groups []uint32, arg *vec.Vector, rows []int32) {
	n := c.n
	if arg == nil || !arg.HasNulls() {
		for _, g := range groups {
			n[g]++
		}
		return
	}
	for k, g := range groups {
		if !arg.IsNull(int(rows[k])) {
			n[g]++
		}
	}
}

func (c *count) Merge(groups []uint32, from Accumulator, fromGroups []uint32) {
	f := from.(*count).n
	for k, g := range groups {
		c.n[g] += f[fromGroups[k]]
	}
}

func (c *count) Finish(groups []uint32, out *vec.Vector) error {
	for k, g := range groups {
		out.I64[k] = c.n[g]
	}
	return nil
}

func (c *count) Save(e *vec.Encoder, groups []uint32) {
	// See sum64.Save.
	var some [128]int64
	for len(groups) > 0 {
		n := min(len(groups), len(some))
		for i, g := range groups[:n] {
			some[i] = c.n[g]
		}
		for _, v := range some[:n] {
			e.Uvarint(uint64(v))
		}
		groups = groups[n:]
	}
}

func (c *count) Load(d *vec.Decoder, n int) {
	from := len(c.n)
	c.n = grow(c.n, from+n)
	for i := from; i < from+n; i++ {
		v := canonicalUvarint(d)
		if v > 1<<62 {
			d.Refuse()
			return
		}
		c.n[i] = int64(v)
	}
}
