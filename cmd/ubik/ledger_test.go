package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/engine"
	"ubik/internal/runner"
	"ubik/internal/vec"
)

func TestTheLedgerSaysWhatIsHeldBack(t *testing.T) {
	partition := func(i int32) runner.PartStatus {
		return runner.PartStatus{PartitionID: connector.PartitionID{Topic: "txns", Index: i}}
	}
	two, one := []runner.PartStatus{partition(0), partition(1)}, []runner.PartStatus{partition(0)}
	at := vec.Time(1_767_225_600_000_000)
	for _, c := range []struct {
		st       runner.Status
		complete bool
		want     string
	}{
		{runner.Status{OpenWindows: 2, Groups: 18211, Watermark: at, Holder: 1, Partitions: two}, false, "held back: 2 open windows, 18211 stored; the watermark is 2026-01-01T00:00:00Z, held by txns/1\n"},
		{runner.Status{OpenWindows: 1, Groups: 1, Watermark: vec.NegInf, Holder: 0, Partitions: two}, false, "held back: 1 open window, 1 stored; there is no watermark yet, held by txns/0\n"},
		{runner.Status{Groups: 7, Watermark: at, Holder: 0, Partitions: one}, false, "held back: 7 stored; the watermark is 2026-01-01T00:00:00Z\n"},
		{runner.Status{Watermark: at, Holder: 0, Partitions: two}, false, ""},
		{runner.Status{Watermark: vec.PosInf, Holder: -1, Partitions: two}, true, ""},
	} {
		var out strings.Builder
		printLedger(&out, &engine.Report{Status: c.st, Complete: c.complete})
		held := strings.Index(out.String(), "held back: ")
		if held < 0 {
			held = out.Len()
		}
		if got := out.String()[held:]; got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A partition without new records holds windows back: whoever stops the run sees why there are no rows.
func TestARunThatIsStoppedSaysWhatAQuietPartitionHoldsBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.jsonl": `{"event_time":"2026-01-01T00:00:07Z"}` + "\n",
		"b.jsonl": `{"event_time":"2026-01-01T00:00:10Z"}` + "\n" + `{"event_time":"2026-01-01T00:05:00Z"}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, dir, "--from", "txns=*.jsonl", "--schema", "event_time TIMESTAMP", "--follow", "--status-every", "20ms",
		"SELECT TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n FROM txns GROUP BY TUMBLE(event_time, INTERVAL 1 MINUTE)")
	r.saying(` "open windows"=2 `)
	r.signal(syscall.SIGTERM)
	code, said := r.end()
	const want = "\nheld back: 2 open windows, 2 stored; the watermark is 2026-01-01T00:00:02Z, held by a.jsonl\n"
	if code != 0 || !strings.Contains(said, "stopped: 3 records, 0 rows") || !strings.HasSuffix(said, want) {
		t.Errorf("exit code %d: %s", code, said)
	}
}
