package op

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/exact"
	"ubik/internal/expr"
	"ubik/internal/vec"
)

// headline is count(*) and sum(amount) by merchant and minute; its input is merchant VARCHAR, amount DECIMAL(18,2).
func headline(t testing.TB) *WindowAggregate {
	n := &WindowAggregate{
		Window: tumble(us(minute)),
		Keys:   []vec.Field{{Name: "merchant", Type: vec.TypeOf(vec.Varchar)}},
		Aggs:   []AggCall{call(t, "count", -1, vec.Type{}, -1), call(t, "sum", 1, vec.DecimalType(18, 2), -1)},
	}
	n.Select = allColumns(n, ColKeys)
	n.OutKey = allColumns(n, 0)[ColWindowStart : ColKeys+1]
	return n
}

// headlineBatch is rows with the given merchants, all at one time.
func headlineBatch(keys []string, at vec.Time) *Batch {
	b := textBatch(keys)
	amount := vec.NewVector(vec.DecimalType(18, 2))
	amount.Resize(b.N)
	for i := range amount.I64 {
		amount.I64[i] = int64(i)
		b.Time = append(b.Time, at)
		b.WM = append(b.WM, at-1)
	}
	b.Cols = append(b.Cols, amount)
	return b
}

func manyKeys(n int) []string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf("merchant-%08d", i*7919%n)
	}
	return keys
}

func TestAWindowOfManyGroupsLeavesInBatchesAndInOrder(t *testing.T) {
	o := headline(t).New(Shard{0, 1})
	b := headlineBatch(manyKeys(5001), 1)
	if err := o.Apply(0, b, nil); err != nil {
		t.Fatal(err)
	}
	if s := o.Stat(); s.OpenWindows != 1 || s.Groups != 5001 || s.Bytes < 5001*40 {
		t.Fatalf("%+v", s)
	}
	rows, calls := 0, 0
	for done := false; !done; {
		var err error
		done, err = o.Advance(vec.Time(minute), func(out *Out) bool {
			calls++
			for i := range out.Cols.N {
				if got, want := string(out.Cols.Cols[0].Bytes(i)), fmt.Sprintf("merchant-%08d", rows); got != want {
					t.Fatalf("row %d is %s", rows, got)
				}
				rows++
			}
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if rows != 5001 || calls != 3 {
		t.Fatalf("%d rows in %d batches", rows, calls)
	}
	if s := o.Stat(); s.OpenWindows != 0 || s.Groups != 0 {
		t.Fatalf("%+v", s)
	}
}

func TestOpenWindowsAreCountedOnce(t *testing.T) {
	n := headline(t)
	n.Window = &Window{Size: us(10), Slide: us(2)}
	o := n.New(Shard{0, 1})
	b := headlineBatch([]string{"a", "b", "c"}, 0)
	base := originMicros
	b.Time = []vec.Time{base, base + 4, base + 101}
	b.WM = []vec.Time{vec.NegInf, base + 3, base + 3}
	if err := o.Apply(0, b, nil); err != nil {
		t.Fatal(err)
	}
	// a: starts −8..0; b: those and 2, 4, of which it has ends ≥ 4: starts −4..4; c: starts 92..100.
	if got := o.Stat().OpenWindows; got != 5+2+5 {
		t.Fatal(got)
	}
	if _, err := o.Advance(base+2, func(*Out) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if got := o.Stat().OpenWindows; got != 4+2+5 {
		t.Fatal(got)
	}
}

func TestATotalWithoutInputHasOneRowFromOneShard(t *testing.T) {
	n := headline(t)
	n.Window, n.Keys, n.Aggs[1].Arg = nil, nil, 0
	n.Select, n.OutKey = allColumns(n, ColKeys), nil
	for _, count := range []int{1, 3, 16} {
		var got []string
		for i := range count {
			o := n.New(Shard{i, count})
			for range 2 {
				if done, err := o.Advance(vec.PosInf, func(out *Out) bool {
					got = append(got, cellText(out.Cols.Cols[0], 0)+" "+cellText(out.Cols.Cols[1], 0))
					return true
				}); !done || err != nil {
					t.Fatal(done, err)
				}
			}
		}
		if strings.Join(got, ";") != "0 NULL" {
			t.Fatalf("%d shards: %q", count, got)
		}
	}
}

// failing runs rows with HUGEINT values through sum and returns the error.
func failing(t *testing.T, n *WindowAggregate, b *Batch) string {
	o := n.New(Shard{0, 1})
	if err := o.Apply(0, b, nil); err != nil {
		t.Fatal(err)
	}
	done, err := o.Advance(vec.PosInf, func(*Out) bool { t.Fatal("a row left"); return true })
	if err == nil || done {
		t.Fatal("no error")
	}
	return err.Error()
}

func TestATotalThatDoesNotFitNamesWindowAndKey(t *testing.T) {
	dec := vec.DecimalType(38, 2)
	n := headline(t)
	n.Keys = append(n.Keys, vec.Field{Name: "n", Type: vec.TypeOf(vec.Int32)})
	n.Aggs = []AggCall{call(t, "sum", 2, dec, -1)}
	n.Aggs[0].Name = "sum(amount)"
	n.Select, n.OutKey = allColumns(n, ColKeys), nil
	b := headlineBatch([]string{"a \"q\"", "a \"q\""}, at(t, "2026-01-01 00:00:30"))
	num, amount := vec.NewVector(vec.TypeOf(vec.Int32)), vec.NewVector(dec)
	num.Resize(2)
	num.SetAllNull()
	amount.Resize(2)
	amount.I128[0], _ = exact.Pow10(38).Sub(exact.FromInt64(1))
	amount.I128[1] = exact.FromInt64(1)
	b.Cols = []*vec.Vector{b.Cols[0], num, amount}
	b.Keys.Build(b.Cols[:2], 2, nil)
	want := `sum(amount) of window 2026-01-01 00:00:00 to 2026-01-01 00:01:00 and key (merchant = "a \"q\"", n = NULL) does not fit DECIMAL(38,2)`
	if got := failing(t, n, b); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	n.Window = nil
	want = `sum(amount) of key (merchant = "a \"q\"", n = NULL) does not fit DECIMAL(38,2)`
	if got := failing(t, n, b); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAnExpressionThatFailsNamesWindowAndKey(t *testing.T) {
	n := headline(t)
	count := n.Select[1]
	var err error
	if n.Select[1], err = expr.NewBinary("*", count, expr.NewInteger(math.MaxInt64)); err != nil {
		t.Fatal(err)
	}
	b := headlineBatch([]string{"a", "a"}, at(t, "2026-01-01 00:00:30"))
	got := failing(t, n, b)
	want := n.Select[1].String() + ` of window 2026-01-01 00:00:00 to 2026-01-01 00:01:00 and key (merchant = "a"): `
	if !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s…", got, want)
	}
}

func TestDescribeIsCanonical(t *testing.T) {
	n := headline(t)
	n.Aggs[1].Filter = 2
	n.Having = must(expr.NewBinary(">", n.Select[1], expr.NewInteger(3)))
	want := `AGGREGATE WINDOW TUMBLE(INTERVAL '00:01:00') BY merchant VARCHAR CALLS count(*) = count_star(), sum(#1) = sum(DECIMAL(18,2)) OF #1 FILTER #2` +
		` HAVING ` + n.Having.String() + ` SELECT merchant, count(*), sum(#1) KEY window_start, window_end, merchant`
	if got := n.Describe(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestARowForAWindowThatWasEmittedPanics(t *testing.T) {
	o := headline(t).New(Shard{0, 1})
	b := headlineBatch([]string{"a"}, 1)
	if _, err := o.Advance(vec.Time(minute), func(*Out) bool { return true }); err != nil {
		t.Fatal(err)
	}
	defer func() {
		want := "op: a row at 1 with the own watermark 0 belongs to a window that was emitted at 60000000"
		if got := fmt.Sprint(recover()); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
	}()
	_ = o.Apply(0, b, nil)
}

func TestApplyAllocatesNothingOnceGroupsAreThere(t *testing.T) {
	o := headline(t).New(Shard{0, 1})
	b := headlineBatch(manyKeys(3000), 1)
	for i := range b.Time {
		b.Time[i] = vec.Time(int64(i) % (3 * minute)) // a few panes, to and fro
		if i%3 == 0 {
			b.Time[i] += vec.Time(minute)
		}
		b.WM[i] = vec.NegInf
	}
	apply := func() {
		if err := o.Apply(0, b, nil); err != nil {
			t.Fatal(err)
		}
	}
	apply()
	if n := testing.AllocsPerRun(20, apply); n != 0 {
		t.Fatalf("%v allocations a batch", n)
	}
}

func TestAClosedWindowsMemoryServesTheNext(t *testing.T) {
	o := headline(t).New(Shard{0, 1})
	b := headlineBatch(manyKeys(3000), 0)
	now := vec.Time(0)
	step := func() {
		for i := range b.Time {
			b.Time[i], b.WM[i] = now, now-1
		}
		_ = o.Apply(0, b, nil)
		now += vec.Time(minute)
		_, _ = o.Advance(now, func(*Out) bool { return true })
	}
	step()
	step()
	if n := testing.AllocsPerRun(20, step); n > 2 {
		t.Fatalf("%v allocations a window", n)
	}
}

func FuzzLoadRefusesOrGivesAState(f *testing.F) {
	r := rand.New(rand.NewPCG(11, 5))
	nodes := []*world{}
	for len(nodes) < 12 {
		w := randomWorld(f, r)
		if len(w.rows) == 0 {
			continue
		}
		x := start(f, w, 1)
		x.apply(w.rows[:min(len(w.rows), 5)])
		f.Add(byte(len(nodes)), x.save())
		nodes = append(nodes, w)
	}
	f.Fuzz(func(t *testing.T, i byte, b []byte) {
		w := nodes[int(i)%len(nodes)]
		x := start(t, w, 1)
		if err := x.shards[0].Load(&vec.Decoder{Buf: b}); err != nil {
			return
		}
		state := x.save()
		y := start(t, w, 1)
		y.load(state)
		if !bytes.Equal(y.save(), state) {
			t.Fatal("a state that was loaded and saved is saved otherwise the second time")
		}
		// It runs to its end; a total may not fit.
		_, _ = x.shards[0].Advance(vec.PosInf, func(*Out) bool { return true })
	})
}
