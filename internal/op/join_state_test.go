package op

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/vec"
)

// savedRow is a row as the state has it.
type savedRow struct {
	ts        vec.Time
	part, pos uint64
	place     []byte // not nil: of a side with places
	matched   bool
	columns   []byte
}

type savedKey struct {
	key   string
	null  bool
	sides [2][]savedRow
}

// savedJoin is the state of a key group, written by hand.
func savedJoin(w vec.Time, keys ...savedKey) []byte {
	var e, body vec.Encoder
	body.I64(int64(w))
	body.Uvarint(uint64(len(keys)))
	group := uint64(0)
	for _, k := range keys {
		group = xxh3.HashString(k.key) >> 56
		body.String(k.key)
		body.Bool(k.null)
		for _, rows := range k.sides {
			body.Uvarint(uint64(len(rows)))
			for _, r := range rows {
				body.I64(int64(r.ts))
				if r.place != nil {
					body.Bytes(r.place)
				} else {
					body.Uvarint(r.part)
					body.Uvarint(r.pos)
				}
				body.Bool(r.matched)
				body.Bytes(r.columns)
			}
		}
	}
	e.Uvarint(group)
	e.Bytes(body.Buf)
	return e.Buf
}

func TestAJoinLoadsOnlyWhatItCanHaveSaved(t *testing.T) {
	// The column of a scripted join is a BIGINT.
	seven := []byte{0, 7, 0, 0, 0, 0, 0, 0, 0}
	one := func(rows ...savedRow) savedKey { return savedKey{key: "\x01a", sides: [2][]savedRow{rows}} }
	right := func(rows ...savedRow) savedKey { return savedKey{key: "\x01a", sides: [2][]savedRow{nil, rows}} }
	row := savedRow{ts: 100, part: 1, pos: 2, columns: seven}
	with := func(f func(r *savedRow)) savedRow { r := row; f(&r); return r }
	matched := with(func(r *savedRow) { r.matched = true })
	for _, c := range []struct {
		what  string
		ok    bool
		state []byte
	}{
		{"a pending row", true, savedJoin(100, one(row))},
		{"before any advance", true, savedJoin(vec.NegInf, one(row))},
		{"a settled row", true, savedJoin(110, one(row))},
		{"a matched row", true, savedJoin(101, one(matched))},
		{"a NULL column", true, savedJoin(100, one(with(func(r *savedRow) { r.columns = []byte{1} })))},
		{"a row that is due", false, savedJoin(111, one(row))},
		{"a pending row that matched", false, savedJoin(100, one(matched))},
		{"a matched row of a side that does not ask", false, savedJoin(101, right(matched))},
		{"after the end", false, savedJoin(vec.PosInf, one(row))},
		{"no keys", false, savedJoin(100)},
		{"a key without rows", false, savedJoin(100, one())},
		{"rows out of order", false, savedJoin(100, one(row, row))},
		{"a key twice", false, savedJoin(100, one(row), one(row))},
		{"a NULL key", true, savedJoin(100, savedKey{"\x02", true, [2][]savedRow{{row}}})},
		{"a NULL key that matched", false, savedJoin(101, savedKey{"\x02", true, [2][]savedRow{{matched}}})},
		{"a NULL key of a side that does not leave alone", false, savedJoin(100, savedKey{"\x02", true, [2][]savedRow{nil, {row}}})},
		{"a time out of range", false, savedJoin(100, one(with(func(r *savedRow) { r.ts = vec.MaxTime + 1 })))},
		{"the last partition", true, savedJoin(100, one(with(func(r *savedRow) { r.part = 1<<31 - 1<<24 - 1 })))},
		{"a partition out of range", false, savedJoin(100, one(with(func(r *savedRow) { r.part = 1<<31 - 1<<24 })))},
		{"a position out of range", false, savedJoin(100, one(with(func(r *savedRow) { r.pos = 1 << 63 })))},
		{"a short column", false, savedJoin(100, one(with(func(r *savedRow) { r.columns = seven[:8] })))},
		{"a long column", false, savedJoin(100, one(with(func(r *savedRow) { r.columns = append(seven, 0) })))},
		{"no columns", false, savedJoin(100, one(with(func(r *savedRow) { r.columns = nil })))},
		{"a bit of no column", false, savedJoin(100, one(with(func(r *savedRow) { r.columns = []byte{3} })))},
		{"two key groups in one", false, savedJoin(100, one(row), savedKey{"\x01b", false, [2][]savedRow{{row}}})},
	} {
		x := scriptedJoin(t, Left, 0, 10)
		err := x.shards[0].Load(&vec.Decoder{Buf: c.state})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
		if c.ok && !bytes.Equal(x.save(), c.state) {
			t.Errorf("%s: saved otherwise", c.what)
		}
		for n := 1; c.ok && n < len(c.state); n++ {
			if scriptedJoin(t, Left, 0, 10).shards[0].Load(&vec.Decoder{Buf: c.state[:n]}) == nil {
				t.Errorf("%s: the first %d bytes of %d are taken", c.what, n, len(c.state))
			}
		}
	}
}

func TestAJoinLoadsThePlacesOfRows(t *testing.T) {
	row := func(place ...Origin) savedRow {
		r := savedRow{ts: 100, place: []byte{}, columns: []byte{0, 7, 0, 0, 0, 0, 0, 0, 0}}
		for _, o := range place {
			r.place = AppendPlace(r.place, o)
		}
		return r
	}
	state := func(rows ...savedRow) []byte {
		return savedJoin(100, savedKey{key: "\x01a", sides: [2][]savedRow{rows, {{ts: 100, part: 1, pos: 2, columns: rows[0].columns}}}})
	}
	absent := Origin{Part: -1}
	cut := row(Origin{1, 2})
	cut.place = cut.place[:11]
	for _, c := range []struct {
		what  string
		ok    bool
		state []byte
	}{
		{"one record", true, state(row(Origin{1, 2}))},
		{"three, one of them absent", true, state(row(absent, Origin{1, 2}, Origin{0, 0}))},
		{"in order", true, state(row(Origin{1, 2}, absent), row(absent, Origin{0, 0}))},
		{"out of order", false, state(row(absent, Origin{0, 0}), row(Origin{1, 2}, absent))},
		{"a place twice", false, state(row(Origin{1, 2}), row(Origin{1, 2}))},
		{"no record", false, state(row())},
		{"only absent ones", false, state(row(absent, absent))},
		{"part of a record", false, state(cut)},
		{"a negative partition", false, state(row(absent, Origin{math.MinInt32, 0}))},
		{"a negative position", false, state(row(Origin{0, -1}))},
	} {
		x := scriptedJoin(t, Left, 0, 10)
		x.w.node.Placed[0] = true
		x = startJoin(t, x.w, 1)
		err := x.shards[0].Load(&vec.Decoder{Buf: c.state})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.what, err)
		}
		if c.ok && !bytes.Equal(x.save(), c.state) {
			t.Errorf("%s: saved otherwise", c.what)
		}
	}
}

func TestAJoinLoadsKeysOfItsTypesOnly(t *testing.T) {
	seven := []byte{0, 7, 0, 0, 0, 0, 0, 0, 0}
	number, text := vec.TypeOf(vec.Int8), vec.TypeOf(vec.Varchar)
	for _, c := range []struct {
		types []vec.Type
		key   string
		null  bool
		ok    bool
	}{
		{nil, "anything", false, true},
		{[]vec.Type{text}, "\x01a", false, true},
		{[]vec.Type{text}, "\x01", false, true},
		{[]vec.Type{text}, "\x02", true, true},
		{[]vec.Type{text}, "\x01a", true, false},
		{[]vec.Type{text}, "\x02", false, false},
		{[]vec.Type{text}, "\x03a", false, false},
		{[]vec.Type{text}, "\x01\xff", false, false},
		{[]vec.Type{number}, "\x01\x80\x00\x00\x00\x00\x00\x00\x07", false, true},
		{[]vec.Type{number}, "\x01\x80\x00\x00\x00\x00\x00\x01\x07", false, false},
		{[]vec.Type{number}, "\x01\x80\x00\x00\x00\x00\x00\x00\x07\x00", false, false},
		{[]vec.Type{text, number}, "\x01a\x00\x00\x02", true, true},
		{[]vec.Type{text, number}, "\x01a\x00\x00", false, false},
		{[]vec.Type{text, number}, "", false, false},
	} {
		x := scriptedJoin(t, Left, 0, 10)
		x.w.node.KeyTypes = c.types
		x = startJoin(t, x.w, 1)
		state := savedJoin(100, savedKey{c.key, c.null, [2][]savedRow{{{ts: 100, columns: seven}}}})
		if err := x.shards[0].Load(&vec.Decoder{Buf: state}); (err == nil) != c.ok {
			t.Errorf("a key %q of %v, NULL %v: %v", c.key, c.types, c.null, err)
		}
	}
}

func TestAValueOutOfItsRangeIsNotLoaded(t *testing.T) {
	types := []vec.Type{vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Bool), vec.DecimalType(3, 1)}
	l := newRowLayout(types)
	scratch := vec.NewBatch(types...)
	for _, c := range []struct {
		b  string
		ok bool
	}{
		{"\x00\x01a\x01\xe7\x03\x00\x00\x00\x00\x00\x00", true},
		{"\x00\x01a\x01\xe8\x03\x00\x00\x00\x00\x00\x00", false}, // four digits
		{"\x06\x01a", true},
		{"\x06\x01\xff", false},     // not UTF-8
		{"\x06\x81\x00a", false},    // a length that is longer than it need be
		{"\x05\x02", false},         // neither true nor false
		{"\x0f", false},             // four columns
		{"\x07", true},              // all NULL
		{"\x06\xff\xff\x03", false}, // a length beyond the end
	} {
		if got := l.valid([]byte(c.b), scratch); got != c.ok {
			t.Errorf("%q: %v", c.b, got)
		}
	}
}

func TestAJoinThatRunsSteadilyAllocatesHardlyAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := settlements(Full)
	n.Hi = 5_000_000
	o := n.New(Shard{0, 1})
	var sides [2]*Batch
	for side := range sides {
		sides[side] = settlementBatch(r, side, 0, 2000)
	}
	at := vec.Time(0)
	step := func() {
		for side, b := range sides {
			for i := range b.Time {
				b.Time[i] += 2_000_000
			}
			_ = o.Apply(side, b, nil)
		}
		at += 2_000_000
		_, _ = o.Advance(at, func(*Out) bool { return true })
	}
	for range 30 {
		step()
	}
	if n := testing.AllocsPerRun(20, step); n > 40 {
		t.Fatalf("%v allocations for 4,000 rows", n)
	}
}

func FuzzJoinLoadRefusesOrGivesAState(f *testing.F) {
	r := rand.New(rand.NewPCG(11, 6))
	var worlds []*joinWorld
	for len(worlds) < 18 {
		w := randomJoin(f, r, 20)
		x := startJoin(f, w, 1)
		for _, s := range w.steps {
			x.step(r, s)
			kept := x.stored()
			if rows := kept[0] + kept[1]; s.w < vec.PosInf && rows > 0 && rows < 8 {
				f.Add(byte(len(worlds)), x.save())
				worlds = append(worlds, w)
				break
			}
		}
	}
	f.Fuzz(func(t *testing.T, i byte, b []byte) {
		w := worlds[int(i)%len(worlds)]
		x := startJoin(t, w, 1)
		if err := x.shards[0].Load(&vec.Decoder{Buf: b}); err != nil {
			return
		}
		state := x.save()
		y := startJoin(t, w, 1)
		if err := y.shards[0].Load(&vec.Decoder{Buf: state}); err != nil || !bytes.Equal(y.save(), state) {
			t.Fatal("a state that was loaded and saved is saved otherwise the second time")
		}
		if done, err := x.shards[0].Advance(vec.PosInf, func(*Out) bool { return true }); !done || err != nil || x.stored() != ([2]int{}) {
			t.Fatal("it does not run to its end")
		}
	})
}

func TestTheRowsOfAStateAreCountedBySide(t *testing.T) {
	one, two := []byte{0, 1, 2}, []byte{0, 1, 2, 3, 4}
	state := savedJoin(0,
		savedKey{key: "a", sides: [2][]savedRow{{{ts: 1, columns: one}, {ts: 2, columns: one}}, {{ts: 1, columns: two}}}})
	state = append(state, savedJoin(0, savedKey{key: "b", sides: [2][]savedRow{nil, {{ts: 1, columns: two}}}})...)
	got, err := JoinStored(state, [2]bool{})
	if want := [2]Stored{{2, 6}, {2, 10}}; err != nil || got != want {
		t.Errorf("counted %v, %v; want %v", got, err, want)
	}
	placed := savedJoin(0, savedKey{key: "a", sides: [2][]savedRow{
		{{ts: 1, columns: one}}, {{ts: 1, columns: two, place: AppendPlace(nil, Origin{1, 2})}}}})
	if got, err := JoinStored(placed, [2]bool{false, true}); err != nil || got != [2]Stored{{1, 3}, {1, 5}} {
		t.Errorf("with places: counted %v, %v", got, err)
	}
	if got, err := JoinStored(nil, [2]bool{}); err != nil || got != [2]Stored{} {
		t.Errorf("an empty state: %v, %v", got, err)
	}
	for n := 1; n < len(state); n++ {
		got, err := JoinStored(state[:n], [2]bool{})
		if whole := n == len(savedJoin(0, savedKey{key: "a", sides: [2][]savedRow{{{ts: 1, columns: one}, {ts: 2, columns: one}}, {{ts: 1, columns: two}}}})); err == nil && !whole {
			t.Errorf("%d of %d bytes are taken for a state of %v", n, len(state), got)
		}
	}
}
