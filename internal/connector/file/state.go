package file

import (
	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// tailBytes is how many bytes before the durable end are hashed: enough that another file, or another run's output of
// the same length, is told apart, and cheap at every flush.
const tailBytes = 4096

// State is what Flush returns, for the checkpoint.
//
//	path   length as uvarint, bytes
//	length uvarint            durable bytes of the file
//	tail   8 bytes LE         XXH3-64 of the last min(length, 4096) bytes before length
type State struct {
	Path   string
	Length int64
	Tail   uint64
}

// Append appends the bytes of the state.
func (s State) Append(dst []byte) []byte {
	e := vec.Encoder{Buf: dst}
	e.String(s.Path)
	e.Uvarint(uint64(s.Length))
	e.U64(s.Tail)
	return e.Buf
}

// ParseState reads what Append wrote; else vec.ErrState.
func ParseState(b []byte) (State, error) {
	d := vec.Decoder{Buf: b}
	s := State{Path: d.String(), Length: int64(d.Uvarint()), Tail: d.U64()}
	if err := d.Done(); err != nil {
		return State{}, err
	}
	if s.Length < 0 {
		return State{}, vec.ErrState
	}
	return s, nil
}

// tail keeps the last bytes of what is written.
type tail struct{ bytes []byte }

func (t *tail) add(p []byte) {
	if len(p) >= tailBytes {
		t.bytes = append(t.bytes[:0], p[len(p)-tailBytes:]...)
		return
	}
	t.bytes = append(t.bytes, p...)
	if n := len(t.bytes) - tailBytes; n > 0 {
		t.bytes = t.bytes[:copy(t.bytes, t.bytes[n:])]
	}
}

func (t *tail) hash() uint64 { return xxh3.Hash(t.bytes) }
