package table

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ubik/internal/catalog"
	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/sql"
)

// columnsOf are how many columns a CSV of these records is found to have.
func columnsOf(t *testing.T, records []string) int {
	t.Helper()
	got, _, err := resolve(&log{parts: [][]string{records}}, false, catalog.Table{Format: "csv"}, nil, "*")
	if err != nil {
		t.Fatal(err)
	}
	return len(got.Dialect.Names)
}

// A file has columns when at least half of the records that count have them.
func TestADialectIsFoundInTheFirstThousandRecordsOfAFile(t *testing.T) {
	two, one := slices.Repeat([]string{"1,2"}, 499), slices.Repeat([]string{"x"}, 500)
	records := slices.Concat([]string{"1,2"}, one, two)
	if n := columnsOf(t, slices.Concat(records, one)); n != 2 {
		t.Errorf("half of the first thousand have 2 columns: %d", n)
	}
	if n := columnsOf(t, slices.Concat(records[:999], []string{"x"}, two)); n != 1 {
		t.Errorf("fewer of the first thousand have 2 columns: %d", n)
	}
}

func TestADialectIsFoundInTheFirstMebibyteOfAFile(t *testing.T) {
	long := strings.Repeat("a", 100<<10) + ",2"
	records := slices.Concat([]string{"1,2"}, slices.Repeat([]string{"x"}, 6), slices.Repeat([]string{long}, 9))
	if n := columnsOf(t, records); n != 2 {
		t.Errorf("most records within it have 2 columns: %d", n)
	}
	records = append(records, slices.Repeat([]string{long}, 2)...) // which pass it
	if n := columnsOf(t, slices.Concat(records, slices.Repeat([]string{"x"}, 900))); n != 2 {
		t.Errorf("of what is behind nothing counts: %d", n)
	}
}

func TestColumnsThatMayBeAbsentAreNotWaitedForNorLookedForInWhatWasInferred(t *testing.T) {
	columns, err := plan.Schema("a BIGINT")
	if err != nil {
		t.Fatal(err)
	}
	l := &log{chunk: 100, parts: [][]string{{`{"b":1}`}}, fills: 3}
	var waited []string
	r := &Resolver{Wait: 10 * time.Second, Clock: &hasty{}, Waiting: func(name string) { waited = append(waited, name) }}
	table, err := r.Resolve(context.Background(), &catalog.Table{Name: "t", Kind: l.kind(true), Schema: columns}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, few, err := r.Absent(context.Background(), table, []string{"a"}, sql.Nearest)
	if err != nil || got != nil || !few || l.listings != 1 || waited != nil {
		t.Errorf("an empty topic: %q, %v, listed %d times, waited for %q", got, err, l.listings, waited)
	}

	l = &log{chunk: 100, parts: [][]string{slices.Repeat([]string{`{"b":1}`}, 1001)}}
	l.parts[0] = append(l.parts[0], `{"a":1}`)
	table, err = r.Resolve(context.Background(), &catalog.Table{Name: "t", Kind: l.kind(true)}, nil, func([]string) bool { return true })
	if err != nil || !table.Inferred {
		t.Fatal(err)
	}
	listings, read := l.listings, l.read[0]
	got, few, err = r.Absent(context.Background(), table, []string{"z"}, sql.Nearest)
	if err != nil || got != nil || few || l.listings != listings || l.read[0] != read {
		t.Errorf("what was inferred is looked at again: %q, %v", got, err)
	}
}

// A last line without a line feed is a record only where the run takes it for one: of a file that grows it may be half of
// one, from which nothing is inferred.
func TestNothingIsInferredFromALastLineThatIsNotWhole(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, whole, growing string }{
		"t.jsonl": {"{\"a\":1}\n{\"a\":2,\"b\":3}", "a BIGINT, b BIGINT", "a BIGINT"},
		"t.csv":   {"a,b\n1,2\n3,4 EU", "a BIGINT, b VARCHAR", "a BIGINT, b BIGINT"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, how := range []struct {
			keepOpen, follow bool
			want             string
		}{{false, false, c.whole}, {true, false, c.growing}, {false, true, c.growing}} {
			r := &Resolver{Clock: &hasty{}, Options: connector.Options{Disk: host.OS, KeepOpen: how.keepOpen, MaxRecord: 1 << 20}}
			declared := &catalog.Table{Name: "t", Kind: &file.Kind, URL: path, Format: catalog.EndingFormat(path), Follow: how.follow}
			got, err := r.Resolve(context.Background(), declared, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if columns := columnsText(got.Schema); columns != how.want {
				t.Errorf("%s, kept open %v, followed %v: %s, want %s", name, how.keepOpen, how.follow, columns, how.want)
			}
		}
	}
}
