package plan

import (
	"math"
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
	Query   string            // the text that places of errors are in
	Parsed  sql.Query         // the query; nil: it is read from Query
	Sources []Source          // the tables that the query may name
	Views   []*sql.CreateView // queries that it may name, each of which knows those before it
	Key     []string          // output columns that are the key; nil: the default key
	KeyAt   sql.Node          // where Query declares Key; nil: it is a flag
	KeySaid string            // what declares it there: PRIMARY KEY or key.fields

	// Columns and Into are of INSERT INTO name (columns) SELECT …: the columns of the query are those of Into, or if
	// Columns is not nil those that it names, by position. Of a table without declared columns Into is nil.
	Columns []sql.Ident
	Into    []vec.Field
}

// Build makes the plan of a query. A fault of the query is a *sql.Error with its place in Request.Query. A view or a table
// of WITH that is not used is not looked at.
//
// A query is first resolved, from the inside out, to arms: the parts of a UNION ALL, each a list of expressions over a
// source or over an operator. Filters and select lists are no operators, they are written into those above or below them.
// Then each arm is laid out as a branch.
func Build(req Request) (*Plan, error) {
	p := &planner{req: req, stmt: req.Parsed, plan: &Plan{}}
	if p.stmt == nil {
		stmt, err := sql.Parse(req.Query)
		if err != nil {
			return nil, err
		}
		p.stmt = stmt.(sql.Query)
	}
	if err := p.checkViews(); err != nil {
		return nil, err
	}
	free := 0
	if req.Columns != nil || req.Into != nil {
		free = anyName
	}
	q, err := p.query(p.stmt, viewsOf(req.Views), free)
	if err != nil {
		return nil, err
	}
	if err := p.insert(q); err != nil {
		return nil, err
	}
	if err := p.layOut(q); err != nil {
		return nil, err
	}
	p.settle()
	p.plan.facts()
	return p.plan, nil
}

// planner works a statement into a plan.
type planner struct {
	req      Request
	stmt     sql.Query
	plan     *Plan
	clocks   []expr.Expr       // of each source of the plan: what WATERMARK FOR names, TIMESTAMP over its columns; nil: nothing
	unused   bool              // sources that the query does not read were looked for
	mentions int               // entries of FROM so far
	idle     map[sql.Expr]bool // conditions that no row comes to: they are checked, and not computed
	outputs  []int             // of INSERT: for each column of the query, which column of the output it is; nil: that of its number
}

// rows is what a query yields: the columns, and the arms that give them.
type rows struct {
	fields []vec.Field
	at     []sql.Node // where each column stands
	arms   []*arm
}

// builder works one SELECT.
type builder struct {
	p        *planner
	sel      *sql.Select
	at       place // behind its WITH
	free     int   // so many of its columns, from the first, are named otherwise
	rel      *relation
	items    []item                                       // the select list, * expanded
	resolved map[*sql.ColumnRef]func() (expr.Expr, error) // of the names that * stands for
}

// item is one output column.
type item struct {
	expr sql.Expr
	name string
	at   sql.Node
}

// anyName is for columns that are all named otherwise.
const anyName = math.MaxInt

// query resolves a query. So many of its columns as free says, from the first, are named otherwise where it stands, so that
// two of them may have the same name.
func (p *planner) query(q sql.Query, at place, free int) (*rows, error) {
	at = at.with(tail(q).With)
	switch q := q.(type) {
	case *sql.Union:
		return p.union(q, at, free)
	case *sql.Select:
		return (&builder{p: p, sel: q, at: at, free: free, resolved: map[*sql.ColumnRef]func() (expr.Expr, error){}}).rows()
	}
	panic("plan: a query of another kind")
}

func (b *builder) rows() (*rows, error) {
	s := b.sel
	if s.Distinct {
		return nil, sql.Errorf(s, "SELECT DISTINCT is not supported yet").WithHint("GROUP BY the columns; where the source goes on, with a window: GROUP BY a, b, TUMBLE(ts, INTERVAL 1 MINUTE)")
	}
	if err := refuseTail(&s.Tail); err != nil {
		return nil, err
	}
	if err := b.from(); err != nil {
		return nil, err
	}
	if err := b.selectList(); err != nil {
		return nil, err
	}
	if b.rel.join == nil {
		if err := b.distinctNames(); err != nil {
			return nil, err
		}
	}
	if err := b.where(); err != nil {
		return nil, err
	}
	var out *rows
	var err error
	if b.aggregates() {
		out, err = b.aggregate()
	} else {
		out, err = b.rowByRow()
	}
	if err != nil {
		return nil, err
	}
	return out, b.distinctNames()
}

// refuseTail names what the grammar has and the planner does not.
func refuseTail(t *sql.Tail) error {
	switch {
	case len(t.OrderBy) > 0:
		return sql.Errorf(t.OrderBy[0], "ORDER BY is not supported yet").WithHint("rows leave by window, then by group key; sort them behind the run: ubik … | sort")
	case t.Limit != nil:
		return sql.Errorf(t.Limit, "LIMIT is not supported yet").
			WithHint("give the rows to head: ubik … | head -n 10; records of a source are shown by ubik peek -n 10 SOURCE")
	case t.Offset != nil:
		return sql.Errorf(t.Offset, "OFFSET is not supported yet").WithHint("give the rows to tail: ubik … | tail -n +11; where a run begins to read is said by --start")
	}
	return nil
}

// refuseUnused refuses a source that the query does not read.
func (p *planner) refuseUnused(at sql.Node) error {
	if p.unused {
		return nil
	}
	p.unused = true
	used := Used(p.stmt, p.req.Views)
	for _, s := range p.req.Sources {
		if used[sql.FoldName(s.Name)] == nil {
			return sql.Errorf(at, "the source %s is not used by the query", sql.QuoteName(s.Name)).WithHint("leave its --from away")
		}
	}
	return nil
}

// delayOf is the delay of a source, by default that of its kind. One that is longer than any two times are apart is
// unlimited, which it comes to: what is added to a delay would no longer fit.
func delayOf(src *Source) vec.Time {
	switch {
	case src.Delay > vec.MaxTime-vec.MinTime:
		return vec.Forever
	case src.Delay >= 0:
		return src.Delay
	case src.File && src.Bounded:
		return vec.Forever
	}
	return DefaultDelay
}

func (p *planner) sourceNames() string {
	var names []string
	for _, s := range p.req.Sources {
		names = append(names, sql.QuoteName(s.Name))
	}
	return strings.Join(names, ", ")
}

// settle gives the pseudo-columns their place behind the decoded columns.
func (p *planner) settle() {
	for i := range p.plan.Inputs {
		in := &p.plan.Inputs[i]
		decoded := len(p.plan.Sources[in.Source].Columns)
		fix := func(c *expr.Column) expr.Expr {
			if c.Index < pseudoBase {
				return c
			}
			return &expr.Column{Index: decoded + c.Index - pseudoBase, Name: c.Name, T: c.T}
		}
		in.Time, in.Where = rewrite(in.Time, fix), rewrite(in.Where, fix)
		for k := range in.Exprs {
			in.Exprs[k] = rewrite(in.Exprs[k], fix)
		}
	}
}
