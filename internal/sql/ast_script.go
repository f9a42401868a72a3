package sql

import (
	"math"
	"math/big"
)

// CreateTable is CREATE TABLE name (…) WITH (…): a source or a sink with the
// names and types of its columns.
type CreateTable struct {
	Span
	Name        Ident
	Temp        bool
	IfNotExists bool
	Columns     []TableColumn // no two of a name; empty: none declared
	PrimaryKey  *PrimaryKey   // nil: none; that of a column is the table's
	Watermark   *Watermark    // nil: none
	Options     []TableOption // no two of a key
}

// TableColumn is a column of one of three kinds:
//
//	name TYPE                                    a field of the record
//	name TYPE METADATA [FROM 'key'] [VIRTUAL]    something known about the record
//	name AS expression                           computed from other columns
type TableColumn struct {
	Span
	Name     Ident
	Type     *TypeName // nil: computed
	Metadata *Metadata // nil: no METADATA
	Computed Expr      // nil: not computed
}

// Metadata is METADATA [FROM 'key'] [VIRTUAL] behind a column.
type Metadata struct {
	Span
	Key     string // empty: not given, the column's name is the key
	Virtual bool   // not written when the table is a sink
}

// PrimaryKey is the columns of PRIMARY KEY, no two of them the same. That a
// table has them is not checked.
type PrimaryKey struct {
	Span
	Columns []Ident // one or more
}

// Watermark is WATERMARK FOR column AS column - delay.
type Watermark struct {
	Span
	Column Ident
	// Delay is a time without months, as a whole from 0 to the longest an int64 of microseconds holds;
	// nil: not given, 0.
	Delay *IntervalLit
}

// Micros is the delay in microseconds, a day being 24 hours.
func (w *Watermark) Micros() int64 {
	if w.Delay == nil {
		return 0
	}
	return int64(w.Delay.Days)*microsPerDay + w.Delay.Micros
}

// isDelay says whether an interval is what Watermark.Delay may be, months
// apart.
func isDelay(l *IntervalLit) bool {
	sum := new(big.Int).Mul(big.NewInt(int64(l.Days)), big.NewInt(microsPerDay))
	sum.Add(sum, big.NewInt(l.Micros))
	return sum.Sign() >= 0 && sum.Cmp(big.NewInt(math.MaxInt64)) <= 0
}

// TableOption is 'key' = value in WITH (…).
type TableOption struct {
	Span
	// Key is never empty. It is as written in quotes; from a name without them it is in lower case.
	Key     string
	KeySpan Span
	// Value is a StringLit, a BoolLit, a NumberLit, or a Unary with a sign and a NumberLit.
	Value Expr
}

// Text is the value without quotes: a number as written, true or false.
func (o TableOption) Text() string {
	switch x := o.Value.(type) {
	case *StringLit:
		return x.Value
	case *BoolLit:
		return boolWord(x.Value)
	}
	return Format(o.Value)
}

// CreateView is CREATE VIEW name [(columns)] AS query: a query with a name.
type CreateView struct {
	Span
	Name        Ident
	OrReplace   bool
	Temp        bool
	IfNotExists bool
	Columns     []Ident // no two the same; nil: not renamed
	Query       Query
}

// Insert is INSERT INTO name [(columns)] query: the query whose rows go to a
// declared table.
type Insert struct {
	Span
	Name    Ident
	Columns []Ident // no two the same; nil: not given
	Query   Query
}

func (*CreateTable) statement() {}
func (*CreateView) statement()  {}
func (*Insert) statement()      {}
