package vec

import "strconv"

// Kind is the logical kind of a SQL type.
type Kind uint8

// The kinds. Their numbers are part of the checkpoint format: append, never reorder.
const (
	Null Kind = iota // the type of a bare NULL
	Bool
	Int8
	Int16
	Int32
	Int64
	HugeInt
	Decimal
	Double
	Varchar
	Timestamp   // µs since 1970 UTC
	TimestampTZ // the same instant, printed alike
	Date        // days since 1970
	TimeOfDay   // µs since midnight
	Interval
	Blob
	UUID
	JSON // JSON text; see IsJSON
	Struct
	List
	Map
)

var kindNames = [...]string{"NULL", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DECIMAL", "DOUBLE",
	"VARCHAR", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "DATE", "TIME", "INTERVAL", "BLOB", "UUID", "JSON", "STRUCT", "LIST", "MAP"}

// Phys says which slice of a Vector holds the values.
type Phys uint8

const (
	PhysNone  Phys = iota // every row is NULL, or the kind is not stored as a column
	PhysBool              // Vector.Bools
	PhysI64               // Vector.I64
	PhysI128              // Vector.I128
	PhysF64               // Vector.F64
	PhysBytes             // Vector.Spans into Vector.Arena
	PhysIval              // Vector.Ivals
)

// Type is a SQL type. The zero Type is that of a bare NULL.
type Type struct {
	Kind      Kind
	Precision uint8   // DECIMAL: 1..38
	Scale     uint8   // DECIMAL: 0..Precision
	Fields    []Field // STRUCT: its fields in order; LIST: one field, its element; MAP: its key and its value
}

// Field is a named part of a STRUCT, or a column of a schema.
type Field struct {
	Name string
	Type Type
}

// TypeOf returns the type of a kind that needs no parameters.
func TypeOf(k Kind) Type { return Type{Kind: k} }

// DecimalType returns DECIMAL(precision, scale).
func DecimalType(precision, scale int) Type {
	return Type{Kind: Decimal, Precision: uint8(precision), Scale: uint8(scale)}
}

// Equal reports whether the types are the same, field names compared byte for byte.
func (t Type) Equal(u Type) bool {
	if t.Kind != u.Kind || t.Precision != u.Precision || t.Scale != u.Scale || len(t.Fields) != len(u.Fields) {
		return false
	}
	for i := range t.Fields {
		if t.Fields[i].Name != u.Fields[i].Name || !t.Fields[i].Type.Equal(u.Fields[i].Type) {
			return false
		}
	}
	return true
}

// Phys returns where a Vector of the type keeps its values.
func (t Type) Phys() Phys {
	switch t.Kind {
	case Bool:
		return PhysBool
	case Int8, Int16, Int32, Int64, Timestamp, TimestampTZ, Date, TimeOfDay:
		return PhysI64
	case HugeInt:
		return PhysI128
	case Decimal:
		if t.Precision <= 18 {
			return PhysI64
		}
		return PhysI128
	case Double:
		return PhysF64
	case Varchar, Blob, JSON, Struct, List, Map:
		return PhysBytes
	case Interval:
		return PhysIval
	}
	return PhysNone
}

// IsJSON reports whether a column of the type holds JSON texts: one of type JSON, and one of a STRUCT, LIST or MAP that
// is used as a whole. A text is one valid value, of a STRUCT or MAP an object, of a LIST an array; a JSON null is no NULL.
func (t Type) IsJSON() bool { return t.Kind >= JSON && t.Kind <= Map }

// IsInteger reports whether the type is one of the integer types, HUGEINT included.
func (t Type) IsInteger() bool { return t.Kind >= Int8 && t.Kind <= HugeInt }

// IsNumeric reports whether the type is an integer, DECIMAL or DOUBLE.
func (t Type) IsNumeric() bool { return t.Kind >= Int8 && t.Kind <= Double }

// String returns the type as DDL writes it.
func (t Type) String() string {
	switch t.Kind {
	case Decimal:
		return "DECIMAL(" + strconv.Itoa(int(t.Precision)) + "," + strconv.Itoa(int(t.Scale)) + ")"
	case Struct:
		s := "STRUCT("
		for i, f := range t.Fields {
			if i > 0 {
				s += ", "
			}
			s += QuoteName(f.Name) + " " + f.Type.String()
		}
		return s + ")"
	case List:
		return t.Fields[0].Type.String() + "[]"
	case Map:
		return "MAP(" + t.Fields[0].Type.String() + ", " + t.Fields[1].Type.String() + ")"
	}
	return kindNames[t.Kind]
}

// QuoteName returns a name as DDL writes it: bare when it is a plain identifier, else in double quotes.
func QuoteName(name string) string {
	plain := name != ""
	for i := 0; i < len(name); i++ {
		c := name[i]
		if !(c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || i > 0 && c >= '0' && c <= '9') {
			plain = false
		}
	}
	if plain {
		return name
	}
	out := []byte{'"'}
	for i := 0; i < len(name); i++ {
		if name[i] == '"' {
			out = append(out, '"')
		}
		out = append(out, name[i])
	}
	return string(append(out, '"'))
}
