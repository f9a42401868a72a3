package sql

// Walk calls visit for n and, as long as visit says true, for what is below
// it, each node before its children and children in the order of the text,
// but for FROM: what a query reads comes behind its select list, also where it
// is written before it.
// Visited are Queries, TableExprs and Exprs; the parts between them (select
// items, aliases, types, names) are not. Of a CreateTable the expressions of
// its computed columns are visited, of every other statement its query; the
// statement itself comes first.
func Walk(n Node, visit func(Node) bool) {
	w := walker{visit}
	switch n := n.(type) {
	case Query:
		w.query(n)
	case Statement:
		w.statement(n)
	case TableExpr:
		w.table(n)
	case Expr:
		w.expr(n)
	}
}

// WalkExprs is Walk restricted to expressions that belong to the query the
// walk starts in: it does not enter subqueries, but visits the Subquery,
// Exists or In that holds one.
func WalkExprs(x Expr, visit func(Expr) bool) {
	Walk(x, func(n Node) bool {
		e, ok := n.(Expr)
		return ok && visit(e)
	})
}

type walker struct {
	visit func(Node) bool
}

func (w walker) statement(s Statement) {
	if !w.visit(s) {
		return
	}
	switch s := s.(type) {
	case *CreateTable:
		for _, c := range s.Columns {
			w.expr(c.Computed)
		}
	case *CreateView:
		w.query(s.Query)
	case *Insert:
		w.query(s.Query)
	}
}

func (w walker) with(n *With) {
	if n == nil {
		return
	}
	for _, t := range n.Tables {
		w.query(t.Query)
	}
}

func (w walker) query(q Query) {
	if q == nil || !w.visit(q) {
		return
	}
	switch q := q.(type) {
	case *Select:
		w.with(q.With)
		for _, item := range q.Items {
			w.expr(item.Expr)
		}
		w.table(q.From)
		w.expr(q.Where)
		if q.GroupBy != nil {
			w.exprs(q.GroupBy.Items)
		}
		w.expr(q.Having)
		w.tail(&q.Tail)
	case *Union:
		w.with(q.With)
		for _, in := range q.Inputs {
			w.query(in)
		}
		w.tail(&q.Tail)
	}
}

func (w walker) tail(t *Tail) {
	w.order(t.OrderBy)
	w.expr(t.Limit)
	w.expr(t.Offset)
}

func (w walker) order(items []OrderItem) {
	for _, o := range items {
		w.expr(o.Expr)
	}
}

func (w walker) table(t TableExpr) {
	if t == nil || !w.visit(t) {
		return
	}
	switch t := t.(type) {
	case *TableFunc:
		w.expr(t.Call)
	case *SubqueryTable:
		w.query(t.Query)
	case *Join:
		w.table(t.Left)
		w.table(t.Right)
		w.expr(t.On)
	}
}

func (w walker) exprs(list []Expr) {
	for _, x := range list {
		w.expr(x)
	}
}

func (w walker) expr(x Expr) {
	if x == nil || !w.visit(x) {
		return
	}
	switch x := x.(type) {
	case *ListLit:
		w.exprs(x.Items)
	case *StructLit:
		w.exprs(x.Values)
	case *NamedArg:
		w.expr(x.Value)
	case *Unary:
		w.expr(x.X)
	case *Binary:
		w.expr(x.L)
		w.expr(x.R)
	case *Logic:
		w.exprs(x.Terms)
	case *IsNull:
		w.expr(x.X)
	case *IsBool:
		w.expr(x.X)
	case *In:
		w.expr(x.X)
		w.exprs(x.List)
		w.query(x.Query)
	case *Between:
		w.expr(x.X)
		w.expr(x.Low)
		w.expr(x.High)
	case *Like:
		w.expr(x.X)
		w.expr(x.Pattern)
		w.expr(x.Escape)
	case *Case:
		w.expr(x.Operand)
		for _, arm := range x.Whens {
			w.expr(arm.Cond)
			w.expr(arm.Then)
		}
		w.expr(x.Else)
	case *Cast:
		w.expr(x.X)
	case *Call:
		w.exprs(x.Args)
		w.order(x.OrderBy)
		w.expr(x.Filter)
	case *Field:
		w.expr(x.X)
	case *Index:
		w.expr(x.X)
		w.expr(x.I)
	case *Subquery:
		w.query(x.Query)
	case *Exists:
		w.query(x.Query)
	}
}
