package sql

import "slices"

// Equal says whether two expressions have the same structure. Spans, the case
// of names, quotes and parentheses do not matter; the text of numbers and
// strings does. Both may be nil.
func Equal(a, b Expr) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case *ColumnRef:
		b, ok := b.(*ColumnRef)
		return ok && sameNames(a.Parts, b.Parts)
	case *Star:
		b, ok := b.(*Star)
		return ok && sameNames(a.Table, b.Table)
	case *NullLit:
		_, ok := b.(*NullLit)
		return ok
	case *BoolLit:
		b, ok := b.(*BoolLit)
		return ok && a.Value == b.Value
	case *NumberLit:
		b, ok := b.(*NumberLit)
		return ok && a.Text == b.Text
	case *StringLit:
		b, ok := b.(*StringLit)
		return ok && a.Value == b.Value
	case *IntervalLit:
		b, ok := b.(*IntervalLit)
		return ok && a.Months == b.Months && a.Days == b.Days && a.Micros == b.Micros
	case *ListLit:
		b, ok := b.(*ListLit)
		return ok && equalAll(a.Items, b.Items)
	case *StructLit:
		b, ok := b.(*StructLit)
		return ok && slices.Equal(a.Keys, b.Keys) && equalAll(a.Values, b.Values)
	case *NamedArg:
		b, ok := b.(*NamedArg)
		return ok && SameName(a.Name.Name, b.Name.Name) && Equal(a.Value, b.Value)
	case *Unary:
		b, ok := b.(*Unary)
		return ok && a.Op == b.Op && Equal(a.X, b.X)
	case *Binary:
		b, ok := b.(*Binary)
		return ok && a.Op == b.Op && Equal(a.L, b.L) && Equal(a.R, b.R)
	case *Logic:
		b, ok := b.(*Logic)
		return ok && a.Op == b.Op && equalAll(a.Terms, b.Terms)
	}
	return equalCompound(a, b)
}

// equalCompound is Equal for the nodes that are no names, literals or
// operators.
func equalCompound(a, b Expr) bool {
	switch a := a.(type) {
	case *IsNull:
		b, ok := b.(*IsNull)
		return ok && a.Not == b.Not && Equal(a.X, b.X)
	case *IsBool:
		b, ok := b.(*IsBool)
		return ok && a.Not == b.Not && a.Value == b.Value && Equal(a.X, b.X)
	case *In:
		b, ok := b.(*In)
		return ok && a.Not == b.Not && Equal(a.X, b.X) && equalAll(a.List, b.List) && EqualQuery(a.Query, b.Query)
	case *Between:
		b, ok := b.(*Between)
		return ok && a.Not == b.Not && Equal(a.X, b.X) && Equal(a.Low, b.Low) && Equal(a.High, b.High)
	case *Like:
		b, ok := b.(*Like)
		return ok && a.Not == b.Not && a.NoCase == b.NoCase &&
			Equal(a.X, b.X) && Equal(a.Pattern, b.Pattern) && Equal(a.Escape, b.Escape)
	case *Case:
		b, ok := b.(*Case)
		return ok && Equal(a.Operand, b.Operand) && Equal(a.Else, b.Else) &&
			slices.EqualFunc(a.Whens, b.Whens, func(v, w When) bool { return Equal(v.Cond, w.Cond) && Equal(v.Then, w.Then) })
	case *Cast:
		b, ok := b.(*Cast)
		return ok && a.Try == b.Try && equalType(a.Type, b.Type) && Equal(a.X, b.X)
	case *Call:
		b, ok := b.(*Call)
		return ok && equalCall(a, b)
	case *Field:
		b, ok := b.(*Field)
		return ok && SameName(a.Name.Name, b.Name.Name) && Equal(a.X, b.X)
	case *Index:
		b, ok := b.(*Index)
		return ok && Equal(a.X, b.X) && Equal(a.I, b.I)
	case *Subquery:
		b, ok := b.(*Subquery)
		return ok && EqualQuery(a.Query, b.Query)
	case *Exists:
		b, ok := b.(*Exists)
		return ok && EqualQuery(a.Query, b.Query)
	}
	return false
}

func equalCall(a, b *Call) bool {
	return SameName(a.Name.Name, b.Name.Name) && a.Distinct == b.Distinct && a.Star == b.Star &&
		equalAll(a.Args, b.Args) && equalOrder(a.OrderBy, b.OrderBy) && Equal(a.Filter, b.Filter)
}

// EqualQuery is Equal for queries. Both may be nil.
func EqualQuery(a, b Query) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case *Select:
		b, ok := b.(*Select)
		return ok && equalSelect(a, b)
	case *Union:
		b, ok := b.(*Union)
		return ok && a.All == b.All && slices.EqualFunc(a.Inputs, b.Inputs, EqualQuery) && equalTail(&a.Tail, &b.Tail)
	}
	return false
}

func equalSelect(a, b *Select) bool {
	sameItem := func(v, w SelectItem) bool { return Equal(v.Expr, w.Expr) && sameName(v.Alias, w.Alias) }
	if (a.GroupBy == nil) != (b.GroupBy == nil) {
		return false
	}
	if g, h := a.GroupBy, b.GroupBy; g != nil && (g.All != h.All || !equalAll(g.Items, h.Items)) {
		return false
	}
	return a.Distinct == b.Distinct && slices.EqualFunc(a.Items, b.Items, sameItem) && equalTable(a.From, b.From) &&
		Equal(a.Where, b.Where) && Equal(a.Having, b.Having) && equalTail(&a.Tail, &b.Tail)
}

func equalTail(a, b *Tail) bool {
	return equalWith(a.With, b.With) && equalOrder(a.OrderBy, b.OrderBy) && Equal(a.Limit, b.Limit) && Equal(a.Offset, b.Offset)
}

func equalWith(a, b *With) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(a.Tables, b.Tables, func(v, w CommonTable) bool {
		return SameName(v.Name.Name, w.Name.Name) && sameNames(v.Columns, w.Columns) && EqualQuery(v.Query, w.Query)
	})
}

func equalOrder(a, b []OrderItem) bool {
	return slices.EqualFunc(a, b, func(v, w OrderItem) bool {
		return v.Desc == w.Desc && v.Nulls == w.Nulls && Equal(v.Expr, w.Expr)
	})
}

func equalTable(a, b TableExpr) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case *TableName:
		b, ok := b.(*TableName)
		return ok && sameNames(a.Parts, b.Parts) && sameAlias(a.Alias, b.Alias)
	case *FilePath:
		b, ok := b.(*FilePath)
		return ok && a.Path == b.Path && sameAlias(a.Alias, b.Alias)
	case *TableFunc:
		b, ok := b.(*TableFunc)
		return ok && equalCall(a.Call, b.Call) && sameAlias(a.Alias, b.Alias)
	case *SubqueryTable:
		b, ok := b.(*SubqueryTable)
		return ok && EqualQuery(a.Query, b.Query) && sameAlias(a.Alias, b.Alias)
	case *Join:
		b, ok := b.(*Join)
		return ok && a.Kind == b.Kind && equalTable(a.Left, b.Left) && equalTable(a.Right, b.Right) &&
			Equal(a.On, b.On) && sameNames(a.Using, b.Using)
	}
	return false
}

// equalType says whether two types are the same; names of fields compare
// without regard to case.
func equalType(a, b *TypeName) bool {
	sameField := func(v, w ColumnDef) bool { return SameName(v.Name.Name, w.Name.Name) && equalType(v.Type, w.Type) }
	return a.Name == b.Name && slices.Equal(a.Args, b.Args) &&
		slices.EqualFunc(a.Fields, b.Fields, sameField) && slices.EqualFunc(a.Elems, b.Elems, equalType)
}

func equalAll(a, b []Expr) bool { return slices.EqualFunc(a, b, Equal) }

func sameNames(a, b []Ident) bool {
	return slices.EqualFunc(a, b, func(v, w Ident) bool { return SameName(v.Name, w.Name) })
}

func sameName(a, b *Ident) bool {
	if a == nil || b == nil {
		return a == b
	}
	return SameName(a.Name, b.Name)
}

func sameAlias(a, b *TableAlias) bool {
	if a == nil || b == nil {
		return a == b
	}
	return SameName(a.Name.Name, b.Name.Name) && sameNames(a.Columns, b.Columns)
}
