package agg

import (
	"bytes"
	"unicode/utf8"

	"ubik/internal/vec"
)

// extremeText is min and max of text and bytes. Saved: byte 0, or byte 1, the length and the bytes.
//
// The values lie in one arena. A value that is replaced leaves garbage: its own bytes, or what the new value does not
// need of them. When more than half is garbage the arena is written anew.
type extremeText struct {
	typ     vec.Type
	most    bool
	arena   []byte
	spare   []byte // the arena before the last compaction
	spans   []textSpan
	garbage int
}

type textSpan struct {
	off int
	len int32 // of values up to 2 GiB
	set bool
}

const compactFrom = 1 << 12 // bytes of arena

func (x *extremeText) Grow(n int) { x.spans = grow(x.spans, n) }

func (x *extremeText) Reset() {
	x.arena, x.spans, x.garbage = x.arena[:0], x.spans[:0], 0
}

func (x *extremeText) Bytes() int { return cap(x.arena) + cap(x.spare) + cap(x.spans)*16 }

func (x *extremeText) value(s *textSpan) []byte { return x.arena[s.off : s.off+int(s.len)] }

func (x *extremeText) put(g uint32, b []byte) {
	s := &x.spans[g]
	if s.set {
		c := bytes.Compare(b, x.value(s))
		if c == 0 || c < 0 == x.most {
			return
		}
		if len(b) <= int(s.len) {
			x.garbage += int(s.len) - len(b)
			copy(x.arena[s.off:], b)
			s.len = int32(len(b))
			x.compact()
			return
		}
		x.garbage += int(s.len)
	}
	*s = textSpan{off: len(x.arena), len: int32(len(b)), set: true}
	x.arena = append(x.arena, b...)
	x.compact()
}

func (x *extremeText) compact() {
	if len(x.arena) < compactFrom || x.garbage <= len(x.arena)/2 {
		return
	}
	to := x.spare[:0]
	for i := range x.spans {
		if s := &x.spans[i]; s.set {
			off := len(to)
			to = append(to, x.value(s)...)
			s.off = off
		}
	}
	x.arena, x.spare, x.garbage = to, x.arena, 0
}

func (x *extremeText) Update(groups []uint32, arg *vec.Vector, rows []int32) {
	for k, r := range rows {
		if !arg.IsNull(int(r)) {
			x.put(groups[k], arg.Bytes(int(r)))
		}
	}
}

func (x *extremeText) Merge(groups []uint32, from Accumulator, fromGroups []uint32) {
	f := from.(*extremeText)
	for k, g := range groups {
		if s := &f.spans[fromGroups[k]]; s.set {
			x.put(g, f.value(s))
		}
	}
}

func (x *extremeText) Finish(groups []uint32, out *vec.Vector) error {
	for k, g := range groups {
		s := &x.spans[g]
		if !s.set {
			out.SetNull(k)
			continue
		}
		out.AppendBytes(k, x.value(s))
	}
	return nil
}

func (x *extremeText) Save(e *vec.Encoder, groups []uint32) {
	for _, g := range groups {
		s := &x.spans[g]
		e.Bool(s.set)
		if s.set {
			e.Bytes(x.value(s))
		}
	}
}

func (x *extremeText) Load(d *vec.Decoder, n int) {
	from := len(x.spans)
	x.Grow(from + n)
	for i := from; i < from+n && d.Err == nil; i++ {
		if !d.Bool() {
			continue
		}
		size := canonicalUvarint(d)
		if size > uint64(len(d.Buf)) {
			d.Refuse()
			return
		}
		b := d.Buf[:size]
		d.Buf = d.Buf[size:]
		if x.typ.Kind != vec.Blob && !utf8.Valid(b) {
			d.Refuse()
			return
		}
		x.put(uint32(i), b)
	}
}
