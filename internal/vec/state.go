package vec

import (
	"encoding/binary"
	"errors"

	"ubik/internal/exact"
)

// Encoder appends the canonical bytes of operator state: little-endian fixed words, LEB128 lengths.
type Encoder struct{ Buf []byte }

func (e *Encoder) Uvarint(v uint64) { e.Buf = binary.AppendUvarint(e.Buf, v) }
func (e *Encoder) Varint(v int64)   { e.Buf = binary.AppendVarint(e.Buf, v) }
func (e *Encoder) U64(v uint64)     { e.Buf = binary.LittleEndian.AppendUint64(e.Buf, v) }
func (e *Encoder) I64(v int64)      { e.U64(uint64(v)) }
func (e *Encoder) Byte(v byte)      { e.Buf = append(e.Buf, v) }
func (e *Encoder) Raw(b []byte)     { e.Buf = append(e.Buf, b...) }

// Bool writes one byte, 0 or 1.
func (e *Encoder) Bool(v bool) {
	if v {
		e.Byte(1)
	} else {
		e.Byte(0)
	}
}

// I128 writes 16 bytes, the low word first.
func (e *Encoder) I128(v exact.Int128) { e.U64(v.Lo); e.U64(uint64(v.Hi)) }

// Bytes writes a length and the bytes.
func (e *Encoder) Bytes(b []byte) { e.Uvarint(uint64(len(b))); e.Buf = append(e.Buf, b...) }

// String writes a length and the bytes of s.
func (e *Encoder) String(s string) { e.Uvarint(uint64(len(s))); e.Buf = append(e.Buf, s...) }

// ErrState is the error of a Decoder whose bytes are not what the encoder wrote.
var ErrState = errors.New("state bytes are damaged or of another layout")

// Decoder reads what Encoder wrote. After the first fault every read gives zero and Err is set; a caller checks it
// before it trusts a length, and once at the end.
type Decoder struct {
	Buf []byte
	Err error
}

// Refuse makes ErrState the decoder's error, for bytes that cannot be those of a state.
func (d *Decoder) Refuse() {
	d.Err = ErrState
	d.Buf = nil
}

func (d *Decoder) take(n int) []byte {
	if n < 0 || len(d.Buf) < n {
		d.Refuse()
		return nil
	}
	b := d.Buf[:n:n]
	d.Buf = d.Buf[n:]
	return b
}

func (d *Decoder) Uvarint() uint64 {
	v, n := binary.Uvarint(d.Buf)
	if n <= 0 {
		d.Refuse()
		return 0
	}
	d.Buf = d.Buf[n:]
	return v
}

func (d *Decoder) Varint() int64 {
	v, n := binary.Varint(d.Buf)
	if n <= 0 {
		d.Refuse()
		return 0
	}
	d.Buf = d.Buf[n:]
	return v
}

func (d *Decoder) U64() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *Decoder) Byte() byte {
	if b := d.take(1); b != nil {
		return b[0]
	}
	return 0
}

// Bool fails on a byte other than 0 and 1, so that no two byte strings mean the same state.
func (d *Decoder) Bool() bool {
	b := d.Byte()
	if b > 1 {
		d.Refuse()
	}
	return b == 1
}

func (d *Decoder) I64() int64 { return int64(d.U64()) }

func (d *Decoder) I128() exact.Int128 {
	lo := d.U64()
	return exact.Int128{Hi: int64(d.U64()), Lo: lo}
}

// Count reads a number of items of at least size bytes each, and fails when that many cannot follow; so a damaged
// count never makes a caller allocate more than the input's own size.
func (d *Decoder) Count(size int) int {
	n := d.Uvarint()
	if size < 1 {
		size = 1
	}
	if n > uint64(len(d.Buf)/size) {
		d.Refuse()
		return 0
	}
	return int(n)
}

// Bytes returns length-prefixed bytes, lent from the input.
func (d *Decoder) Bytes() []byte {
	n := d.Uvarint()
	if n > uint64(len(d.Buf)) {
		d.Refuse()
		return nil
	}
	return d.take(int(n))
}

func (d *Decoder) String() string { return string(d.Bytes()) }

// Done returns the error met, or ErrState when bytes are left over.
func (d *Decoder) Done() error {
	if d.Err == nil && len(d.Buf) > 0 {
		d.Refuse()
	}
	return d.Err
}

// Copy fills dst with the next len(dst) bytes.
func (d *Decoder) Copy(dst []byte) { copy(dst, d.take(len(dst))) }
