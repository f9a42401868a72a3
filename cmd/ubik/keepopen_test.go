package main

import (
	"errors"
	"testing"

	"ubik/internal/fault"
)

// Windows that are left open for a next run are lost without a checkpoint.
func TestKeepOpenWithoutACheckpointIsRefusedWhereWindowsWouldBeLost(t *testing.T) {
	const schema = "k VARCHAR, ts TIMESTAMP"
	for _, c := range []struct {
		query, resume, want string
	}{
		{"SELECT count(*) FROM t GROUP BY TUMBLE(ts, INTERVAL 1 HOUR)", "", "--keep-open leaves windows open for the next run, which without --resume does not have them"},
		{"SELECT count(*) FROM t GROUP BY TUMBLE(ts, INTERVAL 1 HOUR)", "t.ckpt", ""},
		{"SELECT k FROM t", "", ""},
	} {
		s := newSetup(&options{from: list{"t=t.jsonl"}, schema: list{schema}, keepOpen: true, resume: c.resume, query: c.query})
		err := s.load()
		if err == nil {
			err = s.makePlan(t.Context())
		}
		var f *fault.Error
		if errors.As(err, &f) {
			if f.Msg != c.want || f.Class != fault.Usage || f.Try != "add --resume FILE, or leave --keep-open away" {
				t.Errorf("%s: %v; %s", c.query, err, f.Try)
			}
		} else if err != nil || c.want != "" {
			t.Errorf("%s: got %v, want %q", c.query, err, c.want)
		}
	}
}
