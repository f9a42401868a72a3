package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/vec"
)

// A file that is joined with a topic has no late records, however far behind one comes, unless a delay is said: the topic
// goes on, but the file is read to its end.
func TestAFilesDelayBesideATopicIsUnlimitedUnlessSaid(t *testing.T) {
	t.Parallel()
	broker := kafkaWith(t, [][]string{{
		`{"k":"early","t":"2026-01-01T11:00:01Z"}`,
		`{"k":"noon","t":"2026-01-01T12:00:01Z"}`,
		`{"k":"after","t":"2026-01-01T12:10:00Z"}`, // the rows before it leave
		`{"k":"early","t":"2026-01-01T12:00:00Z"}`, // late
	}})
	const (
		columns = "k VARCHAR, t TIMESTAMP"
		early   = `{"k":"early"}` + "\n"
		noon    = `{"k":"noon"}` + "\n"
	)
	for _, c := range []struct {
		name      string
		delay     []string
		late      uint64
		output    string
		unlimited bool
	}{
		{"not said", nil, 0, early + noon, true},
		{"said of the topic alone", []string{"--delay", "txns=1s"}, 0, early + noon, true},
		{"said", []string{"--delay", "f=5s"}, 1, noon, false},
		{"long enough", []string{"--delay", "f=1h"}, 0, early + noon, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			rows := `{"k":"noon","t":"2026-01-01T12:00:00Z"}` + "\n" + `{"k":"early","t":"2026-01-01T11:00:00Z"}` + "\n"
			if err := os.WriteFile(filepath.Join(dir, "f.jsonl"), []byte(rows), 0o644); err != nil {
				t.Fatal(err)
			}
			args := []string{"--from", "f=f.jsonl", "--from", "txns=kafka://" + broker + "/txns", "--schema", "f=" + columns, "--schema", "txns=" + columns,
				"--to", "out.jsonl", "--resume", "f.ckpt", "--checkpoint-interval", "20ms", "--status-every", "20ms"}
			r := start(t, dir, append(append(args, c.delay...), "SELECT f.k FROM f JOIN txns ON f.k = txns.k AND txns.t BETWEEN f.t AND f.t + INTERVAL 1 MINUTE")...)
			if strings.Count(c.output, "\n") == 2 {
				r.saying(" rows=2 ")
			} else {
				r.saying(" rows=1 ")
			}
			r.signal(syscall.SIGTERM)
			if code, said := r.end(); code != 0 {
				t.Fatalf("exit code %d: %s", code, said)
			}
			_, u := readCheckpoint(t, filepath.Join(dir, "f.ckpt"))
			for _, p := range u.Partitions {
				clock := &p.Clocks[0]
				if file := p.Source == 0; file && (clock.Ledger.Late != c.late || clock.Ledger.Read != 2 || clock.Watermark != vec.PosInf) || !file && clock.Ledger.Late != 1 {
					t.Errorf("source %d: %+v", p.Source, clock)
				}
			}
			for _, f := range u.Facts {
				if f.Name == "delay of f" && (f.Value == "unlimited") != c.unlimited {
					t.Errorf("the delay of the file is %s", f.Value)
				}
			}
			if got := output(t, dir); got != c.output {
				t.Errorf("the output is\n%swant\n%s", got, c.output)
			}
		})
	}
}
