package engine

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/vec"
)

// The logs of a join have one key and a row each second, from 0 on, with a text as long as these, so that what is stored
// of a row is hardly more than its text.
const (
	leftRows, leftText   = 7, 50_000
	rightRows, rightText = 4, 30_000
)

func writeJoinLogs(t *testing.T, dir string) {
	t.Helper()
	for name, size := range map[string][2]int{"l": {leftRows, leftText}, "r": {rightRows, rightText}} {
		var b bytes.Buffer
		for i := range size[0] {
			fmt.Fprintf(&b, `{"k":"a","t":"2026-01-01T00:00:%02dZ","x":%q}`+"\n", i, strings.Repeat("x", size[1]))
		}
		if err := os.WriteFile(filepath.Join(dir, name+".log"), b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// statusLine runs a query over the logs up to their ends, where windows and joins keep what they have, and gives the
// fields of the log line then, two seconds after the last, in their order and with their values.
func statusLine(t *testing.T, query string, delay vec.Time) (p *plan.Plan, names []string, values map[string]string) {
	t.Helper()
	dir := t.TempDir()
	writeJoinLogs(t, dir)
	cols, err := plan.Schema("k VARCHAR, t TIMESTAMP, x VARCHAR")
	if err != nil {
		t.Fatal(err)
	}
	req, opts := plan.Request{Query: query}, &connector.Options{Disk: host.OS, KeepOpen: true}
	var sources []connector.Source
	for _, name := range []string{"l", "r"} {
		req.Sources = append(req.Sources, plan.Source{Name: name, Log: "file " + name, Schema: cols, Format: "json", File: true, Delay: delay})
		s, err := file.Kind.NewSource(filepath.Join(dir, name+".log"), opts)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, s)
	}
	if p, err = plan.Build(req); err != nil {
		t.Fatal(err)
	}
	opts.Fields = p.Output
	sink, err := file.Kind.NewSink(filepath.Join(dir, "out.jsonl"), opts)
	if err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	job := &Job{
		Runner: runner.Config{Plan: p, NewDecoder: runner.Decoders(jsonrec.Format), NewEncoder: jsonrec.Format.NewEncoder, Mode: runner.KeepOpen, Shards: 3},
		Source: connector.Several(sources...), Sink: sink, Interval: time.Millisecond, ShutdownTimeout: time.Second,
		Clock: host.Wall, Log: slog.New(slog.NewTextHandler(&said, nil)),
	}
	t.Cleanup(func() {
		job.Source.Close()
		sink.Close()
	})
	withCheckpoint(t, job, filepath.Join(dir, "ckpt")) // so that it ends when all that was read is stored
	r, err := open(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	s := newShell(context.Background(), job, r, job.Clock.Now())
	err = s.loop()
	s.close()
	if err != nil {
		t.Fatal(err)
	}
	s.logStatus(s.lastStatus.Add(2 * time.Second))
	values = map[string]string{}
	for _, m := range regexp.MustCompile(`("[^"]+"|\S+)=("[^"]*"|\S*)`).FindAllStringSubmatch(said.String(), -1) {
		name := strings.Trim(m[1], `"`)
		names, values[name] = append(names, name), strings.Trim(m[2], `"`)
	}
	return p, names, values
}

// sameValues sees that the line has these values, and no left and right but these.
func sameValues(t *testing.T, got map[string]string, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q in the line, want %q", name, got[name], value)
		}
	}
	for name := range got {
		if side, _, _ := strings.Cut(name, " "); (side == "left" || side == "right") && want[name] == "" {
			t.Errorf("the line has %s=%s", name, got[name])
		}
	}
}

// aboutState sees that the state is at least what must be stored, and hardly more.
func aboutState(t *testing.T, value string, least int) {
	t.Helper()
	number, unit, _ := strings.Cut(value, " ")
	n, err := strconv.Atoi(number)
	if unit != "KiB" || err != nil || n*1024 < least-1024 || n*1024 > least+least/3 {
		t.Errorf("the state is %s; the texts in it have %d bytes", value, least)
	}
}

func TestTheLogLineTellsWhatAJoinKeepsOfEachSide(t *testing.T) {
	_, _, values := statusLine(t, "SELECT l.x, r.x AS y FROM l JOIN r ON l.k = r.k AND r.t BETWEEN l.t AND l.t + INTERVAL 1 SECOND", 3_600_000_000)
	sameValues(t, values, map[string]string{
		"records": "11", "records/s": "5", "lag": "0", "watermark": "2025-12-31T23:00:03Z", "open windows": "0",
		"stored": "11", "left": "7", "right": "4", "rows": "0", "late": "0", "malformed": "0",
	})
	aboutState(t, values["state"], leftRows*leftText+rightRows*rightText)

	// The cursor is at 3 s: right rows before it go, left ones stay for another two seconds.
	_, _, values = statusLine(t, "SELECT l.x, r.x AS y FROM l JOIN r ON l.k = r.k AND r.t BETWEEN l.t AND l.t + INTERVAL 2 SECONDS", 0)
	sameValues(t, values, map[string]string{"stored": "7", "left": "6", "right": "1", "rows": "6"})
	aboutState(t, values["state"], 6*leftText+rightText)
}

// The numbers in the names are those that EXPLAIN gives the joins, and the checkpoint.
func TestTheLogLineNumbersJoinsAsExplainAndTheCheckpointDo(t *testing.T) {
	p, names, values := statusLine(t, `
SELECT l.k, max(l.x) AS x FROM l JOIN r ON l.k = r.k AND r.t BETWEEN l.t AND l.t + INTERVAL 1 HOUR GROUP BY l.k, TUMBLE(l.t, INTERVAL 1 HOUR)
UNION ALL
SELECT l.k, r.x FROM l JOIN r ON l.k = r.k AND r.t BETWEEN l.t - INTERVAL 1 HOUR AND l.t AND l.x <> r.x
WHERE l.t >= TIMESTAMP '2026-01-01 00:00:02' AND r.t >= TIMESTAMP '2026-01-01 00:00:01'`, 0)
	// The cursors are at 3 s.
	sameValues(t, values, map[string]string{
		"open windows": "1", "stored": fmt.Sprint(7 + 1 + 1 + 4 + 3), "left 1": "7", "right 1": "1", "left 3": "4", "right 3": "3", "rows": "2", "late": "0",
	})
	aboutState(t, values["state"], 7*leftText+leftText+4*leftText+3*rightText)

	joins := regexp.MustCompile(`operator (\d+): band join`)
	explained := map[string]bool{}
	for _, m := range joins.FindAllStringSubmatch(p.Explain(plan.Surroundings{From: make([]plan.From, 2)}), -1) {
		explained[m[1]] = true
	}
	kept := map[string]bool{}
	for _, f := range p.Facts {
		if number, ok := strings.CutPrefix(f.Name, "operator "); ok && strings.HasPrefix(f.Value, "BAND JOIN ") {
			kept[number] = true
		}
	}
	logged := map[string]bool{}
	for _, name := range names {
		if number, ok := strings.CutPrefix(name, "left "); ok {
			logged[number] = true
		}
	}
	if want := map[string]bool{"1": true, "3": true}; !maps.Equal(explained, want) || !maps.Equal(kept, want) || !maps.Equal(logged, want) {
		t.Errorf("joins are the operators %v to EXPLAIN, %v to the checkpoint, %v in the log line", explained, kept, logged)
	}
	i := slices.Index(names, "left 1")
	if i < 0 || !slices.Equal(names[i-1:i+5], []string{"stored", "left 1", "right 1", "left 3", "right 3", "state"}) {
		t.Errorf("the fields are %q", names)
	}
}
