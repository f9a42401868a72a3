package infer

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ubik/oracle/duck"
)

var update = flag.Bool("update", false, "rewrite the expected readings in testdata; the reasons of their differences stay")

const (
	csvCorpus  = "../../internal/codec/csv/testdata"
	rowsShown  = 20
	reasonFile = "testdata/reasons.txt"
	noReason   = "?"
)

// TestEveryFileReadsAsItsGoldenSays reads every file of both corpora, and one of 3,000 columns, as a user would: with
// ubik schema and with SELECT *, and with DuckDB as it reads the file when nothing is said. Beside each other they lie in
// testdata, with a reason for all in which they differ.
func TestEveryFileReadsAsItsGoldenSays(t *testing.T) {
	db, err := duck.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	program := build(t)
	reasons := readReasons(t)
	used, goldens := map[string]bool{}, map[string]bool{}
	files := corpusFiles(t)
	if len(files) < 40 {
		t.Fatalf("only %d files", len(files))
	}
	for _, path := range files {
		golden := filepath.Join("testdata", filepath.Base(filepath.Dir(filepath.Dir(path)))+"-"+filepath.Base(path)+".golden")
		goldens[golden] = true
		old, err := os.ReadFile(golden)
		if err != nil && !*update {
			t.Error(err)
			continue
		}
		ours, theirs := readByProgram(t, program, path), readByDuckDB(t, db, path)
		got := golding(ours, theirs, reasonsIn(string(old)))
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if got != string(old) {
			t.Errorf("%s\ngot\n%swant\n%s", golden, got, old)
		}
		for difference, reason := range reasonsIn(got) {
			if used[reason] = true; reasons[reason] == "" {
				t.Errorf("%s: no reason of %s for this difference: %s", golden, reasonFile, difference)
			}
		}
	}
	for reason := range reasons {
		if !used[reason] {
			t.Errorf("%s: %s is no reason of any difference", reasonFile, reason)
		}
	}
	there, err := filepath.Glob("testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if !goldens[path] {
			t.Errorf("%s belongs to no file", path)
		}
	}
}

// build makes the program as it is released.
func build(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(t.TempDir(), "ubik"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", path, "./cmd/ubik")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("building the program: %v\n%s", err, out)
	}
	return path
}

// corpusFiles are the files of the CSV corpus, those of the corpus of types, and a wide one.
func corpusFiles(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{csvCorpus + "/*.csv", csvCorpus + "/*.tsv", csvCorpus + "/*.txt", corpus + "/*.jsonl", corpus + "/*.csv"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(paths) == 0 { // a wrong path finds none
			t.Fatalf("no file is %s", pattern)
		}
		out = append(out, paths...)
	}
	wide := filepath.Join(t.TempDir(), "generated", "testdata", "wide.csv")
	if err := os.MkdirAll(filepath.Dir(wide), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(wide, wideFile(3000), 0o644); err != nil {
		t.Fatal(err)
	}
	return append(out, wide)
}

// wideFile is an export with one column a sensor and day: integers, fractions, dates, texts, and columns that are empty.
func wideFile(columns int) []byte {
	var b bytes.Buffer
	field := func(row, i int) string {
		switch {
		case row < 0:
			return fmt.Sprintf("s%04d", i)
		case i%50 == 7:
			return ""
		}
		return []string{strconv.Itoa(row*columns + i), fmt.Sprintf("%d.%d", i, row+1), fmt.Sprintf("2026-01-%02d", row+1), fmt.Sprintf(`"no. %d, %d"`, row, i)}[i%4]
	}
	for row := -1; row < 2; row++ {
		for i := range columns {
			if i > 0 {
				b.WriteByte(';')
			}
			b.WriteString(field(row, i))
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// reasonsIn are the differences of a golden with the names of their reasons.
func reasonsIn(golden string) map[string]string {
	out := map[string]string{}
	_, list, _ := strings.Cut(golden, "\ndifferences\n")
	for line := range strings.Lines(list) {
		line = strings.TrimSpace(line)
		if i := strings.LastIndex(line, ": "); i >= 0 {
			out[line[:i]] = line[i+2:]
		}
	}
	return out
}

// readReasons reads the reasons: a name, a colon, a sentence.
func readReasons(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(reasonFile)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, sentence, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || out[name] != "" {
			t.Fatalf("%s: %q is no reason", reasonFile, line)
		}
		out[name] = sentence
	}
	return out
}
