package op

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// scriptedJoin is a join of rows with a text key and a number, which is its position.
func scriptedJoin(t testing.TB, kind JoinKind, lo, hi vec.Time) *joinRun {
	i64 := []vec.Type{vec.TypeOf(vec.Int64)}
	n := &BandJoin{Kind: kind, Keys: 1, Columns: [2][]vec.Type{i64, i64}, Lo: lo, Hi: hi}
	n.Select = joinColumns(n.Columns)
	if kind == Semi || kind == Anti {
		n.Select = n.Select[:1]
	}
	w := &joinWorld{node: n}
	for side := range w.types {
		w.types[side] = []vec.Type{vec.TypeOf(vec.Varchar), i64[0]}
	}
	return startJoin(t, w, 1)
}

// row applies a row, a NULL key being "-".
func (x *joinRun) row(side int, key string, ts vec.Time, number int64) {
	k, v := vec.NewVector(vec.TypeOf(vec.Varchar)), vec.NewVector(vec.TypeOf(vec.Int64))
	k.Resize(1)
	v.Resize(1)
	k.AppendBytes(0, []byte(key))
	if key == "-" {
		k.SetNull(0)
	}
	v.I64[0] = number
	in := joinInput{side: side, place: AppendPlace(nil, Origin{0, number}), ts: ts, cols: []*vec.Vector{k, v}}
	in.setKey(1)
	x.w.rows = append(x.w.rows, in)
	x.apply(rand.New(rand.NewPCG(1, 1)), []int{len(x.w.rows) - 1})
}

// to advances and returns what leaves: the numbers of the left and the right row.
func (x *joinRun) to(w vec.Time) string {
	x.out = x.out[:0]
	x.advance(rand.New(rand.NewPCG(1, 1)), w)
	var rows []string
	for _, r := range x.out {
		f := strings.Split(r.text, "|")
		row := f[2]
		if len(f) == 4 {
			row += "," + f[3]
		}
		rows = append(rows, strings.ReplaceAll(row, "NULL", "-"))
	}
	return strings.Join(rows, " ")
}

func (x *joinRun) want(got, want string, stored int) {
	x.t.Helper()
	kept := x.stored()
	if n := kept[0] + kept[1]; got != want || n != stored {
		x.t.Fatalf("got %q and %d rows stored, want %q and %d", got, n, want, stored)
	}
}

func TestARowLeavesWhenTheCursorHasPassedItsTime(t *testing.T) {
	x := scriptedJoin(t, Full, -3, 10)
	x.row(0, "a", 100, 1)
	x.row(1, "a", 110, 2) // on the upper bound
	x.row(1, "a", 111, 3) // beyond it
	x.row(1, "a", 97, 4)  // on the lower bound
	x.row(1, "a", 96, 5)  // before it, until 99
	x.want(x.to(96), "", 5)
	x.want(x.to(99), "", 5)
	x.want(x.to(100), "-,5", 4)
	x.want(x.to(101), "1,4", 3)
	x.want(x.to(110), "", 3)
	x.want(x.to(111), "1,2", 2)
	x.want(x.to(114), "", 1)
	x.want(x.to(115), "-,3", 0)
}

func TestARowThatMatchedIsNotNullExtendedWhicheverSideGoesFirst(t *testing.T) {
	for _, band := range [][2]vec.Time{{-50, 5}, {-5, 50}} { // the left row goes first, the right one does
		x := scriptedJoin(t, Full, band[0], band[1])
		x.row(0, "a", 100, 1)
		x.row(1, "a", 102, 2)
		x.want(x.to(103), "1,2", 2)
		x.want(x.to(120), "", 1)
		x.want(x.to(vec.PosInf), "", 0)
	}
}

func TestARowThatArrivesAsItsPartnerIsAboutToGoStillMeetsIt(t *testing.T) {
	x := scriptedJoin(t, Left, 0, 10)
	x.row(0, "a", 100, 1)
	x.want(x.to(110), "", 1) // the left row goes when 111 is reached
	x.row(1, "a", 110, 2)
	x.want(x.to(111), "1,2", 0)
}

func TestABandWhollyBeforeOrBehindKeepsOneSideOnly(t *testing.T) {
	x := scriptedJoin(t, Left, -20, -10) // right rows come first
	x.row(0, "a", 100, 1)
	x.row(1, "a", 85, 2)
	x.row(1, "a", 91, 3)
	x.row(0, "a", 112, 4)
	x.want(x.to(86), "", 4)
	x.want(x.to(101), "1,2", 3) // a left row is of no use behind its own time
	x.want(x.to(112), "", 1)
	x.want(x.to(113), "4,-", 0)

	x = scriptedJoin(t, Right, 10, 20) // left rows come first
	x.row(1, "a", 100, 1)
	x.row(0, "a", 85, 2)
	x.row(1, "a", 94, 3)
	x.want(x.to(95), "-,3", 2)
	x.want(x.to(101), "2,1", 1)
	x.want(x.to(106), "", 0)
}

func TestSemiAndAntiGiveALeftRowOnce(t *testing.T) {
	for _, residual := range []bool{false, true} {
		for _, kind := range []JoinKind{Semi, Anti} {
			x := scriptedJoin(t, kind, -5, 5)
			if residual {
				cols := joinColumns(x.w.node.Columns)
				var err error
				if x.w.node.Residual, err = expr.NewBinary("<", cols[0], cols[1]); err != nil {
					t.Fatal(err)
				}
				x = startJoin(t, x.w, 1)
			}
			x.row(0, "a", 100, 1)
			x.row(1, "a", 104, 9)
			x.row(1, "a", 101, 8)
			x.row(1, "a", 101, 7)
			x.row(1, "a", 99, 0) // the residual refuses it
			x.row(0, "-", 100, 2)
			x.row(1, "-", 100, 3)
			first, second := "1", ""
			if residual {
				first, second = "", "1"
			}
			rest := ""
			if kind == Anti {
				first, second, rest = "", "", "2"
			}
			x.want(x.to(100), "", 5+int(kind-Semi))
			x.want(x.to(101), first, 5+int(kind-Semi))
			x.want(x.to(102), second, 5+int(kind-Semi))
			if got := x.to(vec.PosInf); got != rest {
				t.Fatalf("%s: %q at the end", kind, got)
			}
		}
	}
}

func TestRowsWithANullKeyLeaveAloneOrAreNotStored(t *testing.T) {
	for kind, want := range []string{"0", "1 1,-", "1 -,2", "2 1,- -,2", "0", "1 1"} {
		x := scriptedJoin(t, JoinKind(kind), 0, 0)
		x.row(0, "-", 5, 1)
		x.row(1, "-", 5, 2)
		kept := x.stored()
		if got := strings.TrimSpace(fmt.Sprint(kept[0]+kept[1], " ", x.to(vec.PosInf))); got != want {
			t.Errorf("%s: %q, want %q", JoinKind(kind), got, want)
		}
	}
}

// All pairs of two rows leave at one time: nothing may hold them all at once.
func TestAMomentOfManyPairsLeavesPieceByPiece(t *testing.T) {
	const n = 700
	for _, residual := range []bool{false, true} {
		x := scriptedJoin(t, Full, -1, 1)
		if residual {
			cols := joinColumns(x.w.node.Columns)
			var err error
			if x.w.node.Residual, err = expr.NewBinary("<>", cols[0], cols[1]); err != nil {
				t.Fatal(err)
			}
			x = startJoin(t, x.w, 1)
		}
		for i := range int64(n) {
			x.row(0, "a", 10, n-i)
			x.row(1, "a", 10+vec.Time(i%2), i+1)
		}
		o := x.shards[0]
		most, calls, pairs, before := 0, 0, 0, ""
		for done := false; !done; {
			var err error
			done, err = o.Advance(vec.PosInf, func(out *Out) bool {
				calls++
				pairs += len(x.collect(out, &before))
				most = max(most, o.Stat().Bytes)
				return calls%3 == 0
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		want := n * n
		if residual {
			want -= n
		}
		if pairs != want || calls < n*n/emitRows || most > 4*2*n*100 {
			t.Fatalf("%d pairs in %d calls, at most %d bytes", pairs, calls, most)
		}
	}
}

func TestMemoryFollowsTheBandNotTheStream(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	for kind := Inner; kind <= Anti; kind++ {
		n := settlements(kind)
		n.Hi = 10_000_000
		o := n.New(Shard{0, 1}).(*bandJoin)
		emit := func(*Out) bool { return true }
		most := 0
		for first := int64(0); first < 160_000; first += 4000 {
			for side := range 2 {
				if err := o.Apply(side, settlementBatch(r, side, first, 4000), nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := o.Advance(vec.Time(first*1000), emit); err != nil {
				t.Fatal(err)
			}
			s := o.Stat()
			most = max(most, s.Bytes)
			if s.Groups > 40_000 {
				t.Fatalf("%s: %d rows stored", kind, s.Groups)
			}
		}
		if most > 40_000*400 {
			t.Fatalf("%s: %d bytes", kind, most)
		}
		if _, err := o.Advance(vec.PosInf, emit); err != nil {
			t.Fatal(err)
		}
		if s := o.Stat(); s.Groups != 0 || o.store.inUse() > 2 || o.keys.n != 0 {
			t.Fatalf("%s: at the end %+v, %d pages, %d keys", kind, s, o.store.inUse(), o.keys.n)
		}
	}
}

// More rows than fit a slice, and batches, of few keys and of many, against sorted lists by key.
func TestALargeJoinIsThatOfItsKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	n := settlements(Inner)
	for _, often := range []bool{true, false} {
		o := n.New(Shard{0, 1})
		got, last := 0, ""
		emit := func(out *Out) bool {
			from := uint32(0)
			for i, to := range out.OrderEnds {
				order := string(out.Order[from:to])
				if from = to; order <= last {
					t.Fatal("rows do not ascend")
				}
				last = order
				got++
				if took := out.Times[i]*1000 - out.Cols.Cols[3].I64[i]; took < -1000 || took > 600_000_000 {
					t.Fatalf("a pair of rows %d µs apart", took)
				}
			}
			return r.IntN(2) == 0
		}
		advance := func(w vec.Time) {
			for done := false; !done; {
				var err error
				if done, err = o.Advance(w, emit); err != nil {
					t.Fatal(err)
				}
			}
		}
		times := [2]map[string][]vec.Time{{}, {}}
		for first := int64(0); first < 100_000; first += 4000 {
			for side := range 2 {
				b := settlementBatch(r, side, first, 4000)
				for i := range b.N {
					key := string(b.Keys.Key(i))
					times[side][key] = append(times[side][key], b.Time[i])
				}
				if err := o.Apply(side, b, nil); err != nil {
					t.Fatal(err)
				}
			}
			if often {
				advance(vec.Time(first * 1000))
			}
		}
		advance(vec.PosInf)
		want := 0
		for key, ls := range times[0] {
			for _, l := range ls {
				for _, r := range times[1][key] {
					if r >= l && r <= l+n.Hi {
						want++
					}
				}
			}
		}
		if got != want || want < 80_000 {
			t.Fatalf("%d pairs, want %d", got, want)
		}
	}
}

func TestPendingRowsAreTakenInTheOrderOfTime(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, spread := range []int64{1, 1000, 1 << 40} {
		var store pageStore
		p := pendingRows{store: &store}
		var row joinRow
		var want []vec.Time
		cursor := vec.Time(-spread)
		for range 12 {
			for range r.IntN(20_000) {
				ts := cursor + vec.Time(r.Int64N(spread))
				row = startRow(row, 0, ts, 0).withRecord(Origin{})
				row = endRow(append(row, byte(ts), byte(ts>>8)))
				p.put(row)
				want = append(want, ts)
			}
			slices.Sort(want)
			cursor += vec.Time(r.Int64N(spread/3 + 2))
			for until := vec.NegInf; until < cursor; {
				var slice rowBucket
				var s sorter
				next := p.take(cursor, &slice)
				s.sortByTime(&store, &slice)
				for _, it := range s.items {
					r := store.row(it.group)
					ts, rest := r.ts(), r.columns()
					if ts != want[0] || ts < until || ts >= next || rest[0] != byte(ts) || rest[1] != byte(ts>>8) {
						t.Fatalf("seed %d: took %d, want %d, of [%d, %d)", seed, ts, want[0], until, next)
					}
					want = want[1:]
				}
				until = next
				slice.clear(&store)
			}
			if len(want) > 0 && want[0] < cursor {
				t.Fatalf("seed %d: %d is still pending at %d", seed, want[0], cursor)
			}
		}
	}
}

func TestKeysGoWithTheirLastRow(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, spread := range []uint64{1, 7, 1 << 60} { // hashes that collide, and some that do not
		var store pageStore
		k := joinKeys{store: &store}
		cells, rows := map[string]uint32{}, map[string]int{}
		var live []string
		check := func(key string) {
			if got := k.at(cells[key]); string(got.text()) != key || int(got.rows()) != rows[key] {
				t.Fatalf("seed %d: key %.20q has %d rows, want %d", seed, got.text(), got.rows(), rows[key])
			}
		}
		for step := range 30_000 {
			if step%10_000 < 6000 || len(live) == 0 {
				x := r.Uint64N(2000)
				key := fmt.Sprintf("key-%d", x)
				switch {
				case x%100 == 0:
					key += strings.Repeat("+", 5000)
				case x%10 == 0:
					key += strings.Repeat("-", int(x)%1000)
				}
				addr := k.add(x*0x9E3779B97F4A7C15%spread, []byte(key))
				if rows[key] > 0 && cells[key] != addr {
					t.Fatalf("seed %d: key %q is at %d, was at %d", seed, key, addr, cells[key])
				}
				cells[key] = addr
				rows[key]++
				live = append(live, key)
				check(key)
				continue
			}
			i := r.IntN(len(live))
			key := live[i]
			live[i] = live[len(live)-1]
			live = live[:len(live)-1]
			check(key)
			k.release(cells[key])
			if rows[key]--; rows[key] == 0 {
				delete(rows, key)
			}
			store.recycle()
			if k.n != len(rows) {
				t.Fatalf("seed %d: %d keys, want %d", seed, k.n, len(rows))
			}
		}
		var s sorter
		order, groups := k.sorted(&s)
		for i := range order {
			key := k.at(order[i]).text()
			h := xxh3.Hash(key)
			if groups[h>>56]--; i == 0 {
				continue
			}
			before := k.at(order[i-1]).text()
			if b := xxh3.Hash(before); b > h || b == h && string(before) >= string(key) {
				t.Fatalf("seed %d: keys are out of order", seed)
			}
		}
		if len(order) != len(rows) || groups != [KeyGroups]int{} {
			t.Fatalf("seed %d: %d keys in order, want %d; %v", seed, len(order), len(rows), groups)
		}
	}
}

func TestTheTextOfAJoin(t *testing.T) {
	n := settlements(Left)
	cols := joinColumns(n.Columns)
	var err error
	if n.Residual, err = expr.NewBinary("<", cols[1], cols[4]); err != nil {
		t.Fatal(err)
	}
	n.OutKey = cols[:1]
	want := "BAND JOIN LEFT KEYS 1 FROM 0 TO 600000000 LEFT VARCHAR, DECIMAL(18,2), TIMESTAMP RIGHT VARCHAR, DECIMAL(18,2), TIMESTAMP" +
		" RESIDUAL (l1 < r1) SELECT l0, l1, r1, l2 KEY l0"
	if got := n.Describe(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAFaultOfAJoinedRowNamesItsRecords(t *testing.T) {
	for _, residual := range []bool{true, false} {
		x := scriptedJoin(t, Inner, -5, 5)
		n := x.w.node
		cols := joinColumns(n.Columns)
		sum, err := expr.NewBinary("+", cols[0], cols[1])
		if err != nil {
			t.Fatal(err)
		}
		n.Select = []expr.Expr{sum}
		if residual {
			if n.Residual, err = expr.NewBinary("<", sum, expr.NewInteger(5)); err != nil {
				t.Fatal(err)
			}
		}
		x = startJoin(t, x.w, 1)
		x.row(0, "a", 1_000_000, 9_223_372_036_854_775_807)
		x.row(1, "a", 1_000_002, 2)
		_, err = x.shards[0].Advance(vec.PosInf, func(*Out) bool { t.Fatal("a row left"); return true })
		what := "(l0 + r0)"
		if residual {
			what = n.Residual.String()
		}
		want := what + " of the joined row at 1970-01-01 00:00:01.000002 of partition 0, position 9223372036854775807" +
			" and partition 0, position 2: "
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got\n%v\nwant\n%s", err, want)
		}
	}
}

func TestAFaultOfAJoinOfJoinsNamesTheRecordsThatAreThere(t *testing.T) {
	e := &RowError{What: "x", Origins: Origins(nil, AppendPlace(AppendPlace(AppendPlace(nil, Origin{1, 2}), Origin{Part: -1}), Origin{3, 4})), Reason: ": y"}
	if got, want := e.Error(), "x of partition 1, position 2 and partition 3, position 4: y"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if e.Origins = append(e.Origins, Origin{5, 6}); e.Error() != "x of partition 1, position 2 and partition 3, position 4 and partition 5, position 6: y" {
		t.Errorf("got %s", e.Error())
	}
}

func TestAJoinDoesNotTakeARowBehindTheCursor(t *testing.T) {
	x := scriptedJoin(t, Inner, 0, 0)
	x.to(10)
	x.row(0, "a", 10, 1)
	defer func() {
		if got, want := fmt.Sprint(recover()), "op: a row at 9 joins after the cursor passed 10"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}()
	x.row(0, "a", 9, 2)
}

// Blocks and batches end early when rows are large.
func TestLargeRowsAreStoredAndLeaveInSmallBatches(t *testing.T) {
	text := []vec.Type{vec.TypeOf(vec.Varchar)}
	n := &BandJoin{Kind: Left, Keys: 1, Columns: [2][]vec.Type{text, text}, Lo: -10, Hi: 10}
	n.Select = joinColumns(n.Columns)
	o := n.New(Shard{0, 1}).(*bandJoin)
	const rows, size = 60, 700_000
	large := strings.Repeat("x", size)
	for side := range 2 {
		b := textBatch(slices.Repeat([]string{"a"}, rows))
		v := vec.NewVector(text[0])
		v.Resize(rows)
		for i := range rows {
			v.AppendBytes(i, fmt.Appendf(nil, "%d-%d-%s", side, i, large))
			b.Time, b.Pos = append(b.Time, vec.Time(i*7)), append(b.Pos, int64(i))
		}
		b.Cols = append(b.Cols, v)
		if err := o.Apply(side, b, nil); err != nil {
			t.Fatal(err)
		}
	}
	if most := 3 * 2 * rows * size; o.Stat().Bytes > most {
		t.Fatalf("%d bytes", o.Stat().Bytes)
	}
	pairs, calls := 0, 0
	for done := false; !done; {
		var err error
		done, err = o.Advance(vec.PosInf, func(out *Out) bool {
			calls++
			from := uint32(0)
			for i := range out.Cols.N {
				l, r := string(out.Cols.Cols[0].Bytes(i)), string(out.Cols.Cols[1].Bytes(i))
				made := Origins(nil, out.Order[from:out.OrderEnds[i]][out.PlaceAt:])
				from = out.OrderEnds[i]
				if want := fmt.Sprintf("0-%d-%s", made[0].Pos, large); l != want {
					t.Fatalf("left %.10s, want %.10s", l, want)
				}
				if want := fmt.Sprintf("1-%d-%s", made[1].Pos, large); r != want {
					t.Fatalf("right %.10s, want %.10s", r, want)
				}
				pairs++
			}
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if pairs != 3*rows-2 || calls < pairs*2*size/(2*emitKeyBytes) {
		t.Fatalf("%d pairs in %d calls", pairs, calls)
	}
	if b := o.Stat().Bytes; b > 4<<20 {
		t.Fatalf("%d bytes are kept", b)
	}
}
