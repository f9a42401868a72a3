package sql

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func mustScript(t *testing.T, text string) []Statement {
	t.Helper()
	list, err := ParseScript(text)
	if err != nil {
		t.Fatal(Describe(err, "script", text))
	}
	return list
}

// Every two of these statements differ.
func TestEqualStatementTellsStatementsApart(t *testing.T) {
	list := mustScript(t, `SELECT 1; SELECT 2; WITH a AS (SELECT 1) SELECT 1; WITH b AS (SELECT 1) SELECT 1; WITH a(x) AS (SELECT 1) SELECT 1;
		WITH a AS (SELECT 2) SELECT 1; WITH a AS (SELECT 1), b AS (SELECT 2) SELECT 1; SELECT 1 UNION SELECT 2; WITH a AS (SELECT 1) SELECT 1 UNION SELECT 2;
		SELECT [1]; SELECT []; SELECT [1, 1]; FROM f(1); FROM f(a = 1); FROM f(a = 2); FROM f(b = 1); FROM f((a = 1)); FROM f('a', a = 1);
		CREATE TABLE t (a INT); CREATE TABLE u (a INT); CREATE TEMP TABLE t (a INT); CREATE TABLE IF NOT EXISTS t (a INT); CREATE TABLE t (b INT);
		CREATE TABLE t (a TEXT); CREATE TABLE t (a INT, b INT); CREATE TABLE t (a INT METADATA); CREATE TABLE t (a INT METADATA VIRTUAL);
		CREATE TABLE t (a INT METADATA FROM 'a'); CREATE TABLE t (a AS b); CREATE TABLE t (a AS c); CREATE TABLE t (a INT PRIMARY KEY);
		CREATE TABLE t (a INT, PRIMARY KEY (a, b)); CREATE TABLE t (a INT, WATERMARK FOR a AS a); CREATE TABLE t (a INT, WATERMARK FOR b AS b);
		CREATE TABLE t (a INT, WATERMARK FOR a AS a - INTERVAL '0' SECOND); CREATE TABLE t (a INT, WATERMARK FOR a AS a - INTERVAL '1' SECOND);
		CREATE TABLE t (a INT) WITH (a = 1); CREATE TABLE t (a INT) WITH (b = 1); CREATE TABLE t (a INT) WITH (a = '1'); CREATE TABLE t (a INT) WITH (a = 1, b = 1);
		CREATE VIEW t AS SELECT 1; CREATE VIEW u AS SELECT 1; CREATE OR REPLACE VIEW t AS SELECT 1; CREATE TEMP VIEW t AS SELECT 1; CREATE VIEW IF NOT EXISTS t AS SELECT 1;
		CREATE VIEW t (a) AS SELECT 1; CREATE VIEW t AS SELECT 2; INSERT INTO t SELECT 1; INSERT INTO u SELECT 1; INSERT INTO t (a) SELECT 1; INSERT INTO t SELECT 2`)
	for i, a := range list {
		for j, b := range list {
			if equalStatement(a, b) != (i == j) {
				t.Errorf("equalStatement(%s, %s) is %v", Format(a), Format(b), i != j)
			}
		}
		if equalStatement(a, nil) || equalStatement(nil, a) {
			t.Errorf("%s equals nothing", Format(a))
		}
	}
	if !equalStatement(nil, nil) {
		t.Error("nothing does not equal nothing")
	}
}

func TestEqualStatementIgnoresCaseOrderOfClausesAndSpelling(t *testing.T) {
	list := mustScript(t, `create temporary table T (A int primary key not enforced, watermark for TS as ts - interval '60' second, "Ts" TIMESTAMP) with (Topic = 't');
		CREATE TEMP TABLE t (a INTEGER, ts DATETIME, PRIMARY KEY (A), WATERMARK FOR ts AS ts - INTERVAL '1 minute') WITH ('topic' = 't')`)
	if !equalStatement(list[0], list[1]) {
		t.Errorf("%s differs from %s", Format(list[0]), Format(list[1]))
	}
}

func TestWalkVisitsTheQueriesAndExpressionsOfStatements(t *testing.T) {
	const text = `CREATE TABLE t (a INT, b AS c + d, PRIMARY KEY (e), WATERMARK FOR f AS f) WITH (g = 1);
		CREATE VIEW v (h) AS WITH i AS (SELECT j FROM k) SELECT l FROM m UNION ALL SELECT [n, o[p]];
		INSERT INTO q (r) WITH s AS (SELECT u) SELECT v FROM w(x, y = z)`
	var seen []string
	for _, s := range mustScript(t, text) {
		Walk(s, func(n Node) bool {
			switch n := n.(type) {
			case *ColumnRef:
				seen = append(seen, n.Parts[0].Name)
			case *TableName:
				seen = append(seen, n.Parts[0].Name)
			case Statement:
				seen = append(seen, strings.TrimPrefix(fmt.Sprintf("%T", n), "*sql."))
			}
			return true
		})
	}
	const want = "CreateTable c d CreateView Union Select j k Select l m Select n o p Insert Select Select u v x z"
	if got := strings.Join(seen, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	Walk(mustScript(t, text)[1], func(n Node) bool {
		if _, ok := n.(*CreateView); !ok {
			t.Errorf("%T is visited though the visit of the view said no", n)
		}
		return false
	})
}

func TestSpansOfADeclarationCoverItsText(t *testing.T) {
	const text = `SELECT 1; CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, "b" TEXT METADATA FROM 'x' VIRTUAL, c AS (a + 1), ` +
		`WATERMARK FOR d AS (d - INTERVAL '1' DAY)) WITH (e.f = -1, 'g' = 'h'); CREATE VIEW v (i) AS (WITH j AS (SELECT 1) FROM j) LIMIT 1; INSERT INTO k (l) FROM m;`
	var got []string
	put := func(n Node) {
		s := n.At()
		got = append(got, text[s.Pos:s.End])
	}
	list := mustScript(t, text)
	table, view, insert := list[1].(*CreateTable), list[2].(*CreateView), list[3].(*Insert)
	put(table)
	put(table.Name)
	for _, c := range table.Columns {
		put(c)
		put(c.Name)
	}
	put(table.Columns[1].Metadata)
	put(table.PrimaryKey)
	put(table.Watermark)
	put(table.Watermark.Column)
	put(table.Watermark.Delay)
	for _, o := range table.Options {
		put(o)
		put(o.KeySpan)
		put(o.Value)
	}
	put(view)
	put(view.Columns[0])
	put(view.Query)
	put(view.Query.(*Select).With)
	put(view.Query.(*Select).With.Tables[0])
	put(insert)
	put(insert.Query)
	want := []string{
		`CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, "b" TEXT METADATA FROM 'x' VIRTUAL, c AS (a + 1), WATERMARK FOR d AS (d - INTERVAL '1' DAY)) WITH (e.f = -1, 'g' = 'h')`,
		"t", "a INT", "a", `"b" TEXT METADATA FROM 'x' VIRTUAL`, `"b"`, "c AS (a + 1)", "c",
		"METADATA FROM 'x' VIRTUAL", "PRIMARY KEY NOT ENFORCED", "WATERMARK FOR d AS (d - INTERVAL '1' DAY)", "d", "INTERVAL '1' DAY",
		"e.f = -1", "e.f", "-1", "'g' = 'h'", "'g'", "'h'",
		"CREATE VIEW v (i) AS (WITH j AS (SELECT 1) FROM j) LIMIT 1", "i", "WITH j AS (SELECT 1) FROM j) LIMIT 1", "WITH j AS (SELECT 1)", "j AS (SELECT 1)",
		"INSERT INTO k (l) FROM m", "FROM m",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTheDelayOfAWatermarkIsInMicroseconds(t *testing.T) {
	for delay, want := range map[string]int64{
		"ts":                                    0,
		"ts - INTERVAL '5' SECOND":              5_000_000,
		"ts - INTERVAL '1 day -1 second'":       86_399_000_000,
		"ts - INTERVAL '-1 day 24 hours'":       0,
		"ts - INTERVAL '1 week 1 us'":           604_800_000_001,
		"ts - INTERVAL '2147483647' DAY":        -1,
		"ts - INTERVAL '-1 day 23 hours'":       -1,
		"ts - INTERVAL '106751991' DAY":         106_751_991 * microsPerDay,
		"ts - INTERVAL '106751992' DAY":         -1,
		"ts - INTERVAL '9223372036854.8' S":     -1,
		"ts - INTERVAL '9223372036854775807us'": math.MaxInt64,
	} {
		list, err := ParseScript("CREATE TABLE t (WATERMARK FOR ts AS " + delay + ")")
		got := int64(-1)
		if err == nil {
			got = list[0].(*CreateTable).Watermark.Micros()
		}
		if got != want {
			t.Errorf("%s: got %d, want %d (%v)", delay, got, want, err)
		}
	}
}

func TestTheTextOfAnOptionHasNoQuotes(t *testing.T) {
	n := mustScript(t, `CREATE TABLE t WITH (a = 'it''s', b = TRUE, c = false, d = -1, e = +1_000, f = 1.50, g = 1e3, h = '')`)[0].(*CreateTable)
	var got []string
	for _, o := range n.Options {
		got = append(got, o.Key+"="+o.Text())
	}
	if got, want := strings.Join(got, " "), "a=it's b=true c=false d=-1 e=+1000 f=1.50 g=1e3 h="; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestFormatWritesThePartsOfAStatement(t *testing.T) {
	n := mustScript(t, `CREATE TABLE t (a INT METADATA PRIMARY KEY, WATERMARK FOR b AS b) WITH (c = 1)`)[0].(*CreateTable)
	s, err := Parse("WITH a AS (SELECT 1) FROM f(b = [1])")
	if err != nil {
		t.Fatal(err)
	}
	q := s.(*Select)
	for n, want := range map[Node]string{
		n.Columns[0]:                     "a INTEGER METADATA",
		n.PrimaryKey:                     "PRIMARY KEY (a)",
		n.Watermark:                      "WATERMARK FOR b AS b",
		n.Options[0]:                     "'c' = 1",
		q.With:                           "WITH a AS (SELECT 1)",
		q.From:                           "f(b = [1])",
		q.From.(*TableFunc).Call.Args[0]: "b = [1]",
	} {
		if got := Format(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestEveryRefusalIsReachedAndInOrder(t *testing.T) {
	check := func(list []refusal, text func(words string) string) {
		for i, r := range list {
			_, err := ParseScript(text(r.Words))
			if want := r.Words + " is not supported"; err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: got %v, want %s…", r.Words, err, want)
			}
			if i > 0 && list[i-1].Words >= r.Words {
				t.Errorf("%s stands before %s", list[i-1].Words, r.Words)
			}
		}
	}
	clauses := func(list []clause, what string, text func(words, next string) string) {
		for i, c := range list {
			for _, next := range append(strings.Fields(c.Next), "") {
				if next == "" && c.Next != "" {
					continue
				}
				next = strings.NewReplacer("_", "name", "#", "5", "'", "'text'", "(", "(", "{", "{").Replace(next)
				_, err := ParseScript(text(c.Words, next))
				if want := what + c.name() + " is not supported"; err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("%s %s: got %v, want %s…", c.Words, next, err, want)
				}
			}
			if i > 0 && list[i-1].Words >= c.Words {
				t.Errorf("%s stands before %s", list[i-1].Words, c.Words)
			}
		}
	}
	clauses(refusedClauses, "", func(words, next string) string { return "SELECT a FROM t " + words + " " + next })
	clauses(refusedClauses, "", func(words, next string) string { return "SELECT a FROM t AS u " + words + " " + next })
	clauses(refusedClauses, "", func(words, next string) string { return "SELECT a FROM t WHERE a = b " + words + " " + next })
	clauses(refusedOperands, "", func(words, next string) string { return "SELECT a, " + words + " " + next })
	clauses(refusedTables, "", func(words, next string) string { return "SELECT a FROM t, " + words + " " + next })
	clauses(refusedModifiers, "* ", func(words, next string) string { return "SELECT * " + words + " " + next })
	clauses(refusedCreations, "CREATE ", func(words, next string) string { return "CREATE " + words + " x" })
	check(refusedStatements, func(words string) string { return words + " x" })
	check(refusedConstraints, func(words string) string { return "CREATE TABLE t (a INT " + words + ")" })
	check(refusedTableClauses, func(words string) string { return "CREATE TABLE t (a INT) " + words + " (a)" })
}
