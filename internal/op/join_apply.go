package op

import (
	"fmt"
	"slices"

	"ubik/internal/vec"
)

// joinApplying is the scratch memory of Apply.
type joinApplying struct {
	all       []int32 // 0, 1, 2 …
	matchable []int32 // rows without a NULL in the key
	ids       []uint32
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
	s.ids = slices.Grow(s.ids[:0], len(sel))[:len(sel)]
	j.keys.find(&b.Keys, b.Hash, sel, s.ids)
	j.mark(b, sel)
	layout, cols := &j.layout[input], b.Cols[j.node.Keys:]
	for k, r := range sel {
		t := b.Time[r]
		if t < j.w || t == vec.PosInf || t == vec.NegInf {
			panic(fmt.Sprintf("op: a row at %d joins after the cursor passed %d", t, j.w))
		}
		row := joinRow{ts: t, pos: b.Pos[r], part: int32(b.Part), key: s.ids[k], next: noRow, meta: uint32(input)}
		word := timeWord(t)
		_, block := j.pool.open(j.pending.bucket(word).room(&j.pool, word), row)
		block.arena = layout.append(block.arena, cols, int(r))
		j.pool.close(block)
	}
	j.stored += len(sel)
	return nil
}

// mark notes of keys that a column is NULL.
func (j *bandJoin) mark(b *Batch, sel []int32) {
	for _, v := range b.Cols[:j.node.Keys] {
		if !v.HasNulls() {
			continue
		}
		for k, r := range sel {
			if v.IsNull(int(r)) {
				j.keys.entries[j.ids[k]].null = true
			}
		}
	}
}

func hasNull(cols []*vec.Vector, r int32) bool {
	for _, v := range cols {
		if v.IsNull(int(r)) {
			return true
		}
	}
	return false
}
