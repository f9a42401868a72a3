package runner

import (
	"github.com/zeebo/xxh3"

	"ubik/internal/op"
	"ubik/internal/vec"
)

// mid is rows on their way from one operator to the next: a copy of what was emitted, since that is only lent.
type mid struct {
	from  *shard
	port  int
	batch op.Batch
	times *vec.Vector
	rows  [][]int32 // for each shard of the taker
	left  int       // shards that have not applied their rows yet

	ends, last []vec.Time // scratch: of the taker's windows
	sel        []int32
}

// midRows is the rows of a mid for one shard.
type midRows struct {
	*mid
	rows []int32
}

func newMid(from *shard) *mid {
	st := from.stage
	return &mid{port: st.Port, rows: make([][]int32, len(st.to.shards))}
}

// fill takes the rows of o over and deals them out by key group.
func (m *mid) fill(from *shard, o *op.Out) {
	st := from.stage
	m.from = from
	b := &m.batch
	cols := o.Cols.Cols
	if st.Timed {
		cols = cols[:len(cols)-1]
	}
	for len(b.Cols) < len(cols) {
		b.Cols = append(b.Cols, vec.NewVector(cols[len(b.Cols)].Type))
	}
	for i, c := range cols {
		b.Cols[i].Gather(c, o.Sel, o.Cols.N)
	}
	n := o.Cols.N
	if o.Sel != nil {
		n = len(o.Sel)
	}
	b.N = n
	var sel []int32
	if st.Timed {
		sel = m.time(o)
	}
	b.Keys.Build(b.Cols[:st.Keys], n, nil)
	b.Hash = resize(b.Hash, n)
	for i := range b.Hash {
		b.Hash[i] = xxh3.Hash(b.Keys.Key(i))
	}
	if st.placed {
		m.place(o)
	}
	for i := range m.rows {
		m.rows[i] = m.rows[i][:0]
	}
	shard := op.Shard{Count: len(m.rows)}
	deal := func(i int32) {
		k := shard.Of(b.Hash[i])
		m.rows[k] = append(m.rows[k], i)
	}
	if sel != nil {
		for _, i := range sel {
			deal(i)
		}
		return
	}
	for i := range int32(n) {
		deal(i)
	}
}

// time takes the rows' times over. They are never late, so their own watermark is none. It returns the rows that are in a
// window of the taker, nil: all.
func (m *mid) time(o *op.Out) []int32 {
	b := &m.batch
	t := o.Cols.Cols[len(o.Cols.Cols)-1]
	if m.times == nil {
		m.times = vec.NewVector(t.Type)
	}
	m.times.Gather(t, o.Sel, o.Cols.N)
	b.Time = resize(b.Time, b.N)
	b.WM = resize(b.WM, b.N)
	for i, t := range m.times.I64 {
		if m.times.IsNull(i) {
			panic("runner: a row without a time between two operators")
		}
		b.Time[i], b.WM[i] = vec.Time(t), vec.NegInf
	}
	w := m.from.stage.Window
	if w == nil || !w.Gaps() {
		return nil
	}
	all := m.sel[:0]
	for i := range int32(b.N) {
		all = append(all, i)
	}
	m.sel = all
	m.ends, m.last = resize(m.ends, b.N), resize(m.last, b.N)
	return w.Ends(b.Time, all, m.ends, m.last, make([]int32, 0, b.N))
}

// place takes the rows' places over.
func (m *mid) place(o *op.Out) {
	b := &m.batch
	b.Place, b.PlaceEnds = b.Place[:0], b.PlaceEnds[:0]
	for k := range b.N {
		i := k
		if o.Sel != nil {
			i = int(o.Sel[k])
		}
		b.Place = append(b.Place, vec.Piece(o.Order, o.OrderEnds, i)[o.PlaceAt:]...)
		b.PlaceEnds = append(b.PlaceEnds, uint32(len(b.Place)))
	}
}
