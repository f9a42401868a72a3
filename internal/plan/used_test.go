package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/golden"
	"ubik/internal/vec"
)

// checkUsed checks that every column that a plan decodes is one that Used has found, and every source one that it names.
func checkUsed(t *testing.T, r Request, p *Plan) {
	t.Helper()
	q := r.Parsed
	if q == nil {
		stmt, err := sql.Parse(r.Query)
		if err != nil {
			t.Fatal(err)
		}
		q = stmt.(sql.Query)
	}
	used := Used(q, r.Views)
	for _, s := range p.Sources {
		u := used[sql.FoldName(s.Name)]
		if u == nil {
			t.Errorf("%s\nthe source %s is not among the used", r.Query, s.Name)
			continue
		}
		for _, c := range s.Columns {
			if s.Time != "" && sql.SameName(c.Path[0], s.Time) {
				continue
			}
			typed := u.All || u.around(c.Path) || c.Type.Kind == vec.JSON // of which a member may be named
			if !typed || !u.Uses(c.Path) || !u.Uses(c.Path[:1]) {
				t.Errorf("%s\nthe column %q of %s is not among the used: %v", r.Query, c.Path, s.Name, slices.Collect(maps.Values(u.paths)))
			}
		}
	}
	if len(used) != len(p.Sources) {
		t.Errorf("%s\nused are %d sources, read %d", r.Query, len(used), len(p.Sources))
	}
}

func TestWhatIsDecodedIsUsed(t *testing.T) {
	queries := slices.Clone(trees)
	for _, text := range golden.Inputs(t, "testdata/*.txt") {
		_, query, _ := strings.Cut(text, "\n")
		queries = append(queries, query)
	}
	planned := 0
	for _, q := range queries {
		r := treeRequest(t, q)
		if p, err := Build(r); err == nil {
			planned++
			checkUsed(t, r, p)
		}
	}
	if planned < 60 {
		t.Errorf("only %d queries were planned", planned)
	}
}

func TestTheNamesThatAQueryUses(t *testing.T) {
	for _, c := range []struct{ query, want string }{
		{"SELECT k, t.N, S.a.b FROM T WHERE _offset > 1", "t: _offset k n s.a.b t.n"},
		{"SELECT count(*) FROM t", "t:"},
		{"SELECT * FROM t JOIN u ON t.k = u.k", "t: * k t.k u.k | u: * k t.k u.k"},
		{"SELECT u.* FROM t JOIN u USING (k)", "t: k | u: * k"},
		{"SELECT x.j['a'].b[1] FROM t x", "t: j.a.b x.j.a.b"},
		{"SELECT a FROM t AS x(a, b)", "t: * a"},
		{"SELECT k FROM t WHERE EXISTS (SELECT * FROM u WHERE u.k = t.k AND n > m)", "t: k m n t.k u.k | u: k m n t.k u.k"},
		{"SELECT n FROM t WHERE n IN (SELECT m FROM u)", "t: m n | u: m"},
		{"SELECT y + 1 AS z FROM (SELECT k AS y FROM t) x ORDER BY q", "t: k"},
		{"WITH v AS (SELECT * FROM t), w AS (SELECT p FROM u) SELECT k FROM w", "u: p"},
		{"WITH t AS (SELECT n FROM t) SELECT k FROM t, u", "t: n | u: k"},
		{"SELECT k FROM t UNION ALL SELECT m FROM (WITH u AS (SELECT i FROM t) SELECT * FROM u)", "t: i k"},
		{"CREATE VIEW v AS SELECT * FROM t; CREATE VIEW w AS SELECT p, q FROM u; CREATE VIEW x AS SELECT q FROM w; SELECT q FROM x, x y", "u: p q"},
		{"SELECT * FROM TUMBLE(t, ts, INTERVAL 1 MINUTE)", "t: * | ts: *"},
	} {
		list, err := sql.ParseScript(c.query)
		if err != nil {
			t.Fatal(err)
		}
		var views []*sql.CreateView
		for _, s := range list[:len(list)-1] {
			views = append(views, s.(*sql.CreateView))
		}
		used := Used(list[len(list)-1].(sql.Query), views)
		var got []string
		for name, u := range used {
			var names []string
			for _, p := range u.paths {
				names = append(names, sql.FoldName(strings.Join(p, ".")))
			}
			if u.All {
				names = append(names, "*")
			}
			slices.Sort(names)
			got = append(got, strings.TrimSpace(name+": "+strings.Join(names, " ")))
		}
		slices.Sort(got)
		if text := strings.Join(got, " | "); text != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.query, text, c.want)
		}
	}
}

func TestATypeIsNeededOfWhatIsNamedAroundItAndInIt(t *testing.T) {
	stmt, err := sql.Parse(`SELECT S.a.b, "st" FROM t`)
	if err != nil {
		t.Fatal(err)
	}
	u := Used(stmt.(sql.Query), nil)["t"]
	for path, want := range map[string]bool{
		"s": true, "S A": true, "s a b": true, "s a b c": true, "s a c": false, "s b": false, "st": true, "st x": true, "t": false, "a": false, "s.a": false,
	} {
		if got := u.Uses(strings.Split(path, " ")); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

// A name of WITH hides a source, and the sources of a query that is not used are not read.
func TestANamedQueryThatIsNotUsedNeedsNoSource(t *testing.T) {
	r := treeRequest(t, "WITH x AS (SELECT nothing FROM nowhere), a AS (SELECT k FROM b) SELECT k FROM a")
	r.Sources = slices.DeleteFunc(r.Sources, func(s Source) bool { return s.Name == "a" })
	p := build(t, r)
	if len(p.Sources) != 1 || p.Sources[0].Name != "b" {
		t.Error(p.Sources)
	}
	if _, err := Build(treeRequest(t, "WITH a AS (SELECT k FROM b) SELECT k FROM a")); err == nil || err.Error() != "the source a is not used by the query; leave its --from away" {
		t.Error(err)
	}
}

// Named queries that double each other come to an end.
func TestNamedQueriesAreWrittenOutSoManyTimes(t *testing.T) {
	double := func(n int) string {
		text := "WITH v0 AS (SELECT k FROM a)"
		for i := range n {
			text += fmt.Sprintf(", v%d AS (SELECT k FROM v%d UNION ALL SELECT k FROM v%d)", i+1, i, i)
		}
		return text + fmt.Sprintf(" SELECT k FROM v%d", n)
	}
	if p := build(t, treeRequest(t, double(9))); len(p.Branches) != 512 {
		t.Errorf("%d branches", len(p.Branches))
	}
	query := double(60)
	_, err := Build(treeRequest(t, query))
	if want := "with its WITH and views written out at each use, the query has more than 2000 tables; use them in fewer places"; err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// A long chain of named queries is planned in time that its length bounds.
func TestALongChainOfNamedQueries(t *testing.T) {
	text := "WITH v0 AS (SELECT k, ts FROM a)"
	for i := range 500 {
		text += fmt.Sprintf(", v%d AS (SELECT v%d.k, v%d.ts FROM v%d JOIN b ON b.k = v%d.k AND b.ts = v%d.ts)", i+1, i, i, i, i, i)
	}
	p := build(t, treeRequest(t, text+" SELECT k FROM v500"))
	if len(p.Stages) != 500 {
		t.Errorf("%d stages", len(p.Stages))
	}
}
