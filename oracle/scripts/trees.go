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
}

// reference is one mention of a source. It becomes a table of its own, with the rows that are not late.
type reference struct {
	name   *sql.TableName
	time   string    // that a band compares; "": none
	window *sql.Call // TUMBLE over its rows; nil: none
	judged bool      // whether its rows can be late, and by what, is known
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

// text is the query with its edits made.
func (t *tree) text() string {
	slices.SortFunc(t.edits, func(a, b edit) int { return b.Pos - a.Pos })
	text := t.c.SQL
	for _, e := range t.edits {
		text = text[:e.Pos] + e.text + text[e.End:]
	}
	return text
}

// query reads a query. The rows of a reference that are rows of the output are never late.
func (t *tree) query(q sql.Query, output bool) error {
	if u, ok := q.(*sql.Union); ok {
		for _, in := range u.Inputs {
			if err := t.query(in, output); err != nil {
				return err
			}
		}
		return nil
	}
	sel := q.(*sql.Select)
	ref, err := t.from(sel.From)
	if err != nil {
		return err
	}
	window, err := t.windows(sel)
	if err != nil {
		return err
	}
	if ref != nil && window != nil {
		ref.window, ref.judged = window, true
	}
	for _, x := range terms(sel.Where) {
		if not, ok := x.(*sql.Unary); ok {
			x = not.X
		}
		ex, ok := x.(*sql.Exists)
		if !ok {
			continue
		}
		inner, err := t.from(ex.Query.(*sql.Select).From)
		if err != nil {
			return err
		}
		if err := t.band(ref, inner); err != nil {
			return err
		}
		ref = nil
	}
	if ref != nil && output {
		ref.judged = true
	}
	return nil
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
func (t *tree) from(x sql.TableExpr) (*reference, error) {
	switch x := x.(type) {
	case *sql.TableName:
		ref := &reference{name: x}
		t.refs = append(t.refs, ref)
		return ref, nil
	case *sql.SubqueryTable:
		return nil, t.query(x.Query, false)
	case *sql.Join:
		left, err := t.from(x.Left)
		if err != nil {
			return nil, err
		}
		right, err := t.from(x.Right)
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
			side.time, side.judged = t.bands[0].Times[i], true
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
			t.edits = append(t.edits, edit{call.Span, text})
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
