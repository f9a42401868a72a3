package bandjoin

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/authgen"
	"ubik/oracle/duck"
)

// The answer is the one of two loops over all pairs.
func TestTheAnswerIsThatOfTwoLoops(t *testing.T) {
	for seed := range uint64(6) {
		o := authgen.Usual(seed)
		o.Auths, o.Span, o.Malformed, o.Hot, o.Edge = 400, 20*time.Minute, 20, 150, 50
		auths, settlements := authgen.Generate(o)
		rawlog.Number(auths)
		rawlog.Number(settlements)
		l := Source{Topic: "topic.a", Partitions: o.AuthParts, Delay: o.AuthDelay, Records: auths}
		r := Source{Topic: "topic.s", Partitions: o.SettlementsParts, Delay: o.SettlementsDelay, Records: settlements}
		db, err := duck.Open()
		if err != nil {
			t.Fatal(err)
		}
		log, err := Load(db, Reference{Name: "auths", Source: &l}, Reference{Name: "settlements", Source: &r})
		if err != nil {
			t.Fatal(err)
		}
		lefts, leftLedgers := judge(&Reference{Source: &l})
		rights, rightLedgers := judge(&Reference{Source: &r})
		if !slices.Equal(log.Ledgers[0], leftLedgers) || !slices.Equal(log.Ledgers[1], rightLedgers) {
			t.Errorf("seed %d: ledgers\nDuckDB %+v %+v\nloops  %+v %+v", seed, log.Ledgers[0], log.Ledgers[1], leftLedgers, rightLedgers)
		}
		for name, rows := range map[string][]row{"auths": lefts, "settlements": rights} {
			if got, err := log.Variety(name); err != nil || got != variety(rows) || got.Twice == 0 || got.SameTimes < got.Twice {
				t.Errorf("seed %d: %s: %+v, by a loop %+v; %v", seed, name, got, variety(rows), err)
			}
		}
		for _, kind := range []Kind{Inner, Left, Right, Full, Semi, Anti} {
			for _, band := range [][2]time.Duration{{0, 10 * time.Minute}, {-2 * time.Minute, 7 * time.Minute}, {-8 * time.Minute, -time.Minute}, {time.Minute, 3 * time.Minute}, {0, 0}} {
				q := Query{Kind: kind, Columns: []Column{{Name: "id", Expr: "a.auth_id"}}, Lo: band[0], Hi: band[1], Residual: "s.amount <= a.amount", OfAuth: "a.amount > 10"}
				answer, err := log.Ask(&q)
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, r := range answer.Rows {
					got = append(got, fmt.Sprintf("%s %s %d", r.Key, r.Value, r.TimestampMillis))
				}
				if want := loops(&q, lefts, rights); len(want) == 0 || !slices.Equal(got, want) {
					t.Errorf("seed %d: %s %v: %d rows, by loops %d", seed, kind, band, len(got), len(want))
				}
			}
		}
		db.Close()
	}
}

func variety(rows []row) Variety {
	v := Variety{Rows: int64(len(rows))}
	ids, whole, times := map[string]int64{}, map[string]int64{}, map[int64]int64{}
	for _, r := range rows {
		if r.id == nil {
			v.NullKeys++
			continue
		}
		cents := int64(-1)
		if r.cents != nil {
			cents = *r.cents
		}
		ids[*r.id]++
		whole[fmt.Sprint(*r.id, cents, r.at)]++
		times[r.at]++
	}
	for _, n := range ids {
		if n > 1 {
			v.Hottest = max(v.Hottest, n)
			v.Repeated++
		}
	}
	for _, n := range whole {
		if n > 1 {
			v.Twice += n
		}
	}
	for _, n := range times {
		if n > 1 {
			v.SameTimes += n
		}
	}
	return v
}

// row is a used record.
type row struct {
	key   string // its part of the key
	place [2]int64
	id    *string
	cents *int64
	at    int64
}

// judge is the rules of a reference by a loop, with the condition that an amount is over 100 where it has one.
func judge(ref *Reference) (used []row, ledgers []Ledger) {
	s := ref.Source
	ledgers = make([]Ledger, s.Partitions)
	newest := map[int32]int64{}
	for _, r := range s.Records {
		l := &ledgers[r.Partition]
		l.Read++
		row, timed, ok := read(r)
		if !ok || !timed && ref.Rule != Never {
			l.Malformed++
			continue
		}
		top, any := newest[r.Partition]
		if timed {
			newest[r.Partition] = max(top, row.at)
		}
		wm, end := top-s.Delay.Microseconds(), row.at
		if ref.Rule == ByWindow {
			size := ref.Window.Microseconds()
			end = row.at - row.at%size + size - 1
		}
		switch {
		case ref.Where != "" && (row.cents == nil || *row.cents <= 100_00):
			l.Filtered++
			continue
		case any && ref.Rule != Never && s.Delay != Unlimited && end < wm:
			l.Late++
			continue
		}
		l.Used++
		row.key = fmt.Sprintf(`{"_topic":"%s","_partition":%d,"_offset":%d}`, s.Topic, r.Partition, r.Offset)
		used = append(used, row)
	}
	return used, ledgers
}

// read reads a record the strict way, and tells whether it has a time.
func read(r rawlog.Record) (got row, timed, ok bool) {
	var v struct {
		ID     *string      `json:"auth_id"`
		Amount *json.Number `json:"amount"`
		At     *string      `json:"event_time"`
	}
	if json.Unmarshal(r.Value, &v) != nil {
		return got, false, false
	}
	got = row{id: v.ID, place: [2]int64{int64(r.Partition), r.Offset}}
	if v.At != nil {
		at, err := time.Parse("2006-01-02T15:04:05Z07:00", *v.At)
		if err != nil {
			if at, err = time.Parse("2006-01-02 15:04:05", *v.At); err != nil {
				return got, false, false
			}
		}
		got.at = at.UnixMicro()
	}
	if v.Amount != nil {
		var whole, cents int64
		digits := v.Amount.String()
		if _, err := fmt.Sscanf(digits[:strings.IndexByte(digits, '.')+3], "%d.%2d", &whole, &cents); err != nil {
			return got, false, false
		}
		cents += whole * 100
		got.cents = &cents
	}
	return got, v.At != nil, true
}

// loops makes the answer.
func loops(q *Query, lefts, rights []row) []string {
	type output struct {
		t    int64
		l, r *row
	}
	var out []output
	matched := map[*row]bool{}
	lo, hi := q.Lo.Microseconds(), q.Hi.Microseconds()
	for i := range lefts {
		l := &lefts[i]
		var pairs []output
		for j := range rights {
			r := &rights[j]
			if l.id != nil && r.id != nil && *l.id == *r.id && l.at+lo <= r.at && r.at <= l.at+hi && l.cents != nil && *l.cents > 1000 && r.cents != nil && *r.cents <= *l.cents {
				pairs = append(pairs, output{max(l.at, r.at), l, r})
				matched[r] = true
			}
		}
		switch {
		case q.Kind == Semi && len(pairs) > 0:
			first := slices.MinFunc(pairs, func(a, b output) int { return cmp.Compare(a.t, b.t) })
			out = append(out, output{first.t, l, nil})
		case q.Kind == Semi || q.Kind == Anti && len(pairs) > 0:
		case len(pairs) == 0 && (q.Kind == Left || q.Kind == Full || q.Kind == Anti):
			out = append(out, output{max(l.at, l.at+hi), l, nil})
		default:
			out = append(out, pairs...)
		}
	}
	if q.Kind == Right || q.Kind == Full {
		for j := range rights {
			if r := &rights[j]; !matched[r] {
				out = append(out, output{max(r.at, r.at-lo), nil, r})
			}
		}
	}
	place := func(r *row) []int64 {
		if r == nil {
			return []int64{1 << 62, 0}
		}
		return r.place[:]
	}
	slices.SortFunc(out, func(a, b output) int {
		return cmp.Or(cmp.Compare(a.t, b.t), slices.Compare(place(a.l), place(b.l)), slices.Compare(place(a.r), place(b.r)))
	})
	var text []string
	for _, o := range out {
		key, id := "", "null"
		if o.l != nil {
			key = `"a":` + o.l.key
			if o.l.id != nil {
				id = jsonText(*o.l.id)
			}
		}
		if o.r != nil {
			if key != "" {
				key += ","
			}
			key += `"s":` + o.r.key
		}
		text = append(text, fmt.Sprintf(`{%s} {"id":%s} %d`, key, id, o.t/1000))
	}
	return text
}
