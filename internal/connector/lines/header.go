package lines

import (
	"context"
	"errors"

	"ubik/internal/codec"
)

// HeaderError says that the first record is not the header that it should be.
type HeaderError struct{ Err error }

func (e *HeaderError) Error() string { return e.Err.Error() }
func (e *HeaderError) Unwrap() error { return e.Err }

var errHuge = errors.New("it is longer than the longest record that is permitted")

// passHeader takes the header, the block's only record, out of the block when it is the right one.
func (r *Reader) passHeader(b *block) error {
	s := b.spans[0]
	if s.Len == codec.HugeLen {
		return &HeaderError{errHuge}
	}
	if r.HeaderCheck != nil {
		if err := r.HeaderCheck(b.buf[s.Off : s.Off+s.Len : s.Off+s.Len]); err != nil {
			return &HeaderError{err}
		}
	}
	b.spans, b.pos = b.spans[:0], b.pos[:0]
	r.header = false
	return nil
}

// headerBytes is how much is read at once to find a first record.
const headerBytes = 8 << 10

// First reads the first record of an input, which is read once and not further than needed, and judges it as
// Options.HeaderCheck does. It reports whether there is one before Options.Until.
func First(ctx context.Context, in Input, o Options) (bool, error) {
	o.Keep, o.Hashed, o.Tail = true, false, 0
	o.Framing.Header = true
	r := NewReader(&Pool{bytes: headerBytes, records: 1}, o)
	found := errors.New("found")
	r.HeaderCheck = func(record []byte) error {
		if o.HeaderCheck != nil {
			if err := o.HeaderCheck(record); err != nil {
				return err
			}
		}
		return found
	}
	_, err := r.Read(ctx, in)
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}
