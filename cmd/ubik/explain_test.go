package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestThePlanInTheDocumentsIsTheOneShown(t *testing.T) {
	plan, stderr, code := runIn(t, t.TempDir(), "explain", "--from", "kafka://localhost:9092/txns", "--to", "kafka://localhost:9092/txn_counts", "--schema", schema, headline)
	if code != 0 || stderr != "" {
		t.Fatalf("exit code %d\n%s", code, stderr)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "OPERATION.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "```\n"+plan+"```\n") {
		t.Errorf("docs/OPERATION.md does not show this plan:\n%s", plan)
	}
}
