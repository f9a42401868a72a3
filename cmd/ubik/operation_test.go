package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ubik/internal/engine"
	"ubik/internal/fault"
	"ubik/internal/runner"
)

// classes are all that fault has.
var classes = []fault.Class{fault.Usage, fault.Data, fault.LogChanged, fault.Sink, fault.Checkpoint, fault.Internal, fault.Retryable}

func operation(t *testing.T) string {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "OPERATION.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestTheDocumentedExitCodesAreTheProgramsOwn(t *testing.T) {
	_, table, _ := strings.Cut(operation(t), "\n## Exit codes\n")
	var got []string
	for _, m := range regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \|`).FindAllStringSubmatch(table, -1) {
		got = append(got, m[1]+" "+m[2])
	}
	want := []string{"0 –"}
	for _, c := range classes {
		want = append(want, fmt.Sprintf("%d %s", c.Code(), c))
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/OPERATION.md has %q, the program %q", got, want)
	}
}

func TestTheSupervisorRestartsOnlyWhatCanHelp(t *testing.T) {
	var codes []string
	for _, c := range classes {
		if c != fault.Retryable {
			codes = append(codes, fmt.Sprint(c.Code()))
		}
	}
	if line := "\nRestartPreventExitStatus=" + strings.Join(codes, " ") + "\n"; !strings.Contains(operation(t), line) {
		t.Errorf("the unit in docs/OPERATION.md has no line%s", line)
	}
}

func TestTheDocumentsNameOnlyFlagsThatExist(t *testing.T) {
	known := map[string]bool{"--data": true, "--json": true, "--raw": true} // of checkpoint show and peek
	newFlags(&options{}).VisitAll(func(f *flag.Flag) { known["--"+f.Name] = true })
	for _, flagName := range regexp.MustCompile("--[a-z][a-z-]*").FindAllString(operation(t), -1) {
		if !known[flagName] {
			t.Errorf("docs/OPERATION.md names %s, which is no flag", flagName)
		}
	}
}

func TestEveryColumnOfTheLedgerIsExplained(t *testing.T) {
	var out bytes.Buffer
	printLedger(&out, &engine.Report{Status: runner.Status{Partitions: make([]runner.PartStatus, 1)}})
	header := strings.Split(out.String(), "\n")[1]
	_, chapter, _ := strings.Cut(operation(t), "\n## The ledger\n")
	for _, column := range strings.Fields(header)[1:] {
		if !strings.Contains(chapter, "\n| `"+column+"` | ") {
			t.Errorf("docs/OPERATION.md does not explain the column %s", column)
		}
	}
}

func TestEveryFieldOfTheLogLineIsExplained(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "internal", "engine", "status.go"))
	if err != nil {
		t.Fatal(err)
	}
	fields := regexp.MustCompile(`slog\.[A-Z][A-Za-z0-9]+\("([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(fields) < 8 {
		t.Fatalf("only %d fields are found in the source", len(fields))
	}
	_, chapter, _ := strings.Cut(operation(t), "\n## The log line\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	_, table, _ := strings.Cut(chapter, "|---|---|")
	for _, f := range fields {
		if !strings.Contains(table, "`"+f[1]+"`") {
			t.Errorf("docs/OPERATION.md does not explain the field %s", f[1])
		}
	}
}
