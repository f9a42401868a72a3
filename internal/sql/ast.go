package sql

// Span is the half-open byte range [Pos, End) of a node in the text it was
// parsed from. It is embedded in every node.
type Span struct {
	Pos, End int
}

// At returns the span itself: it is how a Node of unknown type says where it is.
func (s Span) At() Span { return s }

// Node is anything with a place in the text.
type Node interface {
	At() Span
}

// Statement is one entry of a script: a Query, *CreateTable, *CreateView or
// *Insert.
type Statement interface {
	Node
	statement()
}

// Query is a statement that yields rows: *Select or *Union.
type Query interface {
	Statement
	query()
}

// Ident is one name. Name has the quotes removed and keeps its spelling;
// names are compared with SameName, whether they were quoted or not.
type Ident struct {
	Span
	Name   string
	Quoted bool
}

// Select is one SELECT. `FROM t` alone is SELECT * FROM t.
type Select struct {
	Span
	Distinct bool
	Items    []SelectItem // never empty
	From     TableExpr    // nil: no FROM; `FROM a, b` is a cross Join
	Where    Expr         // nil: none
	GroupBy  *GroupBy     // nil: none
	Having   Expr         // nil: none
	Tail
}

// Union is UNION [ALL] of two or more queries, left to right. A run of the
// same operator is one node.
type Union struct {
	Span
	All    bool
	Inputs []Query // two or more
	Tail           // belongs to the whole, not to the last input
}

// Tail is what belongs to a query as a whole: what may follow it, and the WITH
// that may stand before it.
type Tail struct {
	With    *With // nil: none
	OrderBy []OrderItem
	Limit   Expr // nil: none
	Offset  Expr // nil: none
}

// With is WITH name AS (query), …. A table of it can be named in the query it
// stands before and in the tables after it, and hides a source of its name.
type With struct {
	Span
	Tables []CommonTable // one or more, no two of a name
}

// CommonTable is name [(columns)] AS (query).
type CommonTable struct {
	Span
	Name    Ident
	Columns []Ident // nil: not renamed
	Query   Query
}

// SelectItem is one entry of a select list. A Star has no alias.
type SelectItem struct {
	Span
	Expr  Expr
	Alias *Ident // nil: none given
}

// GroupBy is the GROUP BY clause. With All, Items is empty.
// An ordinal is an integer NumberLit.
type GroupBy struct {
	Span
	All   bool
	Items []Expr
}

// OrderItem is one ORDER BY key.
type OrderItem struct {
	Span
	Expr  Expr
	Desc  bool
	Nulls NullsOrder
}

// NullsOrder is where NULL sorts.
type NullsOrder uint8

const (
	NullsDefault NullsOrder = iota // not written: last, for ASC and DESC
	NullsFirst
	NullsLast
)

// TableExpr is what FROM may name: *TableName, *FilePath, *TableFunc,
// *SubqueryTable or *Join.
type TableExpr interface {
	Node
	tableExpr()
}

// TableAlias is `AS t` or `AS t(a, b)`.
type TableAlias struct {
	Span
	Name    Ident
	Columns []Ident // nil: not renamed
}

// TableName is a source by name, possibly qualified.
type TableName struct {
	Span
	Parts []Ident     // one or more, outermost first
	Alias *TableAlias // nil: none
}

// FilePath is FROM 'x.jsonl'.
type FilePath struct {
	Span
	Path  string
	Alias *TableAlias
}

// TableFunc is FROM f(…). A table given as an argument, as in
// TUMBLE(txns, ts, …), is a one-part ColumnRef; name = value, and its other
// spellings name := value and name => value, is a NamedArg.
type TableFunc struct {
	Span
	Call  *Call
	Alias *TableAlias
}

// SubqueryTable is FROM (SELECT …).
type SubqueryTable struct {
	Span
	Query Query
	Alias *TableAlias
}

// Join joins two tables. Exactly one of On and Using is set, but for
// CrossJoin, which has neither.
type Join struct {
	Span
	Kind  JoinKind
	Left  TableExpr
	Right TableExpr
	On    Expr
	Using []Ident
}

// JoinKind is the kind of a Join.
type JoinKind uint8

const (
	InnerJoin JoinKind = iota
	LeftJoin
	RightJoin
	FullJoin
	SemiJoin
	AntiJoin
	CrossJoin // CROSS JOIN, or a comma
)

// ColumnDef is a name with a type: a column of a schema, a field of a STRUCT.
type ColumnDef struct {
	Span
	Name Ident
	Type *TypeName
}

// TypeName is a type as written, with aliases resolved.
//
//	Name                        Args             Fields    Elems
//	DECIMAL                     precision,scale
//	LIST                                                   element
//	MAP                                                    key, value
//	STRUCT                                       fields
//	BOOLEAN TINYINT SMALLINT INTEGER BIGINT HUGEINT REAL DOUBLE VARCHAR DATE TIME
//	TIMESTAMP, TIMESTAMP WITH TIME ZONE, INTERVAL BLOB UUID JSON     nothing
//
// DECIMAL always has both arguments, 1 <= precision <= 38 and
// 0 <= scale <= precision; unless written they are 18 and 3.
type TypeName struct {
	Span
	Name   string
	Args   []int
	Fields []ColumnDef
	Elems  []*TypeName
}

func (*Select) statement()        {}
func (*Union) statement()         {}
func (*Select) query()            {}
func (*Union) query()             {}
func (*TableName) tableExpr()     {}
func (*FilePath) tableExpr()      {}
func (*TableFunc) tableExpr()     {}
func (*SubqueryTable) tableExpr() {}
func (*Join) tableExpr()          {}
