package plan

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// Semantics is the version of the engine's meaning, part of every fingerprint: a checkpoint made under another one is
// refused, since replaying could give other bytes.
const Semantics = "1"

// DefaultDelay is the delay of a source for which none is given, unless it is a file read to its end.
const DefaultDelay = vec.Time(5e6)

// Request is what a plan is made from.
type Request struct {
	Query   string
	Sources []Source // the tables that the query may name
	Key     []string // output columns that are the key; nil: the default key
}

// Build makes the plan of a query. A fault of the query is a *sql.Error with its place in Request.Query.
func Build(req Request) (*Plan, error) {
	stmt, err := sql.Parse(req.Query)
	if err != nil {
		return nil, err
	}
	sel, ok := stmt.(*sql.Select)
	if !ok {
		return nil, sql.Errorf(stmt, "UNION is not supported yet").WithHint("run one query for each part")
	}
	b := &builder{req: req, sel: sel, plan: &Plan{}}
	if err := b.build(); err != nil {
		return nil, err
	}
	return b.plan, nil
}

// builder works one SELECT into a plan.
type builder struct {
	req   Request
	sel   *sql.Select
	plan  *Plan
	scope scope  // of a query over one source
	join  *join  // of a query over two; nil: over one
	items []item // the select list, * expanded
}

// item is one output column.
type item struct {
	expr sql.Expr
	name string
	at   sql.Node
}

func (b *builder) build() error {
	if err := b.refuse(); err != nil {
		return err
	}
	if err := b.from(); err != nil {
		return err
	}
	if b.join != nil {
		if err := b.join.plan(); err != nil {
			return err
		}
		b.settle()
		b.facts()
		return nil
	}
	if err := b.selectList(); err != nil {
		return err
	}
	if err := b.distinctNames(); err != nil {
		return err
	}
	in := &b.plan.Inputs[0]
	if w := b.sel.Where; w != nil {
		e, err := b.condition(w, "WHERE")
		if err != nil {
			return err
		}
		in.Where = e
	}
	var err error
	if b.aggregates() {
		err = b.aggregate()
	} else {
		err = b.rowByRow()
	}
	if err != nil {
		return err
	}
	b.settle()
	b.facts()
	return nil
}

// refuse names what the grammar has and the planner does not.
func (b *builder) refuse() error {
	switch s := b.sel; {
	case s.Distinct:
		return sql.Errorf(s, "SELECT DISTINCT is not supported yet").WithHint("GROUP BY the columns, with a window")
	case len(s.OrderBy) > 0:
		return sql.Errorf(s.OrderBy[0], "ORDER BY is not supported yet").WithHint("rows leave by window, then by group key")
	case s.Limit != nil:
		return sql.Errorf(s.Limit, "LIMIT is not supported yet")
	case s.Offset != nil:
		return sql.Errorf(s.Offset, "OFFSET is not supported yet")
	}
	return nil
}

// from finds the sources.
func (b *builder) from() error {
	if f, ok := b.sel.From.(*sql.Join); ok {
		return b.fromJoin(f)
	}
	if b.sel.From != nil {
		where := conjuncts(b.sel.Where, false)
		for _, w := range where {
			if exists(w) != nil {
				return b.fromExists(w, where)
			}
		}
	}
	src, alias, err := b.table(b.sel.From)
	if err != nil {
		return err
	}
	b.plan.Sources, b.plan.Aliases, b.plan.Inputs = []Source{src}, []string{alias}, make([]Input, 1)
	b.scope = scope{src: &b.plan.Sources[0], alias: alias, in: &b.plan.Inputs[0]}
	b.scope.in.Delay = delayOf(b.scope.src)
	if err := b.subquery(); err != nil {
		return err
	}
	return b.unused(b.sel.From)
}

// table finds the source that FROM names, and its name in the query.
func (b *builder) table(t sql.TableExpr) (src Source, alias string, err error) {
	f, ok := t.(*sql.TableName)
	switch t := t.(type) {
	case nil:
		return src, "", sql.Errorf(b.sel, "the query has no FROM").WithHint("name the source: FROM %s", b.sourceNames())
	case *sql.SubqueryTable:
		return src, "", sql.Errorf(t, "a subquery in FROM is not supported yet").WithHint("write it as one SELECT")
	case *sql.FilePath:
		return src, "", sql.Errorf(t, "a path in FROM is not supported yet").WithHint("give the file with --from and name it in FROM")
	case *sql.TableFunc:
		return src, "", sql.Errorf(t, "table functions are not supported yet").WithHint("a window goes into GROUP BY: GROUP BY TUMBLE(ts, INTERVAL 1 MINUTE)")
	}
	if !ok {
		return src, "", sql.Errorf(t, "this form of FROM is not supported yet")
	}
	if len(f.Parts) > 1 {
		return src, "", sql.Errorf(f, "a table name has one part").WithHint("quote it if it holds dots: FROM %s", sql.QuoteName(sql.Format(f)))
	}
	name := f.Parts[0].Name
	alias = name
	if f.Alias != nil {
		if f.Alias.Columns != nil {
			return src, "", sql.Errorf(f.Alias, "renaming columns in FROM is not supported yet")
		}
		alias = f.Alias.Name.Name
	}
	var names []string
	for _, s := range b.req.Sources {
		if sql.SameName(s.Name, name) {
			return s, alias, nil
		}
		names = append(names, s.Name)
	}
	e := sql.Errorf(f, "there is no source named %s", sql.QuoteName(name))
	if near := sql.Nearest(name, names); near != "" {
		return src, "", e.WithHint("did you mean %s?", sql.QuoteName(near))
	}
	return src, "", e.WithHint("the sources are: %s; another is added by --from", b.sourceNames())
}

// subquery refuses a subquery in WHERE, which would read a source that seems unused.
func (b *builder) subquery() (err error) {
	sql.WalkExprs(b.sel.Where, func(e sql.Expr) bool {
		in, isIn := e.(*sql.In)
		_, isExists := e.(*sql.Exists)
		_, isValue := e.(*sql.Subquery)
		if isExists || isValue || isIn && in.Query != nil {
			_, err = b.bindInput(e, "WHERE")
		}
		return err == nil
	})
	return err
}

// unused refuses a source that the query does not read.
func (b *builder) unused(at sql.Node) error {
	for _, s := range b.req.Sources {
		used := false
		for _, u := range b.plan.Sources {
			used = used || sql.SameName(s.Name, u.Name)
		}
		if !used {
			return sql.Errorf(at, "the source %s is not used by the query", sql.QuoteName(s.Name)).WithHint("leave its --from away")
		}
	}
	return nil
}

// delayOf is the delay of a source, by default that of its kind.
func delayOf(src *Source) vec.Time {
	switch {
	case src.Delay >= 0:
		return src.Delay
	case src.File && src.Bounded:
		return vec.Forever
	}
	return DefaultDelay
}

func (b *builder) sourceNames() string {
	var names []string
	for _, s := range b.req.Sources {
		names = append(names, sql.QuoteName(s.Name))
	}
	return strings.Join(names, ", ")
}

// selectList expands * and names the output columns.
func (b *builder) selectList() error {
	for i := range b.sel.Items {
		it := &b.sel.Items[i]
		if star, ok := it.Expr.(*sql.Star); ok {
			if b.join != nil {
				items, err := b.join.star(star)
				if err != nil {
					return err
				}
				b.items = append(b.items, items...)
				continue
			}
			if len(star.Table) > 0 && !(len(star.Table) == 1 && sql.SameName(star.Table[0].Name, b.scope.alias)) {
				return sql.Errorf(star, "there is no source named %s here", sql.QuoteName(star.Table[len(star.Table)-1].Name))
			}
			for _, f := range b.scope.src.Schema {
				ref := &sql.ColumnRef{Span: star.Span, Parts: []sql.Ident{{Span: star.Span, Name: f.Name, Quoted: true}}}
				b.items = append(b.items, item{ref, f.Name, star})
			}
			continue
		}
		name := b.outputName(it.Expr)
		if it.Alias != nil {
			name = it.Alias.Name
		}
		b.items = append(b.items, item{it.Expr, name, it})
	}
	b.scope.items = b.items
	return nil
}

// condition binds a BOOLEAN expression over the input.
func (b *builder) condition(e sql.Expr, clause string) (expr.Expr, error) {
	x, err := b.bindInput(e, clause)
	if err != nil {
		return nil, err
	}
	return asCondition(e, x, clause)
}

func asCondition(at sql.Node, x expr.Expr, clause string) (expr.Expr, error) {
	switch x.Type().Kind {
	case vec.Bool:
		return x, nil
	case vec.Null:
		return expr.NewTypedNull(vec.TypeOf(vec.Bool)), nil
	}
	return nil, sql.Errorf(at, "%s needs a BOOLEAN, this is %s", clause, x.Type()).WithHint("compare it with something")
}

// rowByRow plans a query without aggregates.
func (b *builder) rowByRow() error {
	if h := b.sel.Having; h != nil {
		return sql.Errorf(h, "HAVING needs GROUP BY or an aggregate").WithHint("use WHERE")
	}
	in := &b.plan.Inputs[0]
	for _, it := range b.items {
		e, err := b.bindInput(it.expr, "the select list")
		if err != nil {
			return err
		}
		if e, err = writable(it.expr, e); err != nil {
			return err
		}
		in.Exprs = append(in.Exprs, e)
		b.plan.Output = append(b.plan.Output, vec.Field{Name: it.name, Type: e.Type()})
	}
	if b.req.Key == nil {
		return nil
	}
	cols, err := b.keyColumns()
	if err != nil {
		return err
	}
	in.KeyCols = cols
	named := map[Pseudo]bool{}
	for _, c := range cols {
		b.plan.Key = append(b.plan.Key, b.plan.Output[c])
		if x, ok := in.Exprs[c].(*expr.Column); ok && x.Index >= pseudoBase {
			named[in.Pseudo[x.Index-pseudoBase]] = true
		}
	}
	partition := PseudoPartition
	if b.scope.src.File {
		partition = PseudoTopic // the path; files have no numbers
	}
	if !named[PseudoOffset] || !named[partition] {
		return fmt.Errorf("--key %s: two rows could have the same key, so the result would depend on the order of writing; a query without an aggregate is keyed by its records' positions (leave --key away, or name _offset and %s among the columns)",
			strings.Join(b.req.Key, ","), pseudoNames[partition])
	}
	return nil
}

// writable makes an untyped NULL a VARCHAR and refuses what has no output form.
func writable(at sql.Node, e expr.Expr) (expr.Expr, error) {
	if e.Type().Kind == vec.Null {
		return expr.NewTypedNull(vec.TypeOf(vec.Varchar)), nil
	}
	return e, nil
}

// keyColumns finds the output columns that --key names.
func (b *builder) keyColumns() ([]int, error) {
	var names []string
	for _, f := range b.plan.Output {
		names = append(names, f.Name)
	}
	var cols []int
	for _, k := range b.req.Key {
		found := -1
		for i, n := range names {
			if sql.SameName(n, k) {
				found = i
				break
			}
		}
		if found < 0 {
			msg := fmt.Sprintf("--key names %q, which is not an output column; they are: %s", k, strings.Join(names, ", "))
			if near := sql.Nearest(k, names); near != "" {
				msg = fmt.Sprintf("--key names %q, which is not an output column; did you mean %q?", k, near)
			}
			return nil, fmt.Errorf("%s", msg)
		}
		if slices.Contains(cols, found) {
			return nil, fmt.Errorf("--key names %q twice", k)
		}
		cols = append(cols, found)
	}
	return cols, nil
}
