package agg

import (
	"ubik/internal/vec"
)

// Accumulator is a column of running results, one per group. It is used by one caller at a time. A group number that
// was never grown to is a broken invariant and panics.
type Accumulator interface {
	// Grow makes the column hold n groups; the new ones have seen nothing. It never shrinks.
	Grow(n int)

	// Update adds row rows[k] of arg to group groups[k], for every k; the lists are of the same length. NULLs are
	// passed over. arg is nil for a function without argument. Everything is only read, and nothing is kept.
	Update(groups []uint32, arg *vec.Vector, rows []int32)

	// Merge adds what group fromGroups[k] of from has seen to group groups[k], for every k. from is another column
	// of the same function, which stays as it is.
	Merge(groups []uint32, from Accumulator, fromGroups []uint32)

	// Finish stores the result of groups[k] as row k of out, a vector of the result type and of len(groups) rows. Text
	// goes to the end of out's own arena. The groups stay as they are. An error is an *Overflow, and rows from its Row
	// on are then unspecified.
	Finish(groups []uint32, out *vec.Vector) error

	// Save appends the states of groups, in that order. The bytes of a state are a function of the multiset of values
	// it has seen.
	Save(e *vec.Encoder, groups []uint32)

	// Load appends n groups with the states that Save wrote, and leaves d.Err set when they are not such. It accepts
	// just the bytes that Save writes; it may allocate a fixed multiple of n and of the bytes read.
	Load(d *vec.Decoder, n int)

	// Reset removes all groups and keeps the memory for others.
	Reset()

	// Bytes is the memory held, used or kept for reuse.
	Bytes() int
}

// Overflow is the error of Finish: the result of a group does not fit the type.
type Overflow struct {
	Row  int      // index in the list of groups; the first of them
	Type vec.Type // the type of the result
}

func (o *Overflow) Error() string { return "does not fit " + o.Type.String() }
