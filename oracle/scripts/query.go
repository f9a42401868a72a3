package scripts

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/script"
	"ubik/internal/ubiktest/sim"
	"ubik/internal/vec"
	"ubik/oracle/duck"
)

// item is an output column.
type item struct {
	expr sql.Expr
	name string
}

// query is a query of a script taken apart.
type query struct {
	c      *script.Case
	src    sim.Source
	parts  []naive.Partition // of the source
	sel    *sql.Select
	t      *translator
	items  []item
	groups []item    // GROUP BY, but the window
	window *sql.Call // nil: none
	start  string    // output name of its start
	hop    bool
	slide  *sql.IntervalLit // TUMBLE: the size
	size   *sql.IntervalLit
	offset *sql.IntervalLit // nil: none
	agg    bool
}

func isWindow(name string) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(name, "_start"), "_end")
	return base == "tumble" || base == "hop"
}

// take parses a query and resolves what its names stand for.
func take(db *duck.DB, c *script.Case) (*query, error) {
	stmt, err := sql.Parse(c.SQL)
	if err != nil {
		return nil, err
	}
	q := &query{c: c, sel: stmt.(*sql.Select), start: "window"}
	from := q.sel.From.(*sql.TableName)
	if err := q.reads(from.Parts[0].Name); err != nil {
		return nil, err
	}
	schema, err := sql.ParseSchema(q.src.Schema)
	if err != nil {
		return nil, err
	}
	q.t = &translator{schema: schema, alias: from.Parts[0].Name}
	if from.Alias != nil {
		q.t.alias = from.Alias.Name.Name
		q.t.rename(from.Alias.Columns)
	}
	if err := q.selectList(db); err != nil {
		return nil, err
	}
	return q, q.groupBy()
}

// reads takes the source of that name.
func (q *query) reads(name string) error {
	for i, s := range q.c.Sources {
		if sql.SameName(s.Name, name) {
			q.src = s
			q.parts = slices.DeleteFunc(slices.Clone(q.c.Partitions), func(p naive.Partition) bool { return p.Source != i })
			return nil
		}
	}
	return fmt.Errorf("there is no source %s", name)
}

// selectList expands * and names the columns. Those without AS have the names that DuckDB gives them.
func (q *query) selectList(db *duck.DB) error {
	for i := range q.sel.Items {
		it := &q.sel.Items[i]
		if _, star := it.Expr.(*sql.Star); star {
			for _, d := range q.t.schema {
				name := q.t.shown(d.Name.Name)
				q.items = append(q.items, item{&sql.ColumnRef{Parts: []sql.Ident{{Name: name}}}, name})
			}
			continue
		}
		name := ""
		if it.Alias != nil {
			name = it.Alias.Name
		} else {
			var err error
			if name, err = q.name(db, it.Expr); err != nil {
				return err
			}
		}
		q.items = append(q.items, item{it.Expr, name})
		q.agg = q.agg || hasAggregate(it.Expr)
	}
	q.agg = q.agg || q.sel.GroupBy != nil
	return nil
}

func hasAggregate(x sql.Expr) bool {
	found := false
	sql.WalkExprs(x, func(x sql.Expr) bool {
		if c, ok := x.(*sql.Call); ok && isAggregate(sql.FoldName(c.Name.Name)) {
			found = true
		}
		return !found
	})
	return found
}

// name asks DuckDB for the name of a column, by the text of the query itself. A window is named window.
func (q *query) name(db *duck.DB, x sql.Expr) (string, error) {
	if c, ok := x.(*sql.Call); ok && isWindow(sql.FoldName(c.Name.Name)) {
		return "window", nil
	}
	columns := []string{"NULL::VARCHAR AS _topic", "NULL::INTEGER AS _partition", "NULL::BIGINT AS _offset", "NULL::TIMESTAMP AS _timestamp", "NULL::VARCHAR AS _key"}
	for _, d := range q.t.schema {
		columns = append(columns, "NULL::"+sql.Format(d.Type)+" AS "+duck.Quote(q.t.shown(d.Name.Name)))
	}
	span := x.At()
	result, err := db.Query(fmt.Sprintf("SELECT column_name FROM (DESCRIBE SELECT %s FROM (SELECT %s) AS %s)", q.c.SQL[span.Pos:span.End], strings.Join(columns, ", "), duck.Quote(q.t.alias)))
	if err != nil {
		return "", err
	}
	return result.Rows[0][0].(string), nil
}

// groupBy resolves the entries of GROUP BY: a number, a name (first of a column, then of an output), ALL, an expression.
func (q *query) groupBy() error {
	if q.sel.GroupBy == nil {
		return nil
	}
	var entries []sql.Expr
	for _, x := range q.sel.GroupBy.Items {
		entries = append(entries, q.resolve(x))
	}
	if q.sel.GroupBy.All {
		for _, it := range q.items {
			if !hasAggregate(it.expr) {
				entries = append(entries, it.expr)
			}
		}
	}
	seen := map[string]bool{}
	for _, x := range entries {
		text := q.t.plain(x)
		if text == "" {
			return fmt.Errorf("%s has no translation", sql.Format(x))
		}
		if seen[text] {
			continue
		}
		seen[text] = true
		name := q.outputOf(text)
		if c, ok := x.(*sql.Call); ok && isWindow(sql.FoldName(c.Name.Name)) {
			if err := q.windowOf(c); err != nil {
				return err
			}
			if name != "" {
				q.start = name
			}
			continue
		}
		if name == "" {
			name = sql.Format(x)
			if ref, ok := x.(*sql.ColumnRef); ok {
				name = ref.Parts[len(ref.Parts)-1].Name
			}
		}
		q.groups = append(q.groups, item{x, name})
	}
	return nil
}

// outputOf is the name of the first output column that is the expression, "" if none is.
func (q *query) outputOf(text string) string {
	for _, it := range q.items {
		if q.t.plain(it.expr) == text {
			return it.name
		}
	}
	return ""
}

func (q *query) resolve(x sql.Expr) sql.Expr {
	switch x := x.(type) {
	case *sql.NumberLit:
		if n, err := strconv.Atoi(x.Text); err == nil {
			return q.items[n-1].expr
		}
	case *sql.ColumnRef:
		if len(x.Parts) == 1 && q.t.find(x.Parts[0].Name) == nil {
			for _, it := range q.items {
				if sql.SameName(it.name, x.Parts[0].Name) {
					return it.expr
				}
			}
		}
	}
	return x
}

func (q *query) windowOf(c *sql.Call) error {
	q.window, q.hop = c, sql.FoldName(c.Name.Name) == "hop"
	var spans []*sql.IntervalLit
	for _, a := range c.Args[1:] {
		span, ok := a.(*sql.IntervalLit)
		if !ok {
			return fmt.Errorf("%s: a window without constant intervals", sql.Format(c))
		}
		spans = append(spans, span)
	}
	q.slide, q.size = spans[0], spans[0]
	spans = spans[1:]
	if q.hop {
		q.size, spans = spans[0], spans[1:]
	}
	if len(spans) > 0 {
		q.offset = spans[0]
	}
	return nil
}

// hops is how many windows before its last one a row can lie in.
func (q *query) hops() int64 {
	length := func(i *sql.IntervalLit) int64 {
		if i.Months != 0 {
			return int64(i.Months)
		}
		return int64(i.Days)*int64(vec.Day) + i.Micros
	}
	return length(q.size) / length(q.slide)
}

// keys are what stands for group keys and bounds of the window in what is emitted.
func (q *query) keys() map[string]string {
	keys := map[string]string{}
	for i, g := range q.groups {
		keys[q.t.plain(g.expr)] = fmt.Sprintf(`"r"."__g%d"`, i)
	}
	if q.window != nil {
		text := q.t.plain(q.window)
		name, args, _ := strings.Cut(text, "(")
		keys[text] = `"r"."__start"`
		keys[name+"_start("+args] = `"r"."__start"`
		keys[name+"_end("+args] = `"r"."__end"`
	}
	return keys
}
