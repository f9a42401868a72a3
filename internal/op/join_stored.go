package op

import "ubik/internal/vec"

// Stored is what a band join keeps of one side.
type Stored struct {
	Rows  int // stored rows
	Bytes int // of their columns, as they are in the state
}

// JoinStored counts the rows in a band join's state, of the left and of the right side; placed is the node's Placed.
func JoinStored(state []byte, placed [2]bool) (sides [2]Stored, err error) {
	d := vec.Decoder{Buf: state}
	for len(d.Buf) > 0 && d.Err == nil {
		d.Uvarint()
		group := vec.Decoder{Buf: d.Bytes()}
		if d.Err != nil {
			break
		}
		group.I64()
		for range group.Count(5) {
			group.Bytes()
			group.Bool()
			for side := range sides {
				for range group.Count(12) {
					group.I64()
					if placed[side] {
						group.Bytes()
					} else {
						group.Uvarint()
						group.Uvarint()
					}
					group.Bool()
					sides[side].Rows++
					sides[side].Bytes += len(group.Bytes())
				}
			}
		}
		if err := group.Done(); err != nil {
			return sides, err
		}
	}
	return sides, d.Done()
}
