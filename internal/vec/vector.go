package vec

import (
	"math"

	"ubik/internal/exact"
)

// Piece is piece i of bytes that are texts one behind the other, each of which ends at its entry of ends.
func Piece(b []byte, ends []uint32, i int) []byte {
	var from uint32
	if i > 0 {
		from = ends[i-1]
	}
	return b[from:ends[i]:ends[i]]
}

// Span is a piece of an arena: Len bytes from Off.
type Span struct{ Off, Len uint32 }

// SpanTo is the piece from one place to another. It panics beyond 4 GiB, where a Span would name other bytes.
func SpanTo(from, to int) Span {
	if uint64(to) > math.MaxUint32 {
		panic("vec: more than 4 GiB of text in one batch")
	}
	return Span{uint32(from), uint32(to - from)}
}

// IntervalValue is an INTERVAL: months, days and µs are kept apart, as SQL does.
type IntervalValue struct {
	Months, Days int32
	Micros       int64
}

// Vector is a column of Len rows. Exactly one of the slices is in use, the one Type.Phys names; its length is Len.
// A NULL row's value in the slice is unspecified. Vectors are reused: Resize keeps memory.
type Vector struct {
	Type  Type
	Bools []bool
	I64   []int64
	I128  []exact.Int128
	F64   []float64
	Spans []Span
	Ivals []IntervalValue
	Arena []byte // what Spans point into; may be shared with a chunk

	n        int
	hasNulls bool
	nulls    []uint64 // bit set: the row is NULL; meaningful when hasNulls
}

// NewVector returns an empty vector of the type.
func NewVector(t Type) *Vector { return &Vector{Type: t} }

// Len is the number of rows.
func (v *Vector) Len() int { return v.n }

// Resize makes the vector n rows long, none of them NULL, values unspecified. The arena is left as it is.
func (v *Vector) Resize(n int) {
	v.n = n
	v.hasNulls = false
	switch v.Type.Phys() {
	case PhysBool:
		v.Bools = grow(v.Bools, n)
	case PhysI64:
		v.I64 = grow(v.I64, n)
	case PhysI128:
		v.I128 = grow(v.I128, n)
	case PhysF64:
		v.F64 = grow(v.F64, n)
	case PhysBytes:
		v.Spans = grow(v.Spans, n)
	case PhysIval:
		v.Ivals = grow(v.Ivals, n)
	}
}

func grow[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}

// HasNulls reports whether any row may be NULL; false lets a kernel skip the bitmap.
func (v *Vector) HasNulls() bool { return v.hasNulls }

// IsNull reports whether row i is NULL.
func (v *Vector) IsNull(i int) bool {
	return v.hasNulls && v.nulls[uint(i)>>6]&(1<<(uint(i)&63)) != 0
}

// SetNull makes row i NULL.
func (v *Vector) SetNull(i int) {
	if !v.hasNulls {
		v.nulls = grow(v.nulls, (v.n+63)>>6)
		clear(v.nulls)
		v.hasNulls = true
	}
	v.nulls[uint(i)>>6] |= 1 << (uint(i) & 63)
}

// ClearNull makes row i not NULL.
func (v *Vector) ClearNull(i int) {
	if v.hasNulls {
		v.nulls[uint(i)>>6] &^= 1 << (uint(i) & 63)
	}
}

// SetAllNull makes every row NULL.
func (v *Vector) SetAllNull() {
	v.nulls = grow(v.nulls, (v.n+63)>>6)
	for i := range v.nulls {
		v.nulls[i] = ^uint64(0)
	}
	v.hasNulls = true
}

// OrNulls makes every row NULL that is NULL in u, a vector of the same length.
func (v *Vector) OrNulls(u *Vector) {
	if !u.hasNulls {
		return
	}
	if !v.hasNulls {
		v.nulls = grow(v.nulls, (v.n+63)>>6)
		copy(v.nulls, u.nulls)
		v.hasNulls = true
		return
	}
	for i := range v.nulls {
		v.nulls[i] |= u.nulls[i]
	}
}

// Bytes returns the text or bytes of row i, lent from the arena.
func (v *Vector) Bytes(i int) []byte {
	s := v.Spans[i]
	return v.Arena[s.Off : s.Off+s.Len : s.Off+s.Len]
}

// AppendBytes stores b as row i at the end of the arena. The arena must not be shared, or the caller must own it.
func (v *Vector) AppendBytes(i int, b []byte) {
	off := len(v.Arena)
	v.Arena = append(v.Arena, b...)
	v.Spans[i] = SpanTo(off, len(v.Arena))
}

// Batch is a set of columns of N rows each.
type Batch struct {
	N    int
	Cols []*Vector
}

// NewBatch returns an empty batch with a column of each type.
func NewBatch(types ...Type) *Batch {
	b := &Batch{}
	for _, t := range types {
		b.Cols = append(b.Cols, NewVector(t))
	}
	return b
}

// Resize makes every column n rows long, none of them NULL.
func (b *Batch) Resize(n int) {
	b.N = n
	for _, c := range b.Cols {
		c.Resize(n)
	}
}
