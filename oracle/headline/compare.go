package headline

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/duck"
)

const (
	mismatchesMax = 5  // shown of one comparison
	behindMax     = 20 // records shown behind one mismatch
)

// Record gives the row as the record the program must write: its key, its value, its timestamp. The partition and the offset are left open.
func (q Query) Record(row Row) rawlog.Record {
	merchant := "null"
	if row.Merchant != nil {
		merchant = duck.JSONString(*row.Merchant)
	}
	total := "null"
	if row.Total != nil {
		total = *row.Total
	}
	window := `"` + timeText(row.Window) + `"`
	value := fmt.Sprintf(`{"merchant":%s,"window":%s,"n":%d,"total":%s`, merchant, window, row.N, total)
	if q.Score {
		score := "null"
		if row.Score != nil {
			text, err := json.Marshal(*row.Score)
			if err != nil {
				panic(err) // sums of finite doubles; one that overflows has no place in a generated log
			}
			score = string(text)
		}
		value += `,"score":` + score
	}
	return rawlog.Record{
		Key:             []byte(fmt.Sprintf(`{"window":%s,"merchant":%s}`, window, merchant)),
		Value:           []byte(value + "}"),
		TimestampMillis: row.Window.Add(q.Window).UnixMilli() - 1,
	}
}

// timeText writes 3 or 6 fraction digits only where they are not zero.
func timeText(t time.Time) string {
	text := t.UTC().Format("2006-01-02T15:04:05.000000")
	text = strings.TrimSuffix(text, "000")
	return strings.TrimSuffix(text, ".000") + "Z"
}

// Compare checks the sink's records, each key once (compacted), against the answer: the same keys, and for each the same value and timestamp, no headers,
// byte for byte. The error shows the first mismatches: key, both values, and the records of the log behind them.
func (a *Answer) Compare(sink []rawlog.Record) error {
	got := make(map[string]rawlog.Record, len(sink))
	var faults []string
	for _, r := range sink {
		if before, twice := got[string(r.Key)]; twice {
			faults = append(faults, fmt.Sprintf("key %s is there twice:\n\t%s\n\t%s", r.Key, before, r))
		}
		got[string(r.Key)] = r
	}
	for _, row := range a.Rows {
		want := a.Query.Record(row)
		r, there := got[string(want.Key)]
		delete(got, string(want.Key))
		switch {
		case !there:
			faults = append(faults, fmt.Sprintf("key %s is missing\n\twant %s%s", want.Key, want.Value, a.behind(row, len(faults))))
		case !rawlog.SameContent(r, want):
			faults = append(faults, fmt.Sprintf("key %s differs\n\tgot  %s time=%d headers=%d\n\twant %s time=%d headers=0%s",
				want.Key, r.Value, r.TimestampMillis, len(r.Headers), want.Value, want.TimestampMillis, a.behind(row, len(faults))))
		}
	}
	for _, r := range sink {
		if _, left := got[string(r.Key)]; left {
			delete(got, string(r.Key))
			faults = append(faults, fmt.Sprintf("key %s is not in the answer\n\tgot  %s%s", r.Key, r.Value, a.behindKey(r.Key, len(faults))))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	shown := faults[:min(len(faults), mismatchesMax)]
	return fmt.Errorf("%d mismatches between the sink (%d records) and DuckDB (%d rows):\n%s", len(faults), len(sink), len(a.Rows), strings.Join(shown, "\n"))
}

// behind shows the records of the log that belong to a row, for the mismatches that will be shown.
func (a *Answer) behind(row Row, already int) string {
	if already >= mismatchesMax {
		return ""
	}
	result, err := a.db.Query(behindSQL(row.Merchant, timeText(row.Window)))
	if err != nil {
		return "\n\t" + err.Error()
	}
	var b strings.Builder
	for i, r := range result.Rows {
		if i == behindMax {
			fmt.Fprintf(&b, "\n\t\t… %d more", len(result.Rows)-behindMax)
			break
		}
		fmt.Fprintf(&b, "\n\t\t%d/%d %s wm=%s %s", r[0], r[1], r[2], duck.Print(r[3]), r[4])
	}
	return b.String()
}

// behindKey does the same for a key found in the sink, if it can be read as one of ours.
func (a *Answer) behindKey(key []byte, already int) string {
	var k struct {
		Window   time.Time `json:"window"`
		Merchant *string   `json:"merchant"`
	}
	if err := json.Unmarshal(key, &k); err != nil {
		return "\n\tand the key is none of this query's: " + err.Error()
	}
	return a.behind(Row{Merchant: k.Merchant, Window: k.Window}, already)
}
