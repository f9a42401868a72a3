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

// InOrder checks that records, each key where it was written first, are the answer's rows, each lane in its order. Between the lanes, and between the
// partitions of the sink, there is none.
func (a *Answer) InOrder(written []rawlog.Record) error {
	var wrong mismatches
	index := make(map[string]int, len(a.Rows))
	for i, r := range a.Rows {
		index[string(r.Key)] = i
	}
	type sequence struct {
		lane      string
		partition int32
	}
	last := map[sequence]int{}
	for _, r := range written {
		i, there := index[string(r.Key)]
		if !there {
			wrong.add("too much\n\tgot  %s", r)
			continue
		}
		delete(index, string(r.Key))
		if !rawlog.SameContent(r, a.Rows[i]) {
			wrong.add("different\n\tgot  %s\n\twant %s", r, a.Rows[i])
		}
		s := sequence{a.lanes[i], r.Partition}
		if before, any := last[s]; any && before > i {
			wrong.add("row %d of the answer came behind row %d\n\tgot  %s\n\tbehind %s", i+1, before+1, r, a.Rows[before])
		}
		last[s] = i
	}
	for i, r := range a.Rows {
		if _, missing := index[string(r.Key)]; missing {
			wrong.add("row %d is missing\n\twant %s", i+1, r)
		}
	}
	return wrong.err(len(written), len(a.Rows))
}
