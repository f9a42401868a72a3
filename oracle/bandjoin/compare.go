package bandjoin

import (
	"fmt"
	"strings"

	"ubik/internal/ubiktest/rawlog"
)

const mismatchesMax = 5 // shown of one comparison

// mismatches collects what is wrong and shows the first of it.
type mismatches struct {
	n     int
	first []string
}

func (m *mismatches) add(format string, args ...any) {
	if m.n++; m.n <= mismatchesMax {
		m.first = append(m.first, fmt.Sprintf(format, args...))
	}
}

func (m *mismatches) err(sink, want int) error {
	if m.n == 0 {
		return nil
	}
	return fmt.Errorf("%d mismatches between the sink (%d records) and DuckDB (%d rows):\n%s", m.n, sink, want, strings.Join(m.first, "\n"))
}

// Compare checks the sink's records, each key once (compacted), against the answer: the same keys, and for each the same value and timestamp, no headers,
// byte for byte.
func (a *Answer) Compare(sink []rawlog.Record) error {
	var wrong mismatches
	got := make(map[string]rawlog.Record, len(sink))
	for _, r := range sink {
		if before, twice := got[string(r.Key)]; twice {
			wrong.add("key %s is there twice:\n\t%s\n\t%s", r.Key, before, r)
		}
		got[string(r.Key)] = r
	}
	for _, want := range a.Rows {
		r, there := got[string(want.Key)]
		delete(got, string(want.Key))
		switch {
		case !there:
			wrong.add("missing\n\twant %s", want)
		case !rawlog.SameContent(r, want):
			wrong.add("different\n\tgot  %s\n\twant %s", r, want)
		}
	}
	for _, r := range sink {
		if _, left := got[string(r.Key)]; left {
			delete(got, string(r.Key))
			wrong.add("not in the answer\n\tgot  %s", r)
		}
	}
	return wrong.err(len(sink), len(a.Rows))
}

// InOrder checks that records, each key where it was written first, are the answer's rows in their order.
func (a *Answer) InOrder(written []rawlog.Record) error {
	var wrong mismatches
	for i := range max(len(written), len(a.Rows)) {
		switch {
		case i >= len(written):
			wrong.add("row %d is missing\n\twant %s", i+1, a.Rows[i])
		case i >= len(a.Rows):
			wrong.add("row %d is too much\n\tgot  %s", i+1, written[i])
		case !rawlog.SameContent(written[i], a.Rows[i]):
			wrong.add("row %d\n\tgot  %s\n\twant %s", i+1, written[i], a.Rows[i])
		}
	}
	return wrong.err(len(written), len(a.Rows))
}
