package scripts

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ubik/internal/ubiktest/script"
	"ubik/internal/ubiktest/sim"
	"ubik/oracle/duck"
)

// folder holds the scripts.
var folder = filepath.Join("..", "..", "internal", "ubiktest", "script", "testdata")

func open(t *testing.T) *duck.DB {
	t.Helper()
	db := duck.ForTest(t)
	if err := db.RegisterExact(); err != nil {
		t.Fatal(err)
	}
	return db
}

// differs is how a script says, in a comment right above a query, that DuckDB gives something else on purpose.
const differs = "# duckdb: differs, because "

// reasons gives why DuckDB differs, by the line of the query.
func reasons(t *testing.T, path string) map[int]string {
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	out := map[int]string{}
	lines := strings.Split(string(content), "\n")
	for i, l := range lines {
		if !strings.HasPrefix(l, differs) {
			continue
		}
		at := i + 1
		for at < len(lines) && (lines[at] == "" || strings.HasPrefix(lines[at], "#")) {
			at++
		}
		out[at+1] = strings.TrimPrefix(l, differs)
	}
	return out
}

var (
	reason    = regexp.MustCompile(`(?m)^(  first malformed at \d+): .*$`)
	malformed = regexp.MustCompile(`^error: malformed record at [^/]*/(\d+), position (\d+)[:,]`)
)

// TestScriptsAgreeWithDuckDB compares what each query of the scripts expects. Of a run that stops at a malformed record
// the place is compared, of one that fails at emission that DuckDB fails too. Rejected queries have nothing to compare.
func TestScriptsAgreeWithDuckDB(t *testing.T) {
	scripts, err := script.Load(folder)
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts ", err)
	}
	db := open(t)
	var rows, stopped, rejected, different int
	for _, s := range scripts {
		why := reasons(t, s.Path)
		for i := range s.Cases {
			c := &s.Cases[i]
			t.Run(filepath.Base(s.Path)+"/"+c.Name, func(t *testing.T) {
				failed := strings.HasPrefix(c.Want, "error: ")
				if !failed && !strings.HasPrefix(c.Want, "{") && !strings.HasPrefix(c.Want, "ledger ") {
					rejected++
					return
				}
				views, q := sim.Statements(c.SQL)
				if q == nil {
					t.Fatalf("%s:%d: %s\nis no query", s.Path, c.Line, c.SQL)
				}
				message := ""
				var err error
				switch {
				case views == nil && one(q):
					var a *Answer
					if a, err = Ask(db, c); err == nil {
						message = agrees(a, c.Want)
					}
				case !failed:
					var got []string
					if got, err = Tree(db, c); err == nil {
						message, err = treeAgrees(got, c)
					}
				}
				switch {
				case why[c.Line] != "":
					different++
					if err == nil && message == "" {
						t.Errorf("%s:%d: DuckDB does not differ, though %s", s.Path, c.Line, why[c.Line])
					}
				case err != nil:
					t.Errorf("%s:%d: %s\n%v", s.Path, c.Line, c.SQL, err)
				case message != "":
					t.Errorf("%s:%d: %s\n%s", s.Path, c.Line, c.SQL, message)
				}
				if failed {
					stopped++
				} else {
					rows++
				}
			})
		}
	}
	t.Logf("%d queries compared, %d of them stop with an error, %d differ on purpose; %d are rejected and were passed over", rows+stopped, stopped, different, rejected)
}

// agrees says how an answer and what a script expects differ, "" if they do not.
func agrees(a *Answer, want string) string {
	if m := malformed.FindStringSubmatch(want); m != nil {
		for i, l := range a.Ledgers {
			if fmt.Sprint(i) == m[1] && fmt.Sprint(l.FirstMalformed) == m[2] {
				return ""
			}
		}
		return fmt.Sprintf("---- DuckDB\n%s\n---- the script\n%s", a.Lines(), want)
	}
	if strings.HasPrefix(want, "error: a result cannot be written") {
		if a.Refused == nil {
			return fmt.Sprintf("---- DuckDB\n%s\n---- the script\n%s", a.Lines(), want)
		}
		return ""
	}
	if a.Refused != nil {
		return fmt.Sprintf("DuckDB fails: %v\n---- the script\n%s", a.Refused, want)
	}
	if got, want := a.Lines(), reason.ReplaceAllString(want, "$1"); got != want {
		return fmt.Sprintf("---- DuckDB\n%s\n---- the script\n%s", got, want)
	}
	return ""
}
