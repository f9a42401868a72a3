package op

import (
	"bytes"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/agg"
	"ubik/internal/exact"
	"ubik/internal/expr"
	"ubik/internal/vec"
)

// world is a random query with its input.
type world struct {
	node *WindowAggregate
	in   *vec.Batch // keys, then amount DECIMAL(18,2), x DOUBLE, s VARCHAR, big HUGEINT, flag BOOLEAN
	time []vec.Time
	wm   []vec.Time
	rows []int32 // those that are not late for all
	many int64   // HAVING count(*) > many; -1: none
}

func call(t testing.TB, name string, arg int, typ vec.Type, filter int) AggCall {
	var args []vec.Type
	text := name + "(*)"
	if arg >= 0 {
		args = []vec.Type{typ}
		text = fmt.Sprintf("%s(#%d)", name, arg)
	}
	f, err := agg.Resolve(name, args)
	if err != nil {
		t.Fatal(err)
	}
	return AggCall{Fn: f, Arg: arg, Filter: filter, Name: text}
}

// allColumns selects every column of the emission batch, or from one column on.
func allColumns(n *WindowAggregate, from int) (es []expr.Expr) {
	for i, c := range n.Emission() {
		if i >= from {
			es = append(es, &expr.Column{Index: i, Name: c.Name, T: c.Type})
		}
	}
	return es
}

func randomWorld(t testing.TB, r *rand.Rand) *world {
	w := &world{node: &WindowAggregate{}, many: -1}
	keyTypes := []vec.Type{vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Int32), vec.DecimalType(9, 2), vec.TypeOf(vec.HugeInt),
		vec.TypeOf(vec.Bool), vec.TypeOf(vec.Double), vec.TypeOf(vec.Date), vec.TypeOf(vec.Timestamp), vec.DecimalType(38, 3), vec.TypeOf(vec.Blob)}
	for i := range r.IntN(4) {
		w.node.Keys = append(w.node.Keys, vec.Field{Name: fmt.Sprintf("k%d", i), Type: keyTypes[r.IntN(len(keyTypes))]})
	}
	k := len(w.node.Keys)
	types := []vec.Type{}
	for _, f := range w.node.Keys {
		types = append(types, f.Type)
	}
	dec, dbl, str, huge, flag := vec.DecimalType(18, 2), vec.TypeOf(vec.Double), vec.TypeOf(vec.Varchar), vec.TypeOf(vec.HugeInt), vec.TypeOf(vec.Bool)
	types = append(types, dec, dbl, str, huge, flag)
	filter := func() int { return []int{-1, k + 4}[r.IntN(2)] }
	w.node.Aggs = []AggCall{call(t, "count", -1, vec.Type{}, -1), call(t, "sum", k, dec, filter()), call(t, "max", k+2, str, filter()),
		call(t, "avg", k+1, dbl, filter()), call(t, "count", k+2, str, filter()), call(t, "sum", k+3, huge, -1)}
	w.node.Select = allColumns(w.node, 0)
	w.node.OutKey = allColumns(w.node, 0)[:ColKeys+k]
	if r.IntN(3) == 0 {
		w.many = r.Int64N(3)
		var err error
		count := w.node.Select[ColKeys+k]
		if w.node.Having, err = expr.NewBinary(">", count, expr.NewInteger(w.many)); err != nil {
			t.Fatal(err)
		}
	}
	switch r.IntN(8) {
	case 0:
	case 1:
		w.node.Window = &Window{Size: mon(1 + r.Int32N(3)), Slide: mon(1 + r.Int32N(3))}
	case 2, 3:
		w.node.Window = tumble(us(10))
	default:
		w.node.Window = &Window{Size: us(1 + r.Int64N(30)), Slide: us(1 + r.Int64N(15)), Offset: us(r.Int64N(5))}
	}
	w.fill(r, types)
	return w
}

func (w *world) fill(r *rand.Rand, types []vec.Type) {
	n := r.IntN(80)
	w.in = vec.NewBatch(types...)
	w.in.Resize(n)
	for c, v := range w.in.Cols {
		for i := 0; i < n; i++ {
			if c < len(w.in.Cols)-1 && r.IntN(6) == 0 {
				v.SetNull(i)
				continue
			}
			x := r.Int64N(4) - 1
			switch v.Type.Phys() {
			case vec.PhysBool:
				v.Bools[i] = x > 0
			case vec.PhysI64:
				v.I64[i] = x
			case vec.PhysI128:
				v.I128[i] = exact.MulInt64(x, 1<<62)
			case vec.PhysF64:
				v.F64[i] = float64(x) * []float64{0.1, 1e200, 1}[r.IntN(3)]
			case vec.PhysBytes:
				v.AppendBytes(i, []byte([]string{"", "a", "a\x00", "\x00", "ab"}[r.IntN(5)]))
			}
		}
	}
	w.time, w.wm = make([]vec.Time, n), make([]vec.Time, n)
	unit := int64(1)
	if w.node.Window != nil && w.node.Window.Size.Months > 0 {
		unit = 20 * int64(vec.Day)
	}
	delay := vec.Time(r.Int64N(20) * unit)
	top, at := vec.NegInf, originMicros+vec.Time(r.Int64N(100)*unit)
	for i := range w.time {
		at += vec.Time(r.Int64N(4) * unit)
		w.time[i] = at - vec.Time(r.Int64N(25)*unit)
		w.wm[i] = top.Sub(delay)
		top = max(top, w.time[i])
		if w.node.Window == nil || w.lastEnd(i) > w.wm[i] {
			w.rows = append(w.rows, int32(i))
		}
	}
}

func (w *world) lastEnd(i int) vec.Time {
	last := vec.NegInf
	for _, e := range windowsOf(w.node.Window, w.time[i]) {
		last = e
	}
	return last
}

// naive is the whole output the plain way: one line a row.
func (w *world) naive() []string {
	type group struct {
		start, end vec.Time
		key        string
		rows       []int
	}
	groups := map[string]*group{}
	add := func(start, end vec.Time, i int) {
		key := []byte{}
		k := len(w.node.Keys)
		for c := 0; c < k && i >= 0; c++ {
			key = vec.AppendKey(key, w.in.Cols[c], i, c == k-1)
		}
		id := fmt.Sprintf("%020d %020d %x", end+1<<60, start+1<<60, key)
		if groups[id] == nil {
			groups[id] = &group{start: start, end: end, key: string(key)}
		}
		if i >= 0 {
			groups[id].rows = append(groups[id].rows, i)
		}
	}
	for _, r := range w.rows {
		i := int(r)
		if w.node.Window == nil {
			add(0, 0, i)
			continue
		}
		for s, e := range windowsOf(w.node.Window, w.time[i]) {
			if e > w.wm[i] {
				add(s, e, i)
			}
		}
	}
	if w.node.Window == nil && len(w.node.Keys) == 0 && len(groups) == 0 {
		add(0, 0, -1)
	}
	var ids []string
	for id := range groups {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	var out []string
	for _, id := range ids {
		g := groups[id]
		if int64(len(g.rows)) <= w.many {
			continue
		}
		var f []string
		if w.node.Window == nil {
			f = append(f, "NULL", "NULL")
		} else {
			f = append(f, fmt.Sprint(int64(g.start)), fmt.Sprint(int64(g.end)))
		}
		for c := range w.node.Keys {
			f = append(f, cellText(w.in.Cols[c], g.rows[0]))
		}
		for _, a := range w.node.Aggs {
			f = append(f, w.result(a, g.rows))
		}
		out = append(out, strings.Join(f, "|"))
	}
	return out
}

func (w *world) result(a AggCall, rows []int) string {
	var some []int
	for _, i := range rows {
		if a.Filter >= 0 && (w.in.Cols[a.Filter].IsNull(i) || !w.in.Cols[a.Filter].Bools[i]) {
			continue
		}
		if a.Arg >= 0 && w.in.Cols[a.Arg].IsNull(i) {
			continue
		}
		some = append(some, i)
	}
	if strings.HasPrefix(a.Fn.Entry.Name, "count") {
		return fmt.Sprint(len(some))
	}
	if len(some) == 0 {
		return "NULL"
	}
	v := w.in.Cols[a.Arg]
	out := vec.NewVector(a.Fn.Result)
	out.Resize(1)
	switch v.Type.Phys() {
	case vec.PhysBytes:
		best := v.Bytes(some[0])
		for _, i := range some {
			if bytes.Compare(v.Bytes(i), best) > 0 {
				best = v.Bytes(i)
			}
		}
		return fmt.Sprintf("%q", best)
	case vec.PhysF64:
		sum := new(big.Rat)
		for _, i := range some {
			sum.Add(sum, new(big.Rat).SetFloat64(v.F64[i]))
		}
		out.F64[0], _ = sum.Quo(sum, big.NewRat(int64(len(some)), 1)).Float64()
	default:
		sum := new(big.Int)
		for _, i := range some {
			if v.Type.Phys() == vec.PhysI64 {
				sum.Add(sum, big.NewInt(v.I64[i]))
				continue
			}
			x, _ := new(big.Int).SetString(v.I128[i].String(), 10)
			sum.Add(sum, x)
		}
		out.I128[0], _ = exact.ParseInt128([]byte(sum.String()))
	}
	return cellText(out, 0)
}

func cellText(v *vec.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Type.Kind == vec.Timestamp:
		return fmt.Sprint(v.I64[i])
	case v.Type.Kind == vec.Double && v.F64[i] == 0:
		return "0.0"
	case v.Type.Phys() == vec.PhysBytes:
		return fmt.Sprintf("%q", v.Bytes(i))
	}
	return string(expr.AppendText(nil, v, i))
}

// run is a run of the world in some number of shards.
type testRun struct {
	t      testing.TB
	w      *world
	shards []Operator
	out    []outRow
}

type outRow struct {
	order string
	text  string
}

func start(t testing.TB, w *world, count int) *testRun {
	x := &testRun{t: t, w: w}
	for i := range count {
		x.shards = append(x.shards, w.node.New(Shard{i, count}))
	}
	return x
}

// apply hands rows of the input to the shards, columns copied so that a row number means something else each time.
func (x *testRun) apply(rows []int32) {
	w := x.w
	for s, o := range x.shards {
		b := &Batch{Time: w.time, WM: w.wm}
		b.Batch = *w.in
		b.Keys.Build(w.in.Cols[:len(w.node.Keys)], w.in.N, nil)
		b.Hash = make([]uint64, w.in.N)
		sel := []int32{}
		for i := range b.Hash {
			b.Hash[i] = xxh3.Hash(b.Keys.Key(i))
		}
		for _, i := range rows {
			if (Shard{Count: len(x.shards)}).Of(b.Hash[i]) == s {
				sel = append(sel, i)
			}
		}
		if err := o.Apply(0, b, sel); err != nil {
			x.t.Fatal(err)
		}
	}
}

// advance moves all shards to wm and merges what they emit, pausing now and then.
func (x *testRun) advance(r *rand.Rand, wm vec.Time) {
	var rows []outRow
	for _, o := range x.shards {
		before := ""
		for {
			done, err := o.Advance(wm, func(out *Out) bool {
				rows = append(rows, x.collect(out, &before)...)
				return r.IntN(2) == 0
			})
			if err != nil {
				x.t.Fatal(err)
			}
			if done {
				break
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b outRow) int { return strings.Compare(a.order, b.order) })
	x.out = append(x.out, rows...)
}

func (x *testRun) collect(out *Out, before *string) (rows []outRow) {
	sel := out.Sel
	if sel == nil {
		for i := range out.Cols.N {
			sel = append(sel, int32(i))
		}
	} else if len(sel) == out.Cols.N {
		x.t.Fatal("a selection that removes nothing is not nil")
	}
	if len(sel) == 0 {
		x.t.Fatal("emitted no rows")
	}
	for _, i := range sel {
		from := uint32(0)
		if i > 0 {
			from = out.OrderEnds[i-1]
		}
		if out.PlaceAt != -1 {
			x.t.Fatalf("a group has a place at %d", out.PlaceAt)
		}
		row := outRow{order: string(out.Major) + string(out.Order[from:out.OrderEnds[i]])}
		if row.order <= *before && *before != "" {
			x.t.Fatal("rows do not ascend")
		}
		*before = row.order
		var f []string
		for _, c := range out.Cols.Cols {
			f = append(f, cellText(c, int(i)))
		}
		for c := range out.Key.Cols {
			if cellText(out.Key.Cols[c], int(i)) != f[c] {
				x.t.Fatal("the key is not that of the row")
			}
		}
		end := out.Cols.Cols[ColWindowEnd]
		if ms := out.Times[i]; end.IsNull(int(i)) && ms != 0 || !end.IsNull(int(i)) && ms != vec.FloorDiv(end.I64[i]-1000, 1000) {
			x.t.Fatalf("time %d of a row", ms)
		}
		row.text = strings.Join(f, "|")
		rows = append(rows, row)
	}
	return rows
}

func (x *testRun) save() []byte {
	var e vec.Encoder
	for _, o := range x.shards {
		o.Save(&e)
	}
	return e.Buf
}

func (x *testRun) load(state []byte) {
	for _, o := range x.shards {
		if err := o.Load(&vec.Decoder{Buf: state}); err != nil {
			x.t.Fatal(err)
		}
	}
}

func (x *testRun) stat() (s Stat) {
	for _, o := range x.shards {
		p := o.Stat()
		s.OpenWindows = max(s.OpenWindows, p.OpenWindows)
		s.Groups += p.Groups
	}
	return s
}

func TestOutputAndStateAreThoseOfTheNaiveEvaluatorInAnyOrder(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	partly := 0
	for round := 0; round < 1500; round++ {
		w := randomWorld(t, r)
		want := w.naive()
		// W before row i is at most every later row's own watermark.
		most := func(from int) vec.Time {
			m := vec.PosInf
			for _, i := range w.rows {
				if int(i) >= from {
					m = min(m, w.wm[i])
				}
			}
			return m
		}
		n := w.in.N
		cut := 0
		if n > 0 {
			cut = r.IntN(n)
		}
		wCut := most(cut)
		if wCut == vec.PosInf {
			wCut = originMicros - 5
		}
		var states [][]byte
		for _, shards := range []int{1, 2, 3, 16}[:2+r.IntN(3)] {
			x := start(t, w, shards)
			from, last := 0, vec.NegInf
			phase := func(to int, stop vec.Time) {
				for from < to {
					next := min(to, from+1+r.IntN(30))
					var rows []int32
					for _, i := range w.rows {
						if int(i) >= from && int(i) < next {
							rows = append(rows, i)
						}
					}
					r.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
					for len(rows) > 0 {
						k := 1 + r.IntN(len(rows))
						x.apply(rows[:k])
						rows = rows[k:]
					}
					from = next
					if m := min(most(from), stop); m > last && r.IntN(2) == 0 {
						last = m
						x.advance(r, m)
					}
				}
				if stop > last {
					last = stop
					x.advance(r, stop)
				}
			}
			phase(cut, wCut)
			state := x.save()
			if again := x.save(); !bytes.Equal(again, state) {
				t.Fatal("saved twice, two states")
			}
			states = append(states, state)
			if !bytes.Equal(states[0], state) {
				t.Fatalf("%s: the states of 1 and of %d shards differ", w.node.Describe(), shards)
			}
			if r.IntN(2) == 0 {
				y := start(t, w, []int{1, 2, 3, 16}[r.IntN(4)])
				y.load(state)
				if !bytes.Equal(y.save(), state) {
					t.Fatal("a loaded state is saved otherwise")
				}
				if a, b := x.stat().Groups, y.stat().Groups; a != b {
					t.Fatalf("%d groups, after loading %d", a, b)
				}
				y.out = x.out
				x = y
			}
			phase(n, vec.PosInf)
			var got []string
			for _, row := range x.out {
				got = append(got, row.text)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, %d shards: %s\ngot\n%s\nwant\n%s", round, shards, w.node.Describe(), strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if s := x.stat(); s.Groups != 0 || s.OpenWindows != 0 {
				t.Fatalf("at the end there are %+v", s)
			}
			if len(x.save()) != 0 {
				t.Fatal("at the end there is state")
			}
		}
		if w.node.Window != nil {
			for _, i := range w.rows {
				for _, e := range windowsOf(w.node.Window, w.time[i]) {
					if e <= w.wm[i] {
						partly++
						break
					}
				}
			}
		}
	}
	if partly == 0 {
		t.Fatal("no row was partly late")
	}
}
