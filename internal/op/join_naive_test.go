package op

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// joinWorld is a random join with its input.
type joinWorld struct {
	node  *BandJoin
	types [2][]vec.Type // keys, then the columns
	rows  []joinInput
	steps []joinStep
}

// joinInput is one row of a side. Its cells are those of row i of cols.
type joinInput struct {
	side, part int    // of a side with places, the part is that of none of its records
	place      []byte // of AppendPlace, whether the side has places or not
	ts         vec.Time
	cols       []*vec.Vector // one row each
	key        string        // its bytes
	null       bool          // some column of it is
}

// joinStep applies rows, in any order, and advances.
type joinStep struct {
	rows []int
	w    vec.Time
}

// setKey fills in key and null.
func (in *joinInput) setKey(keys int) {
	var key []byte
	for c, v := range in.cols[:keys] {
		key = vec.AppendKey(key, v, 0, c == keys-1)
		in.null = in.null || v.IsNull(0)
	}
	in.key = string(key)
}

// joinColumns are the columns of a joined row, named l0, l1, … r0, r1, …
func joinColumns(types [2][]vec.Type) (es []expr.Expr) {
	for side, name := range []string{"l", "r"} {
		for i, t := range types[side] {
			es = append(es, &expr.Column{Index: len(es), Name: fmt.Sprint(name, i), T: t})
		}
	}
	return es
}

// randomJoin has fewer than size rows.
func randomJoin(t testing.TB, r *rand.Rand, size int) *joinWorld {
	w := &joinWorld{}
	i64, i32, i8, str := vec.TypeOf(vec.Int64), vec.TypeOf(vec.Int32), vec.TypeOf(vec.Int8), vec.TypeOf(vec.Varchar)
	n := &BandJoin{Kind: JoinKind(r.IntN(6)), Keys: 1 + r.IntN(3)}
	for side := range n.Placed {
		if n.Placed[side] = r.IntN(2) == 0; n.Placed[side] && r.IntN(4) > 0 {
			n.Records[side] = 3
		}
	}
	w.node = n
	more := []vec.Type{vec.TypeOf(vec.Double), vec.DecimalType(30, 2), vec.TypeOf(vec.Bool), vec.TypeOf(vec.Int16), vec.TypeOf(vec.Blob),
		vec.TypeOf(vec.Timestamp), vec.TypeOf(vec.Date), vec.TypeOf(vec.Interval)}
	var keys []vec.Type
	for range n.Keys {
		keys = append(keys, []vec.Type{str, i64, i8, vec.TypeOf(vec.Bool)}[r.IntN(4)])
	}
	if r.IntN(4) > 0 {
		n.KeyTypes = keys
	}
	for side := range n.Columns {
		n.Columns[side] = []vec.Type{i32, str}
		for range r.IntN(9) {
			n.Columns[side] = append(n.Columns[side], more[r.IntN(len(more))])
		}
		w.types[side] = slices.Concat(keys, n.Columns[side])
	}
	d := vec.Time(1 + r.Int64N(12))
	bands := [][2]vec.Time{{-d, d}, {0, d}, {-d, 0}, {0, 0}, {-d, 2 * d}, {-3 * d, -d}, {d, 3 * d}, {d, d}, {-d, -d}, {1, d + 1}, {-d - 1, -1},
		{-1e6, 1e6}, {math.MinInt64, math.MaxInt64}, {math.MinInt64, 0}, {1, math.MaxInt64}, {-d, math.MaxInt64 - 1}, {math.MinInt64, math.MinInt64 + 1}}
	band := bands[r.IntN(len(bands))]
	n.Lo, n.Hi = band[0], band[1]
	cols := joinColumns(n.Columns)
	n.Select = cols
	if n.Kind == Semi || n.Kind == Anti {
		n.Select = cols[:len(n.Columns[0])]
	}
	if r.IntN(2) == 0 {
		var err error
		if n.Residual, err = expr.NewBinary([]string{"<", "<>", "="}[r.IntN(3)], cols[0], cols[len(n.Columns[0])]); err != nil {
			t.Fatal(err)
		}
	}
	if r.IntN(4) == 0 {
		n.OutKey = n.Select[:2]
	}
	w.fill(r, size)
	w.plan(r, size/5)
	return w
}

// placeMaker gives each row a place of its own. Without places that is a record of one of a side's partitions, at an
// ascending position; with them it is that of a row made by another join.
type placeMaker struct {
	node  *BandJoin
	pos   [2][3]int64
	given map[string]bool
}

// The partitions of a side, and of the records of a row, have numbers of their own: those to the left come first, as those of
// the references to sources in a query do.
func (m *placeMaker) next(r *rand.Rand, side, part int) []byte {
	if !m.node.Placed[side] {
		pos := m.pos[side][part]
		m.pos[side][part] += 1 + r.Int64N(3)
		return AppendPlace(nil, Origin{int32(100*side + part), pos})
	}
	for {
		var place []byte
		records := 1 + r.IntN(3) // the rows may come from several joins
		absent := 0
		for i := range records {
			o := Origin{int32(100*side + 10*records + 3*i + r.IntN(3)), r.Int64N(50)}
			// Of an absent side without Records it is only known that it comes behind a row that lacks its first record.
			if absent < records-1 && (m.node.Records[side] > 0 || i != 1) && r.IntN(3) == 0 {
				o.Part = -1
				absent++
			}
			place = AppendPlace(place, o)
		}
		if !m.given[string(place)] {
			m.given[string(place)] = true
			return place
		}
	}
}

func (w *joinWorld) fill(r *rand.Rand, size int) {
	base := []vec.Time{0, -7, vec.MinTime, vec.MaxTime - 60, 1_700_000_000_000_000}[r.IntN(5)]
	spread := []int64{1, 5, 30, 60}[r.IntN(4)]
	places := placeMaker{node: w.node, given: map[string]bool{}}
	for range r.IntN(size) {
		in := joinInput{side: r.IntN(2), part: r.IntN(3), ts: base + vec.Time(r.Int64N(spread))}
		if n := len(w.rows); n > 0 && r.IntN(3) == 0 {
			// On a bound of another row's band, or next to it.
			d := []vec.Time{w.node.Lo, w.node.Hi}[r.IntN(2)] + vec.Time(r.IntN(3)-1)
			if o := &w.rows[r.IntN(n)]; d > -1e6 && d < 1e6 {
				at := o.ts + d
				if o.side == 1 {
					at = o.ts - d
				}
				if at.InRange() {
					in.ts, in.side = at, 1-o.side
				}
			}
		}
		in.place = places.next(r, in.side, in.part)
		for c, t := range w.types[in.side] {
			v := vec.NewVector(t)
			v.Resize(1)
			in.cols = append(in.cols, v)
			if r.IntN(9) == 0 {
				v.SetNull(0)
				continue
			}
			x := r.Int64N(3) - 1
			if c >= w.node.Keys {
				x = r.Int64N(7) - 3
			}
			switch t.Phys() {
			case vec.PhysBool:
				v.Bools[0] = x > 0
			case vec.PhysI64:
				v.I64[0] = x
			case vec.PhysI128:
				v.I128[0].Lo, v.I128[0].Hi = uint64(x), x>>63
			case vec.PhysF64:
				v.F64[0] = float64(x) / 4
			case vec.PhysIval:
				v.Ivals[0] = vec.IntervalValue{Months: int32(x), Days: int32(-x), Micros: x * 1000}
			case vec.PhysBytes:
				v.AppendBytes(0, []byte([]string{"", "a", "b\x00", "\x00", "abc", "é", "d"}[x+3]))
			}
		}
		in.setKey(w.node.Keys)
		w.rows = append(w.rows, in)
	}
}

// plan deals the rows into steps of fewer than size such that no row is earlier than the cursor.
func (w *joinWorld) plan(r *rand.Rand, size int) {
	left := r.Perm(len(w.rows))
	slices.SortStableFunc(left, func(a, b int) int {
		return cmp.Compare(w.rows[a].ts/vec.Time(20), w.rows[b].ts/vec.Time(20)) // roughly in time
	})
	last := vec.NegInf
	for {
		n := min(len(left), r.IntN(size))
		s := joinStep{rows: left[:n], w: last}
		left = left[n:]
		most := vec.PosInf
		for _, i := range left {
			most = min(most, w.rows[i].ts)
		}
		switch {
		case len(left) == 0 && r.IntN(2) == 0:
			s.w = vec.PosInf
		case most == vec.PosInf:
			s.w = max(last, vec.Time(r.Int64N(100))+vec.MinTime)
			if k := len(w.rows); k > 0 {
				s.w = max(last, w.rows[r.IntN(k)].ts+vec.Time(r.Int64N(40)-10))
			}
		case r.IntN(4) > 0:
			s.w = max(last, most-vec.Time(r.Int64N(5)*r.Int64N(2)))
		}
		last = s.w
		w.steps = append(w.steps, s)
		if last == vec.PosInf {
			return
		}
	}
}

// due is max(t, t + d), which stays at the last finite time.
func naiveDue(t, d *big.Int) vec.Time {
	s := new(big.Int).Add(t, d)
	if s.Cmp(t) < 0 {
		s = t
	}
	if most := big.NewInt(math.MaxInt64 - 1); s.Cmp(most) > 0 {
		s = most
	}
	return vec.Time(s.Int64())
}

func (w *joinWorld) due(in *joinInput) vec.Time {
	d := big.NewInt(int64(w.node.Hi))
	if in.side == 1 {
		d = new(big.Int).Neg(big.NewInt(int64(w.node.Lo)))
	}
	return naiveDue(big.NewInt(int64(in.ts)), d)
}

// stays reports whether a row is stored while the cursor is at c.
func (w *joinWorld) stays(in *joinInput, c vec.Time) bool {
	return w.due(in) >= c && (w.node.Kind.keeps(in.side) || !in.null)
}

type naiveRow struct {
	t           vec.Time
	l, r        *joinInput
	order, text string
}

func (w *joinWorld) passes(l, r *joinInput) bool {
	d := r.ts - l.ts
	if d < w.node.Lo || d > w.node.Hi || l.null || r.null || l.key != r.key {
		return false
	}
	if w.node.Residual == nil {
		return true
	}
	a, b := l.cols[w.node.Keys], r.cols[w.node.Keys]
	if a.IsNull(0) || b.IsNull(0) {
		return false
	}
	switch w.node.Residual.(*expr.Op).Name() {
	case "<":
		return a.I64[0] < b.I64[0]
	case "=":
		return a.I64[0] == b.I64[0]
	}
	return a.I64[0] != b.I64[0]
}

// naive is the whole output by a nested loop.
func (w *joinWorld) naive() (out []naiveRow) {
	kind := w.node.Kind
	matched := map[*joinInput]vec.Time{} // by row that has a partner: the time of its first pair
	for i := range w.rows {
		for k := range w.rows {
			l, r := &w.rows[i], &w.rows[k]
			if l.side != 0 || r.side != 1 || !w.passes(l, r) {
				continue
			}
			t := max(l.ts, r.ts)
			for _, in := range []*joinInput{l, r} {
				if first, ok := matched[in]; !ok || t < first {
					matched[in] = t
				}
			}
			if kind != Semi && kind != Anti {
				out = append(out, naiveRow{t: t, l: l, r: r})
			}
		}
	}
	for i := range w.rows {
		in := &w.rows[i]
		t, ok := matched[in]
		switch {
		case in.side == 0 && ok && kind == Semi:
			out = append(out, naiveRow{t: t, l: in, r: nil})
		case in.side == 0 && !ok && (kind == Left || kind == Full || kind == Anti):
			out = append(out, naiveRow{t: w.due(in), l: in, r: nil})
		case in.side == 1 && !ok && (kind == Right || kind == Full):
			out = append(out, naiveRow{t: w.due(in), l: nil, r: in})
		}
	}
	for i := range out {
		row := &out[i]
		row.order = string(w.placeOf(0, row.l)) + string(w.placeOf(1, row.r))
		row.text = w.text(row)
	}
	slices.SortFunc(out, func(a, b naiveRow) int { return cmp.Or(cmp.Compare(a.t, b.t), strings.Compare(a.order, b.order)) })
	return out
}

// placeOf is the place of a row, or that of an absent side.
func (w *joinWorld) placeOf(side int, in *joinInput) []byte {
	if in == nil {
		return bytes.Repeat([]byte{0xFF}, max(1, w.node.Records[side]))
	}
	return in.place
}

func (w *joinWorld) text(row *naiveRow) string {
	f := []string{fmt.Sprint(vec.FloorDiv(int64(row.t), 1000)), placeText(row.order)}
	for side, in := range []*joinInput{row.l, row.r} {
		if side == 1 && (w.node.Kind == Semi || w.node.Kind == Anti) {
			continue
		}
		for c := range w.node.Columns[side] {
			if in == nil {
				f = append(f, "NULL")
			} else {
				f = append(f, cellText(in.cols[w.node.Keys+c], 0))
			}
		}
	}
	return strings.Join(f, "|")
}

func placeText(place string) string {
	var records []string
	for _, o := range Origins(nil, []byte(place)) {
		if o.Part < 0 {
			records = append(records, "-")
		} else {
			records = append(records, fmt.Sprint(o.Part, "@", o.Pos))
		}
	}
	return strings.Join(records, " ")
}

// joinRun is a run of a join in some number of shards.
type joinRun struct {
	t      testing.TB
	w      *joinWorld
	shards []Operator
	out    []outRow
}

func startJoin(t testing.TB, w *joinWorld, count int) *joinRun {
	x := &joinRun{t: t, w: w}
	for i := range count {
		x.shards = append(x.shards, w.node.New(Shard{i, count}))
	}
	return x
}

// apply hands rows of one side and partition to the shards.
func (x *joinRun) apply(r *rand.Rand, rows []int) {
	first := &x.w.rows[rows[0]]
	b := &Batch{}
	b.Batch = *vec.NewBatch(x.w.types[first.side]...)
	b.Resize(len(rows) + r.IntN(3))
	if r.IntN(2) == 0 {
		for _, c := range b.Cols {
			c.SetAllNull() // and none of the rows of a column need be
		}
	}
	b.Time, b.Hash = make([]vec.Time, b.N), make([]uint64, b.N)
	placed := x.w.node.Placed[first.side]
	if !placed {
		b.Pos = make([]int64, b.N)
	}
	sel := make([][]int32, len(x.shards))
	for i, k := range rows {
		in := &x.w.rows[k]
		b.Time[i] = in.ts
		if placed {
			b.Place = append(b.Place, in.place...)
			b.PlaceEnds = append(b.PlaceEnds, uint32(len(b.Place)))
		} else {
			o := Origins(nil, in.place)[0]
			b.Part, b.Pos[i] = int(o.Part), o.Pos
		}
		for c, v := range b.Cols {
			if in.cols[c].IsNull(0) {
				v.SetNull(i)
				continue
			}
			v.ClearNull(i)
			copyCell(v, i, in.cols[c])
		}
	}
	b.Keys.Build(b.Cols[:x.w.node.Keys], len(rows), nil)
	for i := range rows {
		b.Hash[i] = xxh3.Hash(b.Keys.Key(i))
		s := (Shard{Count: len(x.shards)}).Of(b.Hash[i])
		sel[s] = append(sel[s], int32(i))
	}
	for s, o := range x.shards {
		if len(sel[s]) == 0 {
			sel[s] = []int32{}
		}
		if err := o.Apply(first.side, b, sel[s]); err != nil {
			x.t.Fatal(err)
		}
	}
}

func copyCell(v *vec.Vector, i int, from *vec.Vector) {
	switch v.Type.Phys() {
	case vec.PhysBool:
		v.Bools[i] = from.Bools[0]
	case vec.PhysI64:
		v.I64[i] = from.I64[0]
	case vec.PhysI128:
		v.I128[i] = from.I128[0]
	case vec.PhysF64:
		v.F64[i] = from.F64[0]
	case vec.PhysIval:
		v.Ivals[i] = from.Ivals[0]
	case vec.PhysBytes:
		v.AppendBytes(i, from.Bytes(0))
	}
}

// advance moves all shards to c and merges what they emit, pausing now and then.
func (x *joinRun) advance(r *rand.Rand, c vec.Time) {
	var rows []outRow
	for _, o := range x.shards {
		before := ""
		for done := false; !done; {
			var err error
			done, err = o.Advance(c, func(out *Out) bool {
				rows = append(rows, x.collect(out, &before)...)
				return r.IntN(2) == 0
			})
			if err != nil {
				x.t.Fatal(err)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b outRow) int { return strings.Compare(a.order, b.order) })
	x.out = append(x.out, rows...)
}

func (x *joinRun) collect(out *Out, before *string) (rows []outRow) {
	sel := out.Sel
	if sel == nil {
		for i := range out.Cols.N {
			sel = append(sel, int32(i))
		}
	}
	if len(sel) == 0 || len(sel) > emitRows || len(out.Major) > 0 {
		x.t.Fatalf("emitted %d rows", len(sel))
	}
	for _, i := range sel {
		from := uint32(0)
		if i > 0 {
			from = out.OrderEnds[i-1]
		}
		row := outRow{order: string(out.Order[from:out.OrderEnds[i]])}
		if row.order <= *before {
			x.t.Fatalf("rows do not ascend: %x after %x", row.order, *before)
		}
		*before = row.order
		if ms := vec.FloorDiv(int64(binary.BigEndian.Uint64([]byte(row.order))^1<<63), 1000); ms != out.Times[i] {
			x.t.Fatalf("time %d of a row at %d", out.Times[i], ms)
		}
		f := []string{fmt.Sprint(out.Times[i]), placeText(row.order[out.PlaceAt:])}
		for _, v := range out.Cols.Cols {
			f = append(f, cellText(v, int(i)))
		}
		if (out.Key == nil) != (x.w.node.OutKey == nil) {
			x.t.Fatal("a key that is not asked for")
		}
		row.text = strings.Join(f, "|")
		rows = append(rows, row)
	}
	return rows
}

func (x *joinRun) save() []byte {
	var e vec.Encoder
	for _, o := range x.shards {
		o.Save(&e)
	}
	return e.Buf
}

func (x *joinRun) stored() (sides [2]int) {
	for _, o := range x.shards {
		s := o.Stat()
		for side, n := range s.Sides {
			sides[side] += n
		}
		if s.Groups != s.Sides[0]+s.Sides[1] || s.OpenWindows != 0 || s.Bytes < s.Groups*fixedBytes {
			x.t.Fatalf("%+v", s)
		}
	}
	return sides
}

// step applies the rows of a step in a random order and random batches, and advances.
func (x *joinRun) step(r *rand.Rand, s joinStep) {
	rows := slices.Clone(s.rows)
	r.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
	for len(rows) > 0 {
		first := &x.w.rows[rows[0]]
		most := 1 + r.IntN(8)
		var some, rest []int
		for _, i := range rows {
			if in := &x.w.rows[i]; in.side == first.side && in.part == first.part && len(some) < most {
				some = append(some, i)
			} else {
				rest = append(rest, i)
			}
		}
		x.apply(r, some)
		rows = rest
	}
	x.advance(r, s.w)
}

func TestAJoinIsTheNestedLoopInAnyOrder(t *testing.T) {
	compareJoins(t, 2000, 60, 6000)
}

func TestALargerJoinIsTheNestedLoopInAnyOrder(t *testing.T) {
	compareJoins(t, 60, 800, 20_000)
}

// compareJoins runs random joins in several numbers of shards, which must give at least so many rows altogether.
func compareJoins(t *testing.T, rounds, size, least int) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	emitted, alone := 0, 0
	for round := range rounds {
		w := randomJoin(t, r, size)
		all := w.naive()
		emitted += len(all)
		counts := []int{1, 2, 3, 16}
		r.Shuffle(len(counts), func(a, b int) { counts[a], counts[b] = counts[b], counts[a] })
		states := make([][]byte, len(w.steps))
		for n, count := range counts[:2] {
			x := startJoin(t, w, count)
			var applied []*joinInput
			for at, s := range w.steps {
				x.step(r, s)
				var want, got []string
				for _, row := range all {
					if row.t < s.w {
						want = append(want, row.text)
					}
				}
				for _, row := range x.out {
					got = append(got, row.text)
				}
				if !slices.Equal(got, want) {
					t.Fatalf("round %d, %d shards, at %d: %s\ngot\n%s\nwant\n%s", round, count, s.w, w.node.Describe(), strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
				stored := [2]int{}
				for _, i := range s.rows {
					applied = append(applied, &w.rows[i])
				}
				for _, in := range applied {
					if w.stays(in, s.w) {
						stored[in.side]++
					}
				}
				if got := x.stored(); got != stored {
					t.Fatalf("round %d: %s\n%v rows stored at %d, want %v", round, w.node.Describe(), got, s.w, stored)
				}
				if s.w == vec.PosInf {
					break
				}
				state := x.save()
				if n == 0 {
					states[at] = state
				} else if !bytes.Equal(states[at], state) {
					t.Fatalf("round %d: %s\nthe states of %d and of %d shards differ", round, w.node.Describe(), counts[0], count)
				}
				goOn := r.IntN(4) == 0
				count := 1 + r.IntN(2)
				if goOn {
					count = []int{1, 2, 3, 16}[r.IntN(4)]
				}
				y := startJoin(t, w, count)
				for _, o := range y.shards {
					if err := o.Load(&vec.Decoder{Buf: state}); err != nil {
						t.Fatalf("round %d: %s\n%v", round, w.node.Describe(), err)
					}
				}
				if !bytes.Equal(y.save(), state) || y.stored() != stored {
					t.Fatal("a loaded state is another")
				}
				if goOn {
					y.out, x = x.out, y
				}
			}
			if len(x.save()) != 0 {
				t.Fatal("at the end there is state")
			}
		}
		for _, row := range all {
			if row.l == nil || row.r == nil {
				alone++
			}
		}
	}
	if emitted < least || alone < least/20 {
		t.Fatalf("only %d rows, %d of one side", emitted, alone)
	}
}
