package sql

// Expr is an expression: one of the pointer types of this file. Parentheses
// leave no node.
//
// Syntax that is only another spelling of a call becomes that call:
//
//	EXTRACT(f FROM x)        date_part('f', x)
//	SUBSTRING(x FROM a FOR b) substring(x, a, b)
//	POSITION(a IN b)         position(b, a)
//	TRIM([BOTH] c FROM x)    trim(x, c); LEADING ltrim, TRAILING rtrim
//	x AT TIME ZONE z         timezone(z, x)
//	INTERVAL (x) MINUTE      to_minutes(x), unless x is an integer literal
//	DATE 'text'              CAST('text' AS DATE), and so for every type but INTERVAL
type Expr interface {
	Node
	expr()
}

// ColumnRef is a dotted name: a, t.a, a.b.c. Which parts name a table, a
// column and fields is for the reader to decide.
type ColumnRef struct {
	Span
	Parts []Ident // one or more
}

// Star is * or t.* in a select list. Nowhere else: count(*) is Call.Star.
type Star struct {
	Span
	Table []Ident // empty: every table
}

// NullLit is NULL.
type NullLit struct{ Span }

// BoolLit is TRUE or FALSE.
type BoolLit struct {
	Span
	Value bool
}

// NumberLit is an unsigned number; a sign is a Unary around it. Text is as
// written, of any length, without the underscores that may group digits.
type NumberLit struct {
	Span
	Text string
	Kind NumberKind
}

// NumberKind tells the three forms of a number apart.
type NumberKind uint8

const (
	IntegerNumber NumberKind = iota // 42
	DecimalNumber                   // 1.50, .5, 1.
	DoubleNumber                    // 1e3, 1.5E-3
)

// StringLit is 'text'. Value has the quotes resolved and is valid UTF-8.
type StringLit struct {
	Span
	Value string
}

// ListLit is [a, b, …], possibly empty.
type ListLit struct {
	Span
	Items []Expr
}

// StructLit is {'key': value, …}, possibly empty, as the value of a NamedArg or in
// another StructLit. It stands nowhere else.
type StructLit struct {
	Span
	Keys   []string // as many as Values
	Values []Expr
}

// NamedArg is name = value among the arguments of a TableFunc, behind those
// without a name. It stands nowhere else.
type NamedArg struct {
	Span
	Name  Ident
	Value Expr
}

// IntervalLit is any spelling of a constant INTERVAL. The three parts have
// signs of their own.
type IntervalLit struct {
	Span
	Months int32
	Days   int32
	Micros int64
}

// Unary is -x, +x or NOT x.
type Unary struct {
	Span
	Op UnaryOp
	X  Expr
}

// UnaryOp is a prefix operator; its text is its spelling.
type UnaryOp string

const (
	OpNeg  UnaryOp = "-"
	OpPlus UnaryOp = "+"
	OpNot  UnaryOp = "NOT"
)

// Binary is an operator with two operands.
type Binary struct {
	Span
	Op   BinaryOp
	L, R Expr
	// OpSpan is where the operator stands.
	OpSpan Span
}

// BinaryOp is an infix operator; its text is its canonical spelling
// (== is =, != is <>, ** is ^).
type BinaryOp string

const (
	OpAdd    BinaryOp = "+"
	OpSub    BinaryOp = "-"
	OpMul    BinaryOp = "*"
	OpDiv    BinaryOp = "/"
	OpIntDiv BinaryOp = "//"
	OpMod    BinaryOp = "%"
	OpPow    BinaryOp = "^"
	OpConcat BinaryOp = "||"

	OpEq BinaryOp = "="
	OpNe BinaryOp = "<>"
	OpLt BinaryOp = "<"
	OpLe BinaryOp = "<="
	OpGt BinaryOp = ">"
	OpGe BinaryOp = ">="

	OpDistinct    BinaryOp = "IS DISTINCT FROM"
	OpNotDistinct BinaryOp = "IS NOT DISTINCT FROM"

	OpArrow     BinaryOp = "->"
	OpArrowText BinaryOp = "->>"
)

// Logic is a chain of one of AND and OR. It is flat: no term is a Logic of
// the same operator, so a chain of any length is one level deep.
type Logic struct {
	Span
	Op    LogicOp
	Terms []Expr // two or more
}

// LogicOp is AND or OR; its text is its spelling.
type LogicOp string

const (
	OpAnd LogicOp = "AND"
	OpOr  LogicOp = "OR"
)

// IsNull is x IS [NOT] NULL.
type IsNull struct {
	Span
	X   Expr
	Not bool
}

// IsBool is x IS [NOT] TRUE or FALSE.
type IsBool struct {
	Span
	X     Expr
	Value bool
	Not   bool
}

// In is x [NOT] IN (a, b) or x [NOT] IN (SELECT …). Exactly one of List and
// Query is set.
type In struct {
	Span
	X     Expr
	Not   bool
	List  []Expr
	Query Query
}

// Between is x [NOT] BETWEEN low AND high.
type Between struct {
	Span
	X, Low, High Expr
	Not          bool
}

// Like is x [NOT] LIKE pattern [ESCAPE e], or ILIKE with NoCase.
type Like struct {
	Span
	X, Pattern Expr
	Escape     Expr // nil: none given
	Not        bool
	NoCase     bool
}

// Case is CASE [operand] WHEN … THEN … [ELSE …] END.
type Case struct {
	Span
	Operand Expr   // nil: searched CASE
	Whens   []When // one or more
	Else    Expr   // nil: NULL
}

// When is one arm of a Case.
type When struct {
	Span
	Cond, Then Expr
}

// Cast is CAST(x AS type), TRY_CAST(x AS type) or x::type.
type Cast struct {
	Span
	X    Expr
	Type *TypeName
	Try  bool
}

// Call is name([DISTINCT] args [ORDER BY …]) [FILTER (WHERE …)].
// With Star it is name(*), and Args is empty.
type Call struct {
	Span
	Name     Ident
	Distinct bool
	Star     bool
	Args     []Expr
	OrderBy  []OrderItem
	Filter   Expr // nil: none
}

// Field is x.name where x is not itself a dotted name.
type Field struct {
	Span
	X    Expr
	Name Ident
}

// Index is x[i].
type Index struct {
	Span
	X, I Expr
}

// Subquery is (SELECT …) used as a value.
type Subquery struct {
	Span
	Query Query
}

// Exists is EXISTS (SELECT …).
type Exists struct {
	Span
	Query Query
}

func (*ColumnRef) expr()   {}
func (*Star) expr()        {}
func (*NullLit) expr()     {}
func (*BoolLit) expr()     {}
func (*NumberLit) expr()   {}
func (*StringLit) expr()   {}
func (*IntervalLit) expr() {}
func (*ListLit) expr()     {}
func (*StructLit) expr()   {}
func (*NamedArg) expr()    {}
func (*Unary) expr()       {}
func (*Binary) expr()      {}
func (*Logic) expr()       {}
func (*IsNull) expr()      {}
func (*IsBool) expr()      {}
func (*In) expr()          {}
func (*Between) expr()     {}
func (*Like) expr()        {}
func (*Case) expr()        {}
func (*Cast) expr()        {}
func (*Call) expr()        {}
func (*Field) expr()       {}
func (*Index) expr()       {}
func (*Subquery) expr()    {}
func (*Exists) expr()      {}
