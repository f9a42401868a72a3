package sql

import "slices"

// equalStatement is Equal for statements. The keys of options compare as they
// are. Both may be nil.
func equalStatement(a, b Statement) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case Query:
		b, ok := b.(Query)
		return ok && EqualQuery(a, b)
	case *CreateTable:
		b, ok := b.(*CreateTable)
		return ok && equalCreateTable(a, b)
	case *CreateView:
		b, ok := b.(*CreateView)
		return ok && SameName(a.Name.Name, b.Name.Name) && a.OrReplace == b.OrReplace && a.Temp == b.Temp &&
			a.IfNotExists == b.IfNotExists && sameNames(a.Columns, b.Columns) && EqualQuery(a.Query, b.Query)
	case *Insert:
		b, ok := b.(*Insert)
		return ok && SameName(a.Name.Name, b.Name.Name) && sameNames(a.Columns, b.Columns) && EqualQuery(a.Query, b.Query)
	}
	return false
}

func equalCreateTable(a, b *CreateTable) bool {
	sameOption := func(v, w TableOption) bool { return v.Key == w.Key && Equal(v.Value, w.Value) }
	return SameName(a.Name.Name, b.Name.Name) && a.Temp == b.Temp && a.IfNotExists == b.IfNotExists &&
		slices.EqualFunc(a.Columns, b.Columns, equalColumn) && equalKey(a.PrimaryKey, b.PrimaryKey) &&
		equalWatermark(a.Watermark, b.Watermark) && slices.EqualFunc(a.Options, b.Options, sameOption)
}

func equalColumn(a, b TableColumn) bool {
	if (a.Type == nil) != (b.Type == nil) || (a.Metadata == nil) != (b.Metadata == nil) {
		return false
	}
	if m, n := a.Metadata, b.Metadata; m != nil && (m.Key != n.Key || m.Virtual != n.Virtual) {
		return false
	}
	return SameName(a.Name.Name, b.Name.Name) && (a.Type == nil || equalType(a.Type, b.Type)) && Equal(a.Computed, b.Computed)
}

func equalKey(a, b *PrimaryKey) bool {
	if a == nil || b == nil {
		return a == b
	}
	return sameNames(a.Columns, b.Columns)
}

// equalWatermark tells a delay of 0 from none given, as it tells every two
// spellings of a time apart that are different intervals.
func equalWatermark(a, b *Watermark) bool {
	if a == nil || b == nil {
		return a == b
	}
	if !SameName(a.Column.Name, b.Column.Name) || (a.Delay == nil) != (b.Delay == nil) {
		return false
	}
	return a.Delay == nil || Equal(a.Delay, b.Delay)
}
