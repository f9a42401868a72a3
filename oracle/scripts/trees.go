package scripts

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/script"
)

// tree is a query of several references to sources, as it is read by its text: what stands in it is replaced by what
// DuckDB takes.
type tree struct {
	c     *script.Case
	refs  []*reference
	bands []naive.Band
	edits []edit
	used  map[sql.Query]bool // queries with names that are mentioned
	names map[string]bool    // all names of columns, folded; nil: * stands for all
}

// defined is a query that WITH or CREATE VIEW gives a name. Behind it come those that it knows. The text has it once, so its
// references are the same for each use.
type defined struct {
	before *defined
	name   string
	query  sql.Query
}

func (d *defined) find(name string) *defined {
	for ; d != nil; d = d.before {
		if sql.SameName(d.name, name) {
			return d
		}
	}
	return nil
}

// with adds what stands before a query.
func (d *defined) with(tail *sql.Tail) *defined {
	if tail.With != nil {
		for _, t := range tail.With.Tables {
			d = &defined{d, t.Name.Name, t.Query}
		}
	}
	return d
}

// reference is one mention of a source. It becomes a table of its own, with the rows that are not late.
type reference struct {
	name   *sql.TableName
	time   string    // that a band compares; "": none
	window *sql.Call // TUMBLE over its rows; nil: none
	judged bool      // whether its rows can be late, and by what, is known
	split  bool      // not for all uses the same
}

// edit replaces a part of the text.
type edit struct {
	sql.Span
	text string
}

// one reports whether a query is a SELECT from one source, which Ask answers.
func one(q sql.Query) bool {
	sel, ok := q.(*sql.Select)
	if !ok {
		return false
	}
	_, table := sel.From.(*sql.TableName)
	table = table && sel.With == nil
	exists := false
	if sel.Where != nil {
		sql.WalkExprs(sel.Where, func(x sql.Expr) bool {
			_, is := x.(*sql.Exists)
			exists = exists || is
			return true
		})
	}
	return table && !exists
}

// text is a part of the text with its edits made.
func (t *tree) text(part sql.Span) string {
	slices.SortFunc(t.edits, func(a, b edit) int { return b.Pos - a.Pos })
	text := t.c.SQL[:part.End]
	for _, e := range t.edits {
		if part.Pos <= e.Pos && e.End <= part.End {
			text = text[:e.Pos] + e.text + text[e.End:]
		}
	}
	return text[part.Pos:]
}

// query reads a query. The rows of a reference that are rows of the output are never late.
func (t *tree) query(q sql.Query, names *defined, output bool) error {
	if u, ok := q.(*sql.Union); ok {
		names = names.with(&u.Tail)
		for _, in := range u.Inputs {
			if err := t.query(in, names, output); err != nil {
				return err
			}
		}
		return nil
	}
	sel := q.(*sql.Select)
	names = names.with(&sel.Tail)
	ref, err := t.from(sel.From, names)
	if err != nil {
		return err
	}
	window, err := t.windows(sel)
	if err != nil {
		return err
	}
	if ref != nil && window != nil {
		ref.judge("", window)
	}
	if ref, err = t.exists(sel.Where, ref, names); err != nil {
		return err
	}
	if ref != nil && output && window == nil {
		ref.judge("", nil)
	}
	return nil
}

// exists reads the EXISTS of a WHERE over the rows of a reference, nil if they are more than that, and returns what these
// are then.
func (t *tree) exists(where sql.Expr, ref *reference, names *defined) (*reference, error) {
	for _, x := range terms(where) {
		if not, ok := x.(*sql.Unary); ok {
			x = not.X
		}
		ex, ok := x.(*sql.Exists)
		if !ok {
			continue
		}
		sub := ex.Query.(*sql.Select)
		inner := names.with(&sub.Tail)
		right, err := t.from(sub.From, inner)
		if err != nil {
			return nil, err
		}
		if right, err = t.exists(sub.Where, right, inner); err != nil {
			return nil, err
		}
		if err := t.band(ref, right); err != nil {
			return nil, err
		}
		ref = nil
	}
	return ref, nil
}

// named notes the names of columns in a statement. A part of a dotted name may be one.
func (t *tree) named(s sql.Statement) {
	sql.Walk(s, func(n sql.Node) bool {
		switch n := n.(type) {
		case *sql.Star:
			t.names = nil
		case *sql.ColumnRef:
			for _, p := range n.Parts {
				t.name(p.Name)
			}
		case *sql.Join:
			for _, p := range n.Using {
				t.name(p.Name)
			}
		case *sql.Select:
			if n.Items == nil { // FROM alone
				t.names = nil
			}
		}
		return true
	})
}

func (t *tree) name(name string) {
	if t.names != nil {
		t.names[sql.FoldName(name)] = true
	}
}

// judge notes by what rows of a reference are late in a use: the time that a band compares, a window, or nothing.
func (r *reference) judge(time string, window *sql.Call) {
	if r.judged && (r.time != time || (r.window == nil) != (window == nil) || window != nil && !sql.Equal(r.window, window)) {
		r.split = true
	}
	r.time, r.window, r.judged = time, window, true
}

// edit replaces a part of the text; a query that is used twice is read twice.
func (t *tree) edit(part sql.Span, text string) {
	if e := (edit{part, text}); !slices.Contains(t.edits, e) {
		t.edits = append(t.edits, e)
	}
}

// terms are those of a condition that must all be true.
func terms(x sql.Expr) []sql.Expr {
	if x == nil {
		return nil
	}
	if l, ok := x.(*sql.Logic); ok && l.Op == sql.OpAnd {
		return l.Terms
	}
	return []sql.Expr{x}
}

// from reads what FROM holds, and returns the reference if it is no more than that.
func (t *tree) from(x sql.TableExpr, names *defined) (*reference, error) {
	switch x := x.(type) {
	case *sql.TableName:
		if d := names.find(x.Parts[0].Name); d != nil {
			t.used[d.query] = true
			return nil, t.query(d.query, d.before, false)
		}
		for _, ref := range t.refs {
			if ref.name == x {
				return ref, nil
			}
		}
		ref := &reference{name: x}
		t.refs = append(t.refs, ref)
		return ref, nil
	case *sql.SubqueryTable:
		return nil, t.query(x.Query, names, false)
	case *sql.Join:
		left, err := t.from(x.Left, names)
		if err != nil {
			return nil, err
		}
		right, err := t.from(x.Right, names)
		if err != nil {
			return nil, err
		}
		return nil, t.band(left, right)
	}
	return nil, fmt.Errorf("this FROM has no translation")
}

// band takes the next band, of a join of two sides; nil: a side that is more than a reference.
func (t *tree) band(left, right *reference) error {
	if len(t.bands) == 0 {
		return fmt.Errorf("the script tells no band for a join")
	}
	for i, side := range []*reference{left, right} {
		if side != nil {
			side.judge(t.bands[0].Times[i], nil)
		}
	}
	t.bands = t.bands[1:]
	return nil
}

// windows replaces the windows of a SELECT, and returns one of them.
func (t *tree) windows(sel *sql.Select) (*sql.Call, error) {
	var found *sql.Call
	var failed error
	replace := func(x sql.Expr) {
		sql.WalkExprs(x, func(x sql.Expr) bool {
			call, ok := x.(*sql.Call)
			if !ok || !isWindow(sql.FoldName(call.Name.Name)) {
				return true
			}
			size, constant := call.Args[len(call.Args)-1].(*sql.IntervalLit)
			if !constant || len(call.Args) != 2 || strings.HasPrefix(sql.FoldName(call.Name.Name), "hop") {
				failed = fmt.Errorf("%s has no translation", sql.Format(call))
				return false
			}
			text := t.bucket(call, t.c.SQL[call.Args[0].At().Pos:call.Args[0].At().End])
			if strings.HasSuffix(sql.FoldName(call.Name.Name), "_end") {
				text = "(" + text + " + " + interval(size) + ")"
			}
			t.edit(call.Span, text)
			found = call
			return false
		})
	}
	for i := range sel.Items {
		replace(sel.Items[i].Expr)
	}
	if sel.GroupBy != nil {
		for _, x := range sel.GroupBy.Items {
			replace(x)
		}
	}
	if sel.Having != nil {
		replace(sel.Having)
	}
	return found, failed
}

func (t *tree) bucket(call *sql.Call, at string) string {
	return fmt.Sprintf("time_bucket(%s, CAST(%s AS TIMESTAMP))", interval(call.Args[1].(*sql.IntervalLit)), at)
}
