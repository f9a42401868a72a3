package sql

func (f *formatter) query(q Query) {
	switch q := q.(type) {
	case *Select:
		f.withBefore(q.With)
		f.selectCore(q)
		f.tail(&q.Tail)
	case *Union:
		f.withBefore(q.With)
		word := " UNION "
		if q.All {
			word = " UNION ALL "
		}
		for i, in := range q.Inputs {
			if i > 0 {
				f.put(word)
			}
			f.unionInput(i, in)
		}
		f.tail(&q.Tail)
	}
}

// unionInput writes an input of a UNION. The first one may be a UNION of the
// other kind without parentheses.
func (f *formatter) unionInput(i int, q Query) {
	bare := false
	switch q := q.(type) {
	case *Select:
		bare = q.Tail.empty()
	case *Union:
		bare = i == 0 && q.Tail.empty()
	}
	if bare {
		f.query(q)
		return
	}
	f.subquery(q)
}

// withBefore writes WITH and the blank after it, if there is one.
func (f *formatter) withBefore(w *With) {
	if w != nil {
		f.with(w)
		f.put(" ")
	}
}

func (f *formatter) with(w *With) {
	f.put("WITH ")
	for i, t := range w.Tables {
		if i > 0 {
			f.put(", ")
		}
		f.ident(t.Name)
		f.columnNames("(", t.Columns)
		f.put(" AS ")
		f.subquery(t.Query)
	}
}

func (f *formatter) subquery(q Query) {
	f.put("(")
	f.query(q)
	f.put(")")
}

func (f *formatter) selectCore(s *Select) {
	f.put("SELECT ")
	if s.Distinct {
		f.put("DISTINCT ")
	}
	for i, item := range s.Items {
		if i > 0 {
			f.put(", ")
		}
		f.selectItem(item)
	}
	if s.From != nil {
		f.put(" FROM ")
		f.table(s.From)
	}
	f.clause(" WHERE ", s.Where)
	if s.GroupBy != nil {
		f.put(" ")
		f.groupBy(s.GroupBy)
	}
	f.clause(" HAVING ", s.Having)
}

// clause writes a keyword and an expression, if there is one.
func (f *formatter) clause(word string, x Expr) {
	if x != nil {
		f.put(word)
		f.expr(x, precArrow)
	}
}

func (f *formatter) selectItem(item SelectItem) {
	f.expr(item.Expr, precArrow)
	if item.Alias != nil {
		f.put(" AS ")
		f.ident(*item.Alias)
	}
}

func (f *formatter) groupBy(g *GroupBy) {
	f.put("GROUP BY ")
	if g.All {
		f.put("ALL")
	}
	f.exprs(g.Items)
}

func (f *formatter) tail(t *Tail) {
	f.orderBy(t.OrderBy)
	f.clause(" LIMIT ", t.Limit)
	f.clause(" OFFSET ", t.Offset)
}

func (f *formatter) orderBy(items []OrderItem) {
	for i, o := range items {
		if i == 0 {
			f.put(" ORDER BY ")
		} else {
			f.put(", ")
		}
		f.orderItem(o)
	}
}

func (f *formatter) orderItem(o OrderItem) {
	f.expr(o.Expr, precArrow)
	if o.Desc {
		f.put(" DESC")
	}
	switch o.Nulls {
	case NullsFirst:
		f.put(" NULLS FIRST")
	case NullsLast:
		f.put(" NULLS LAST")
	}
}

func (f *formatter) table(t TableExpr) {
	switch t := t.(type) {
	case *TableName:
		f.names(t.Parts, ".")
		f.asAlias(t.Alias)
	case *FilePath:
		f.put(QuoteString(t.Path))
		f.asAlias(t.Alias)
	case *TableFunc:
		f.callOf(t.Call, true)
		f.asAlias(t.Alias)
	case *SubqueryTable:
		f.subquery(t.Query)
		f.asAlias(t.Alias)
	case *Join:
		f.join(t)
	}
}

var joinWords = map[JoinKind]string{
	InnerJoin: " JOIN ", LeftJoin: " LEFT JOIN ", RightJoin: " RIGHT JOIN ",
	FullJoin: " FULL JOIN ", SemiJoin: " SEMI JOIN ", AntiJoin: " ANTI JOIN ",
	CrossJoin: " CROSS JOIN ",
}

func (f *formatter) join(j *Join) {
	f.table(j.Left)
	f.put(joinWords[j.Kind])
	if right, ok := j.Right.(*Join); ok {
		f.put("(")
		f.join(right)
		f.put(")")
	} else {
		f.table(j.Right)
	}
	f.clause(" ON ", j.On)
	if j.Using != nil {
		f.put(" USING (")
		f.names(j.Using, ", ")
		f.put(")")
	}
}

func (f *formatter) asAlias(a *TableAlias) {
	if a != nil {
		f.put(" AS ")
		f.alias(a)
	}
}

func (f *formatter) alias(a *TableAlias) {
	f.ident(a.Name)
	f.columnNames("(", a.Columns)
}

// columnNames writes a list of names that open begins, if there is one.
func (f *formatter) columnNames(open string, names []Ident) {
	if names != nil {
		f.put(open)
		f.names(names, ", ")
		f.put(")")
	}
}
