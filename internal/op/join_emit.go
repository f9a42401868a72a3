package op

import (
	"encoding/binary"
	"slices"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// joinEmission is the rows on their way out.
type joinEmission struct {
	candidates []candidate // in lane order
	size       int         // bytes of their rows

	residual *expr.Program
	where    *expr.Program
	selects  []*expr.Program
	outKeys  []*expr.Program
	pairs    *vec.Batch // the candidates' columns, left then right
	both     []int32    // candidates that are pairs
	passed   []int32    // those of them that the residual lets through
	kept     []int32
	chosen   []int32 // those of them that Where lets through
	stumble  stumble
	out      Out
}

// candidate is an output row, unless the residual refuses the pair, or has let another one through before of a row that
// leaves alone. An absent side is noRow.
type candidate struct {
	t           vec.Time
	left, right uint32
}

func (c *candidate) row(side int) uint32 {
	if side == 0 {
		return c.left
	}
	return c.right
}

func (j *bandJoin) full() bool { return len(j.candidates) == emitRows || j.size > emitKeyBytes }

func (j *bandJoin) candidate(l, r uint32) {
	j.candidates = append(j.candidates, candidate{j.t, l, r})
	if l != noRow {
		j.size += j.store.row(l).size()
	}
	if r != noRow {
		j.size += j.store.row(r).size()
	}
}

// Advance lets the rows of times before w settle and emits what leaves before w.
func (j *bandJoin) Advance(w vec.Time, emit func(*Out) bool) (bool, error) {
	if w < j.w || j.active && w != j.target {
		panic("op: the cursor went back, or moved in the middle of an advance")
	}
	if w == j.w {
		return true, nil
	}
	if !j.active {
		j.active, j.target, j.until = true, w, j.w
	}
	for more := true; more; {
		more = j.collect()
		if len(j.candidates) > 0 {
			goOn := !j.project() || emit(&j.out)
			if j.stumble.row >= 0 {
				return false, j.faulty()
			}
			j.candidates, j.size = j.candidates[:0], 0
			if !goOn {
				return false, nil
			}
		}
		j.store.recycle()
	}
	if j.tooLarge {
		return false, errTooLarge
	}
	j.slice.clear(&j.store)
	j.sorter.items, j.at = j.sorter.items[:0], 0
	j.sorter.trim(2 * sliceRows)
	j.dropBefore(w)
	j.store.recycle()
	if j.keys.sparse() {
		j.keys.tidy(j.eachStored)
	}
	j.w, j.active = w, false
	return true, nil
}

// collect makes candidates until there are enough (true) or all of the advance have been made.
func (j *bandJoin) collect() bool {
	for {
		if !j.open && !j.nextMoment() {
			return false
		}
		if !j.list() {
			return true
		}
		j.end()
	}
}

// gather decodes the candidates' rows.
func (j *bandJoin) gather() {
	b := j.pairs
	b.Resize(len(j.candidates))
	for _, v := range b.Cols {
		v.Arena = v.Arena[:0]
	}
	n := len(j.node.Columns[0])
	for side, cols := range [2][]*vec.Vector{b.Cols[:n], b.Cols[n:]} {
		if len(cols) == 0 {
			continue
		}
		j.touchCandidates(side)
		for i := range j.candidates {
			id := j.candidates[i].row(side)
			if id == noRow {
				for _, v := range cols {
					v.SetNull(i)
				}
				continue
			}
			r := j.store.row(id)
			j.layout[side].unpack(r.columns(), cols, i, r.ts(), j.keys.at(r.key()))
		}
	}
}

// touchCandidates fetches the candidates' rows of a side, then the keys of these.
func (j *bandJoin) touchCandidates(side int) {
	j.ahead = j.ahead[:0]
	for i := range j.candidates {
		if id := j.candidates[i].row(side); id != noRow {
			j.ahead = append(j.ahead, id)
		}
	}
	j.store.touch(j.ahead)
	for i, id := range j.ahead {
		j.ahead[i] = j.store.row(id).key()
	}
	j.store.touch(j.ahead)
}

// judge fills kept with the candidates that leave. All of them leave without a residual.
func (j *bandJoin) judge() {
	j.kept, j.both = j.kept[:0], j.both[:0]
	for i, c := range j.candidates {
		if c.left != noRow && c.right != noRow {
			j.both = append(j.both, int32(i))
		}
	}
	j.passed = j.residual.Filter(j.pairs, j.both, slices.Grow(j.passed[:0], j.pairs.N), &j.stumble.errs)
	passed := j.stumble.after(j.node.Residual, j.passed)
	candidates := j.candidates
	if j.stumble.row >= 0 {
		candidates = candidates[:j.stumble.row]
	}
	kind := j.node.Kind
	for i, c := range candidates {
		keep := false
		switch {
		case c.left == noRow:
			keep = !j.store.row(c.right).matched()
		case c.right == noRow:
			keep = !j.store.row(c.left).matched()
		case len(passed) > 0 && passed[0] == int32(i):
			passed = passed[1:]
			keep = kind != Anti && !(kind == Semi && j.store.row(c.left).matched())
			j.match(c.left, c.right)
		}
		if keep {
			j.kept = append(j.kept, int32(i))
		}
	}
	if kind == Semi {
		for i := range candidates {
			candidates[i].right = noRow
		}
		for _, v := range j.pairs.Cols[len(j.node.Columns[0]):] {
			v.SetAllNull()
		}
	}
}

// project computes the output of the candidates, up to the first that cannot leave; false when none does.
func (j *bandJoin) project() bool {
	st := &j.stumble
	st.reset()
	j.gather()
	var sel []int32
	if j.residual != nil {
		if j.judge(); len(j.kept) == 0 {
			return false
		}
		if len(j.kept) < len(j.candidates) {
			sel = j.kept
		}
	}
	if j.where != nil {
		if sel == nil {
			j.kept = j.kept[:0]
			for i := range j.candidates {
				j.kept = append(j.kept, int32(i))
			}
			sel = j.kept
		}
		j.chosen = j.where.Filter(j.pairs, sel, slices.Grow(j.chosen[:0], j.pairs.N), &st.errs)
		if sel = st.after(j.node.Where, j.chosen); len(sel) == 0 {
			return false
		}
	}
	sel = st.eval(j.out.Cols, j.selects, j.node.Select, j.pairs, sel)
	if j.out.Key != nil {
		sel = st.eval(j.out.Key, j.outKeys, j.node.OutKey, j.pairs, sel)
	}
	j.name(sel)
	j.out.Sel = sel
	return sel == nil || len(sel) > 0
}

// The order bytes of a row:
//
//	8 bytes  its time, big-endian, sign bit flipped
//	…        the left row's place; of an absent one as many bytes 0xFF as it would have records, see BandJoin.Records
//	…        the right row's likewise
//
// So an absent side comes last: no present row's place has 0xFF so often at its front.
const orderPlaceAt = 8

// name fills in order bytes and times, of the rows of sel (nil: all).
func (j *bandJoin) name(sel []int32) {
	n := len(j.candidates)
	o := &j.out
	o.Order, o.OrderEnds, o.PlaceAt = o.Order[:0], slices.Grow(o.OrderEnds[:0], n)[:n], orderPlaceAt
	o.Times = slices.Grow(o.Times[:0], n)[:n]
	for i := range j.candidates {
		c := &j.candidates[i]
		leaves := sel == nil || len(sel) > 0 && sel[0] == int32(i)
		if leaves {
			if sel != nil {
				sel = sel[1:]
			}
			o.Order = j.appendOrder(o.Order, c)
			o.Times[i] = vec.FloorDiv(int64(c.t), 1000)
		}
		o.OrderEnds[i] = uint32(len(o.Order))
	}
}

// appendOrder appends the order bytes of an output row.
func (j *bandJoin) appendOrder(dst []byte, c *candidate) []byte {
	dst = binary.BigEndian.AppendUint64(dst, timeWord(c.t))
	for side := range j.rings {
		if id := c.row(side); id != noRow {
			dst = j.store.row(id).appendPlace(dst)
			continue
		}
		for range max(1, j.node.Records[side]) {
			dst = append(dst, 0xFF)
		}
	}
	return dst
}

// faulty is the error of the row at which the batch ends.
func (j *bandJoin) faulty() error {
	c := &j.candidates[j.stumble.row]
	t := vec.NewVector(vec.TypeOf(vec.Timestamp))
	t.Resize(1)
	t.I64[0] = int64(c.t)
	what := expr.AppendText([]byte(j.stumble.of+" of the joined row at "), t, 0)
	order := j.appendOrder(nil, c)
	return &RowError{Order: order, What: string(what), Origins: Origins(nil, order[orderPlaceAt:]), Reason: j.stumble.reason}
}
