package sim

import (
	"fmt"

	"ubik/internal/connector"
	"ubik/internal/ubiktest/naive"
)

// sink is an upsert log: it remembers every row and compares those that come again. It survives crashes.
type sink struct {
	byKey    map[string]naive.Row
	byNumber map[place]naive.Row
	last     map[string]uint64 // by lane: the greatest number
	writes   int
	fault    error
}

type place struct {
	lane   string
	number uint64
}

func newSink() *sink {
	return &sink{byKey: map[string]naive.Row{}, byNumber: map[place]naive.Row{}, last: map[string]uint64{}}
}

func (s *sink) write(rows *connector.Rows) {
	for i := 0; i < rows.Len(); i++ {
		s.writes++
		r := naive.Row{Lane: rows.Lane, Key: string(rows.Key(i)), Value: string(rows.Value(i)), Time: rows.Times[i]}
		at := place{rows.Lane, rows.First + uint64(i)}
		if old, ok := s.byKey[r.Key]; ok && old != r {
			s.fail("two writes of key %s differ:\n\t%s\n\t%s", r.Key, show(old), show(r))
		}
		if old, ok := s.byNumber[at]; ok && old != r {
			s.fail("row %d of lane %q was written twice and differs:\n\t%s\n\t%s", at.number, at.lane, show(old), show(r))
		}
		s.byKey[r.Key], s.byNumber[at] = r, r
		s.last[at.lane] = max(s.last[at.lane], at.number)
	}
}

func (s *sink) fail(format string, args ...any) {
	if s.fault == nil {
		s.fault = failure(format, args...)
	}
}

func show(r naive.Row) string { return fmt.Sprintf("%s %s at %d ms", r.Key, r.Value, r.Time) }

// rows returns each lane's rows by number, the lanes in the order given.
func (s *sink) rows(lanes []string) ([]naive.Row, error) {
	var out []naive.Row
	for _, lane := range lanes {
		for n := uint64(1); n <= s.last[lane]; n++ {
			r, ok := s.byNumber[place{lane, n}]
			if !ok {
				return nil, failure("lane %q has a row %d but no row %d", lane, s.last[lane], n)
			}
			out = append(out, r)
		}
	}
	if len(out) != len(s.byNumber) {
		return nil, failure("%d rows were written to lanes that should not exist", len(s.byNumber)-len(out))
	}
	if len(out) != len(s.byKey) {
		return nil, failure("%d rows have %d keys", len(out), len(s.byKey))
	}
	return out, nil
}
