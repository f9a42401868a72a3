package headline

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"ubik/internal/ubiktest/rawlog"
)

// naive answers a query over a log record by record, in the plainest Go: the oracle of the oracle. It shares no rule with the SQL but the meaning.
// filter is the query's filter as a function of the amount, nil for none: true, false, or unknown.
func naive(q Query, log Log, filter func(amount *big.Rat) bool) ([]Row, []Ledger) {
	type group struct {
		end, start int64 // µs
		null       bool
		merchant   string
	}
	type sums struct {
		n      int64
		total  *big.Rat
		scores []float64
	}
	groups := make(map[group]*sums)
	ledgers := make([]Ledger, log.Partitions)
	tops := make([]*int64, log.Partitions)
	delay, window := q.Delay.Microseconds(), q.Window.Microseconds()

	ordered := append([]rawlog.Record(nil), log.Records...)
	rawlog.SortByPosition(ordered)
	for _, r := range ordered {
		ledger := &ledgers[r.Partition]
		ledger.Read++
		f, ok := readFields(q, r.Value)
		if !ok {
			ledger.Malformed++
			continue
		}
		top := tops[r.Partition]
		if top == nil || f.at > *top {
			tops[r.Partition] = &f.at
		}
		if filter != nil && !filter(f.amount) {
			ledger.Filtered++
			continue
		}
		start := f.at - (f.at%window+window)%window
		if q.Delay != Unlimited && top != nil && start+window <= *top-delay {
			ledger.Late++
			continue
		}
		ledger.Used++
		g := group{end: start + window, start: start, null: f.merchant == nil}
		if f.merchant != nil {
			g.merchant = *f.merchant
		}
		s := groups[g]
		if s == nil {
			s = &sums{}
			groups[g] = s
		}
		s.n++
		if f.amount != nil {
			if s.total == nil {
				s.total = new(big.Rat)
			}
			s.total.Add(s.total, f.amount)
		}
		if f.score != nil {
			s.scores = append(s.scores, *f.score)
		}
	}

	var keys []group
	for g := range groups {
		closed := true
		for _, top := range tops {
			closed = closed && q.Delay != Unlimited && top != nil && g.end <= *top-delay
		}
		if closed || q.UntilEnd {
			keys = append(keys, g)
		}
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		if a.end != b.end {
			return a.end < b.end
		}
		if a.null != b.null {
			return b.null
		}
		return a.merchant < b.merchant
	})
	var rows []Row
	for _, g := range keys {
		s := groups[g]
		row := Row{Window: time.UnixMicro(g.start).UTC(), N: s.n}
		if !g.null {
			row.Merchant = &g.merchant
		}
		if s.total != nil {
			text := s.total.FloatString(q.Scale)
			row.Total = &text
		}
		if q.Score && len(s.scores) > 0 {
			exact := new(big.Rat)
			for _, v := range s.scores {
				exact.Add(exact, new(big.Rat).SetFloat64(v))
			}
			sum, _ := exact.Float64()
			row.Score = &sum
		}
		rows = append(rows, row)
	}
	return rows, ledgers
}

type fieldsRead struct {
	merchant *string
	amount   *big.Rat // at the scale of the type
	score    *float64
	at       int64
}

// readFields decodes a record; not ok: it is malformed.
func readFields(q Query, value []byte) (f fieldsRead, ok bool) {
	if !utf8.Valid(value) || !json.Valid(value) || depth(value) > 512 || loneSurrogate(value) {
		return f, false
	}
	names := topNames(value)
	used := map[string]bool{"merchant": true, "amount": true, "event_time": true, "score": q.Score}
	seen := make(map[string]bool)
	for _, n := range names {
		if seen[n] && used[n] {
			return f, false
		}
		seen[n] = true
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var object map[string]any
	if decoder.Decode(&object) != nil || object == nil {
		return f, false
	}
	switch m := object["merchant"].(type) {
	case nil:
	case string:
		f.merchant = &m
	default:
		return f, false
	}
	var amount string
	switch a := object["amount"].(type) {
	case nil:
	case string:
		if amount = a; amount == "" || q.Amount == Text {
			return f, false
		}
	case json.Number:
		amount = a.String()
	default:
		return f, false
	}
	if amount != "" {
		exact, valid := new(big.Rat).SetString(amount)
		if !valid {
			return f, false
		}
		text := exact.FloatString(q.Scale) // rounds half away from zero
		if digits := strings.Trim(strings.Replace(text, ".", "", 1), "-"); len(strings.TrimLeft(digits, "0")) > q.Precision {
			return f, false
		}
		f.amount, _ = new(big.Rat).SetString(text)
	}
	if s, isNumber := object["score"].(json.Number); isNumber && q.Score {
		v, err := s.Float64()
		if err != nil {
			return f, false
		}
		f.score = &v
	} else if q.Score && object["score"] != nil {
		return f, false
	}
	text, isText := object["event_time"].(string)
	if !isText {
		return f, false
	}
	text = strings.Replace(text, " ", "T", 1)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		at, err = time.Parse("2006-01-02T15:04:05", text)
	}
	f.at = at.UnixMicro()
	return f, err == nil
}

// topNames lists the names of the object's own members, as often as they occur.
func topNames(value []byte) []string {
	decoder := json.NewDecoder(bytes.NewReader(value))
	if first, err := decoder.Token(); err != nil || first != json.Delim('{') {
		return nil
	}
	var names []string
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return names
		}
		names = append(names, name.(string))
		var skipped json.RawMessage
		if decoder.Decode(&skipped) != nil {
			return names
		}
	}
	return names
}

// depth counts how deep the brackets of a valid text nest, strings left out.
func depth(value []byte) int {
	bare := regexp.MustCompile(`"(?:[^"\\]|\\.)*"`).ReplaceAll(value, nil)
	var now, most int
	for _, c := range bare {
		switch c {
		case '[', '{':
			now++
			most = max(most, now)
		case ']', '}':
			now--
		}
	}
	return most
}

var surrogates = regexp.MustCompile(`(?i)\\\\|\\u(d[89ab]..)\\u(d[c-f]..)|\\u(d[89a-f]..)`)

// loneSurrogate tells whether an escape is half of a pair without the other half.
func loneSurrogate(value []byte) bool {
	for _, m := range surrogates.FindAllSubmatch(value, -1) {
		if m[3] != nil {
			return true
		}
	}
	return false
}
