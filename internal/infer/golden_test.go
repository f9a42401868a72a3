package infer

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/ubiktest/golden"
)

// read samples a file of testdata, whose JSON records are lines.
func read(t *testing.T, path string) *Sampler {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(path, ".jsonl") {
		s := NewJSON()
		for line := range bytes.Lines(data) {
			if line = bytes.TrimSuffix(line, []byte("\n")); len(line) > 0 {
				s.Add(line)
			}
		}
		return s
	}
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	s := NewCSV(records[0])
	for _, r := range records[1:] {
		texts, null := make([][]byte, len(r)), make([]bool, len(r))
		for i, text := range r {
			texts[i], null[i] = []byte(text), text == ""
		}
		s.AddFields(texts, null)
	}
	return s
}

func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, path := range files {
		base, isJSON := strings.CutSuffix(path, ".jsonl")
		if !isJSON {
			var isCSV bool
			if base, isCSV = strings.CutSuffix(path, ".csv"); !isCSV {
				continue
			}
		}
		seen++
		s := read(t, path)
		good, malformed := s.Records()
		got := describe(s.Schema(nil)) + "\n" + strconv.Itoa(good) + " records, " + strconv.Itoa(malformed) + " malformed\n"
		golden.File(t, path, base+".schema", got)
	}
	if seen < 30 {
		t.Errorf("only %d files", seen)
	}
}
