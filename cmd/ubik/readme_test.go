package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/demo"
	"ubik/internal/ubiktest/broker"
)

// block is a fenced code block of the README. printed is the block that follows it and is no script: what it prints.
type block struct{ language, text, printed string }

// readme returns the blocks of the README that are scripts, by chapter.
func readme(t *testing.T) map[string][]block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	chapters := map[string][]block{}
	chapter := ""
	for _, m := range regexp.MustCompile("(?ms)^## ([^\n]+)$|^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		blocks := chapters[chapter]
		switch {
		case m[1] != "":
			chapter = m[1]
		case m[2] == "sh":
			chapters[chapter] = append(blocks, block{m[2], m[3], ""})
		case len(blocks) == 0 || blocks[len(blocks)-1].printed != "":
			t.Fatalf("in %q there is no script in front of\n%s", chapter, m[3])
		default:
			blocks[len(blocks)-1].printed = m[3]
		}
	}
	return chapters
}

// folder is an empty folder where bin/ubik is the program.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(dir, "bin", "ubik")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// shell runs a script and returns its standard output and error.
func shell(dir, script string) (stdout, stderr string, code int) {
	var out, errs strings.Builder
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Run() // whose error is the exit code
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// Every block of these chapters that reads no topic is run, in one folder and one after the other.
func TestTheReadmesScriptsPrintWhatItSays(t *testing.T) {
	t.Parallel()
	dir, ran := folder(t), 0
	chapters := readme(t)
	for _, chapter := range []string{"On a file somebody sent you", "Declaring", "Joins"} {
		for _, b := range chapters[chapter] {
			switch {
			case strings.Contains(b.text, "localhost:9092"), strings.HasPrefix(b.text, "go run "):
				continue // run by another test
			case b.printed == "":
				t.Errorf("the README does not say what this prints:\n%s", b.text)
				continue
			}
			ran++
			out, said, code := shell(dir, b.text)
			if code != 0 || out != b.printed {
				t.Errorf("%s\nexit code %d, standard output\n%swant\n%sstandard error\n%s", b.text, code, out, b.printed, said)
			}
		}
	}
	if ran < 7 {
		t.Errorf("only %d blocks were run", ran)
	}
}

const buildLine = "CGO_ENABLED=0 go build -o bin/ubik ./cmd/ubik\n\n"

// kafkaBlocks are the blocks of the README that read topics: the first query, a look at the topics, and a script of declarations.
func kafkaBlocks(t *testing.T) (query, look, declared string) {
	t.Helper()
	chapters := readme(t)
	own := chapters["On your own Kafka"]
	if len(own) != 2 {
		t.Fatalf("the README has %d blocks about Kafka", len(own))
	}
	query, ok := strings.CutPrefix(own[0].text, buildLine)
	if !ok {
		t.Fatalf("the block does not begin with %q", buildLine)
	}
	for _, b := range chapters["Declaring"] {
		if strings.Contains(b.text, "localhost:9092") {
			declared += b.text
		}
	}
	if strings.Count(query, "localhost:9092") != 2 || strings.Count(declared, "localhost:9092") != 2 {
		t.Fatalf("the blocks do not name localhost:9092 twice:\n%s\n%s", query, declared)
	}
	return query, own[1].text, declared
}

// transactions are three windows' worth of records in two partitions.
var transactions = [][]string{
	{
		`{"merchant":"corner shop","amount":12.50,"event_time":"2026-01-01T00:00:10Z"}`,
		`{"merchant":"corner shop","amount":0.05,"event_time":"2026-01-01T00:00:59.999Z"}`,
	},
	{
		`{"merchant":"kiosk","amount":3.20,"event_time":"2026-01-01T00:00:20Z"}`,
		`{"merchant":"kiosk","amount":7,"event_time":"2026-01-01T00:01:01Z"}`,
	},
}

// kafkaWith is the address of an in-process Kafka that has the topic txns.
func kafkaWith(t *testing.T, partitions [][]string) string {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(int32(len(partitions)), "txns"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	client, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for p, list := range partitions {
		for _, text := range list {
			if err := client.ProduceSync(context.Background(), &kgo.Record{Topic: "txns", Partition: int32(p), Value: []byte(text)}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return cluster.ListenAddrs()[0]
}

// The commands are the README's, but for the broker's address and that a run ends where the topic does.
func TestTheReadmesKafkaExamplesRunWithoutADeclarationAndWithOne(t *testing.T) {
	t.Parallel()
	query, look, declared := kafkaBlocks(t)
	dir, broker := folder(t), kafkaWith(t, transactions)
	run := func(script string) (stdout, stderr string) {
		t.Helper()
		script = strings.ReplaceAll(script, "localhost:9092", broker)
		script = regexp.MustCompile(`(?m)^bin/ubik --`).ReplaceAllString(script, "bin/ubik --until-end --")
		stdout, stderr, code := shell(dir, script)
		if code != 0 {
			t.Fatalf("%s\nexit code %d: %s%s", script, code, stdout, stderr)
		}
		return stdout, stderr
	}
	holds := func(text string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			if !regexp.MustCompile(line).MatchString(text) {
				t.Errorf("no line %s in\n%s", line, text)
			}
		}
	}
	_, said := run(query)
	holds(said, `(?m)^-- found in its first records:\nCREATE TABLE txns \(merchant VARCHAR, event_time TIMESTAMP /\* not typed: amount \*/\);$`, `(?m)^complete: 4 records, 3 rows `)
	shown, said := run(look)
	holds(shown,
		`(?m)^\{"_topic":"txns","_partition":0,"_offset":1,"_timestamp":"[^"]+","_key":null,"merchant":"corner shop","amount":0.05,"event_time":"2026-01-01T00:00:59.999Z"\}$`,
		`(?m)^CREATE TABLE txns \(merchant VARCHAR, amount DOUBLE, event_time TIMESTAMP\);$`,
		`(?m)^\{"_topic":"txn_counts","_partition":\d+,"_offset":\d+,"_timestamp":"2026-01-01T00:01:59.999Z","_key":".+","merchant":"kiosk","window":"2026-01-01T00:01:00Z","n":1\}$`,
		`(?m)^sink +kafka txn_counts$`)
	holds(said, `(?m)^-- txns.amount: fractions: declare DECIMAL\(18,2\) for money$`)
	_, said = run(declared)
	holds(said, `(?m)^complete: 4 records, 3 rows `)
	totals, _ := run(`bin/ubik --quiet --from "kafka://localhost:9092/txn_totals?compacted=yes" "SELECT minute, merchant, total::VARCHAR AS total FROM txn_totals WHERE merchant = 'corner shop'"`)
	if want := fmt.Sprintln(`{"minute":"2026-01-01T00:00:00Z","merchant":"corner shop","total":"12.55"}`); totals != want {
		t.Errorf("the totals are\n%swant\n%s", totals, want)
	}
}

func TestTheReadmesKafkaExampleNeedsABroker(t *testing.T) {
	t.Parallel()
	query, _, _ := kafkaBlocks(t)
	out, said, code := shell(folder(t), strings.ReplaceAll(query, "localhost:9092", broker.Nobody(t)))
	want := regexp.MustCompile(`^time=\S+ level=WARN msg="waiting for kafka at 127\.0\.0\.1:\d+ …"
ubik: kafka at 127\.0\.0\.1:\d+ could not be used for 30s: unable to dial: .+connection refused; check the address and that the broker runs; then run the same command again
$`)
	if code != 75 || out != "" || !want.MatchString(said) {
		t.Errorf("exit code %d: %s%s", code, out, said)
	}
}

func TestTheDemosFindTheKilledRunEqual(t *testing.T) {
	chapters := readme(t)
	if b := chapters["The demo"]; len(b) != 1 || b[0].text != "go run ./cmd/ubik demo\n" {
		t.Fatalf("the README shows the demo by %q", b)
	}
	joins := chapters["Joins"]
	if last := joins[len(joins)-1]; last.text != "go run ./cmd/ubik demo join\n" {
		t.Fatalf("the last block about joins is %q", last.text)
	}
	for _, s := range demo.Scenarios {
		t.Run(s.Doc, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			out, said, code := runIn(t, t.TempDir(), append([]string{"demo"}, strings.Fields(s.Name)...)...)
			t.Logf("it took %v", time.Since(began).Round(time.Millisecond))
			if code != 0 {
				t.Fatalf("exit code %d: %s%s", code, out, said)
			}
			kill := regexp.MustCompile(`(?m)^killed with SIGKILL (in the middle of a window|with rows waiting for their partners); the checkpoint: unit \d+, \d+ of \d+ records, \d+ rows, [1-9]\d* bytes of state$`)
			if n := len(kill.FindAllString(out, -1)); n != 5 {
				t.Errorf("%d kills in\n%s", n, out)
			}
			for _, line := range []string{
				`(?m)^rows written by the killed run +\d+, of them [1-9]\d* written again, identical in key, value and timestamp$`,
				`(?m)^after compaction +[1-9]\d* keys each, equal byte for byte$`,
				`(?m)^  ubik --from kafka://localhost:9092/(txns|auths) `,
			} {
				if !regexp.MustCompile(line).MatchString(out) {
					t.Errorf("no line %s in\n%s", line, out)
				}
			}
		})
	}
}
