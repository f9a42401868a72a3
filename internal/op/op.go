// Package op holds the operators: the aggregate (aggregate*.go, over the windows of window.go and grid.go) and the band join
// (join*.go), each a plan node (immutable, what EXPLAIN and the fingerprint see) and its running form (one shard of it).
//
// An operator is a pure function of the rows applied and the watermarks advanced to. Rows may be applied in any order;
// what is emitted and what is saved is the same for every order, every number of shards and every batch size.
package op

import (
	"encoding/binary"

	"ubik/internal/vec"
)

// KeyGroups is the fixed number of key groups; part of the checkpoint format. A key's group is the top byte of its hash.
const KeyGroups = 256

// Shard says which key groups an operator instance owns: the contiguous run of groups g with g*Count/KeyGroups = Index.
type Shard struct{ Index, Count int }

// Of returns the index of the shard that owns the key with this hash.
func (s Shard) Of(hash uint64) int { return int(hash>>56) * s.Count / KeyGroups }

// Owns reports whether the shard owns a key group.
func (s Shard) Owns(group int) bool { return group*s.Count/KeyGroups == s.Index }

// Batch is rows on their way into an operator: the input's expressions as columns (group keys first), each row's time
// and own watermark, and the key with its hash.
type Batch struct {
	vec.Batch
	Time []vec.Time // the time column; unset for inputs without one
	WM   []vec.Time // own watermark before the row
	Keys vec.KeyBuilder
	Hash []uint64
	// What identifies each row of a source's batch: Part, the same for all, and the position.
	Part int
	Pos  []int64
	// What identifies each row of a batch that another operator gave, or that goes where such rows go: its place, the
	// bytes of places of Origin of the records it is made of, one behind the other; indexed by row. nil: Part and Pos.
	Place     []byte
	PlaceEnds []uint32
}

// Out is a run of output rows in lane order, lent to the emit function.
type Out struct {
	Cols      *vec.Batch // output columns in select-list order
	Key       *vec.Batch // columns of the output key
	Sel       []int32    // the rows that leave, in order; nil: all
	Major     []byte     // order bytes that all rows share, compared first; a window's end and start
	Order     []byte     // order bytes of each row, compared next, indexed by row number
	OrderEnds []uint32
	Times     []int64 // timestamp of each row, ms since 1970 UTC, indexed by row number
	PlaceAt   int     // where in a row's order bytes its place begins, by which a joined row is identified; -1: it has none
}

// Origin is one record that a row is made of. Its place is 12 bytes: Part, then Pos, big-endian with the sign bits flipped;
// that of an absent record is one byte 0xFF. So places have the order of the records, an absent one last. Part is not
// negative and below 2³¹ − 2²⁴.
type Origin struct {
	Part int32 // -1: the record is absent
	Pos  int64
}

// AppendPlace appends the place of o.
func AppendPlace(dst []byte, o Origin) []byte {
	if o.Part < 0 {
		return append(dst, 0xFF)
	}
	dst = binary.BigEndian.AppendUint32(dst, uint32(o.Part)^1<<31)
	return binary.BigEndian.AppendUint64(dst, uint64(o.Pos)^1<<63)
}

// Origins appends the records that a place names, in their order, absent ones included.
func Origins(dst []Origin, place []byte) []Origin {
	for len(place) > 0 {
		if place[0] == 0xFF {
			dst, place = append(dst, Origin{Part: -1}), place[1:]
			continue
		}
		dst = append(dst, Origin{int32(binary.BigEndian.Uint32(place) ^ 1<<31), int64(binary.BigEndian.Uint64(place[4:]) ^ 1<<63)})
		place = place[12:]
	}
	return dst
}

// Operator is one shard of a running operator. No context, clock, logger or goroutine; one caller at a time.
// After an error the operator is not used again.
type Operator interface {
	// Apply takes the rows of b named by sel, ascending (nil: all), whose keys the shard owns. b and sel are lent. Rows late
	// for everything are not among them. It is not called in the middle of an Advance. An error is a *LimitError.
	Apply(input int, b *Batch, sel []int32) error

	// Advance says that nothing earlier than w will come. Rows leave through emit in lane order, ascending also from
	// call to call. When emit returns false the operator returns done = false as soon as it likes, and is called again
	// with the same w before anything else. A row that cannot be emitted is a *RowError: the first one in lane order, and
	// those before it have left. Any other error is a *LimitError.
	Advance(w vec.Time, emit func(*Out) bool) (done bool, err error)

	// Save appends the state of every key group owned that has any, by ascending group: uvarint group, then
	// length-prefixed canonical bytes. So the shards' outputs, one behind the other, are the same for every Count. It is not
	// called in the middle of an Advance, that is after one that returned done = false.
	Save(e *vec.Encoder)

	// Load takes a whole saved state (of all shards) and keeps what the shard owns. Called once, on a new operator. Bytes
	// that Save cannot have written are vec.ErrState, and more than the shard can store is a *LimitError.
	Load(d *vec.Decoder) error

	// Stat reports the size of the state, for the status line and EXPLAIN.
	Stat() Stat
}

// LimitError says that a shard would have to store more than it can; more shards help.
type LimitError struct {
	Msg string // what stores how much
	Try string // what to change in the command or the query
}

func (e *LimitError) Error() string { return e.Msg }

// Stat is an operator's state in numbers.
type Stat struct {
	OpenWindows int
	Groups      int    // of results; of a join the stored rows
	Sides       [2]int // of a join: of these the left rows and the right ones
	Bytes       int
}

// Node is an operator in a plan.
type Node interface {
	New(s Shard) Operator
	// Describe is the canonical one-line text, part of the fingerprint.
	Describe() string
	// StoresRows reports whether the state is rows of the two inputs, which Stat counts in Sides, and not results.
	StoresRows() bool
	// WantsPlaces reports whether the batches of an input must have places.
	WantsPlaces(input int) bool
}
