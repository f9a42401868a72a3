package op

import (
	"fmt"
	"slices"

	"ubik/internal/vec"
)

// joinApplying is the scratch memory of Apply.
type joinApplying struct {
	all       []int32  // 0, 1, 2 …
	matchable []int32  // rows without a NULL in the key
	keys      []uint32 // their cells
	row       joinRow
}

// Apply stores the rows of sel; input 0 is the left one. A row with a NULL in its key is stored only when it leaves
// without a partner.
func (j *bandJoin) Apply(input int, b *Batch, sel []int32) error {
	if j.active {
		panic("op: rows applied in the middle of an advance")
	}
	s := &j.joinApplying
	if sel == nil {
		for i := len(s.all); i < b.N; i++ {
			s.all = append(s.all, int32(i))
		}
		sel = s.all[:b.N]
	}
	for _, k := range b.Cols[:j.node.Keys] {
		if k.HasNulls() && !j.keeps[input] {
			s.matchable = s.matchable[:0]
			for _, r := range sel {
				if !hasNull(b.Cols[:j.node.Keys], r) {
					s.matchable = append(s.matchable, r)
				}
			}
			sel = s.matchable
			break
		}
	}
	if len(sel) == 0 {
		return nil
	}
	if j.store.short() {
		return errTooLarge
	}
	s.keys = slices.Grow(s.keys[:0], len(sel))[:len(sel)]
	j.keys.find(&b.Keys, b.Hash, sel, s.keys)
	j.mark(b, sel)
	layout, cols := &j.layout[input], b.Cols[j.node.Keys:]
	for k, r := range sel {
		t := b.Time[r]
		if t < j.w || t == vec.PosInf || t == vec.NegInf {
			panic(fmt.Sprintf("op: a row at %d joins after the cursor passed %d", t, j.w))
		}
		s.row = startRow(s.row, input, t, s.keys[k])
		if j.node.Placed[input] {
			s.row = s.row.withPlace(b.place(r))
		} else {
			s.row = s.row.withRecord(Origin{int32(b.Part), b.Pos[r]})
		}
		s.row = endRow(layout.pack(s.row, cols, int(r), t, b.Keys.Key(int(r))))
		j.pending.put(s.row)
	}
	j.stored[input] += len(sel)
	return nil
}

// errTooLarge is the end of what addresses reach.
var errTooLarge = &LimitError{
	Msg: "a band join stores more than 16 GiB in the share of one worker",
	Try: "give more --workers, or make the band or --delay shorter",
}

// mark notes of keys that a column is NULL.
func (j *bandJoin) mark(b *Batch, sel []int32) {
	for _, v := range b.Cols[:j.node.Keys] {
		if !v.HasNulls() {
			continue
		}
		for k, r := range sel {
			if v.IsNull(int(r)) {
				j.keys.at(j.joinApplying.keys[k]).setNull()
			}
		}
	}
}

// place is the place of row i of a batch that has places.
func (b *Batch) place(i int32) []byte { return vec.Piece(b.Place, b.PlaceEnds, int(i)) }

func hasNull(cols []*vec.Vector, r int32) bool {
	for _, v := range cols {
		if v.IsNull(int(r)) {
			return true
		}
	}
	return false
}
