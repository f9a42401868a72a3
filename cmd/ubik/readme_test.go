package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"ubik/internal/demo"
)

// block is a fenced code block of the README.
type block struct{ chapter, language, text string }

func readme(t *testing.T) []block {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var blocks []block
	chapter := ""
	for _, m := range regexp.MustCompile("(?ms)^## ([^\n]+)$|^```([a-z]+)\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		if m[1] != "" {
			chapter = m[1]
			continue
		}
		blocks = append(blocks, block{chapter, m[2], m[3]})
	}
	return blocks
}

// blockOf is the only block of a language in a chapter.
func blockOf(t *testing.T, chapter, language string) string {
	t.Helper()
	var found []string
	for _, b := range readme(t) {
		if b.chapter == chapter && b.language == language {
			found = append(found, b.text)
		}
	}
	if len(found) != 1 {
		t.Fatalf("the README has %d %s blocks in %q", len(found), language, chapter)
	}
	return found[0]
}

// shell runs a script in a folder where bin/ubik is the program, and returns its standard output and error.
func shell(t *testing.T, script string) (stdout, stderr string, code int) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(binary, filepath.Join(dir, "bin", "ubik")); err != nil {
		t.Fatal(err)
	}
	var out, errs strings.Builder
	cmd := exec.Command("sh", "-e", "-c", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	cmd.Run() // whose error is the exit code
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestTheReadmesFileExamplePrintsWhatItSays(t *testing.T) {
	t.Parallel()
	const build = "go build -o bin/ubik ./cmd/ubik\n"
	script, ok := strings.CutPrefix(blockOf(t, "On a file", "sh"), build)
	if !ok {
		t.Fatalf("the block does not begin with %q", build)
	}
	out, said, code := shell(t, script)
	if want := blockOf(t, "On a file", "json"); code != 0 || out != want {
		t.Errorf("exit code %d, standard output\n%swant\n%sstandard error\n%s", code, out, want, said)
	}
}

func TestTheReadmesKafkaExampleIsPlannedAndNeedsABroker(t *testing.T) {
	t.Parallel()
	script := blockOf(t, "On your own Kafka", "sh")
	if strings.Count(script, "localhost:9092") != 2 {
		t.Fatalf("the block does not name localhost:9092 twice:\n%s", script)
	}
	began := time.Now()
	out, said, code := shell(t, strings.ReplaceAll(script, "localhost:9092", closedPort(t)))
	took := time.Since(began)
	want := regexp.MustCompile(`^time=\S+ level=WARN msg="waiting for kafka at 127\.0\.0\.1:\d+ …"
ubik: kafka at 127\.0\.0\.1:\d+ could not be used for 30s: unable to dial: .+connection refused; check the address and that the broker runs; then run the same command again
$`)
	if code != 75 || out != "" || !want.MatchString(said) || took > 45*time.Second {
		t.Errorf("exit code %d after %v: %s%s", code, took, out, said)
	}
}

func TestTheDemosFindTheKilledRunEqual(t *testing.T) {
	if script := readme(t)[0]; script.text != "go run ./cmd/ubik demo\n" {
		t.Fatalf("the first block of the README is %q", script.text)
	}
	for _, s := range demo.Scenarios {
		t.Run(s.Doc, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			out, said, code := runIn(t, t.TempDir(), append([]string{"demo"}, strings.Fields(s.Name)...)...)
			took := time.Since(began)
			if code != 0 || took > time.Minute {
				t.Fatalf("exit code %d after %v: %s%s", code, took, out, said)
			}
			if n := strings.Count(out, "\nkilled with SIGKILL "); n != 5 {
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
