package naive

import (
	"fmt"
	"math/big"
	"strings"

	"ubik/internal/sql"
)

// Type is a SQL type by the name the parser gives it. P and S are of a DECIMAL, Fields of a STRUCT, Of of a LIST and a MAP.
// The type of a bare NULL is "NULL".
//
// Values are nil for NULL, else by type: bool, *big.Int (integers, and the scaled integer of a DECIMAL), float64, string
// (VARCHAR, and the text of what is JSON), int64 (TIMESTAMP: µs since 1970, DATE: days since 1970, TIME: µs since midnight)
// and interval.
type Type struct {
	Name   string
	P, S   int
	Fields []Column
	Of     []Type
}

// Column is a name with its type.
type Column struct {
	Name string
	Type Type
}

type interval struct{ months, days, micros int64 }

func named(name string) Type { return Type{Name: name} }

func decimal(p, s int) Type { return Type{Name: "DECIMAL", P: p, S: s} }

func (t Type) String() string {
	if t.Name == "DECIMAL" {
		return fmt.Sprintf("DECIMAL(%d,%d)", t.P, t.S)
	}
	var parts []string
	for _, f := range t.Fields {
		parts = append(parts, quote(f.Name)+" "+f.Type.String())
	}
	for _, of := range t.Of {
		parts = append(parts, of.String())
	}
	if parts == nil {
		return t.Name
	}
	return t.Name + "(" + strings.Join(parts, ", ") + ")"
}

func (t Type) same(u Type) bool { return t.String() == u.String() }

// isJSON reports whether values are JSON texts.
func (t Type) isJSON() bool {
	return t.Name == "JSON" || t.Name == "STRUCT" || t.Name == "LIST" || t.Name == "MAP"
}

// integers are the integer types from the narrowest on, with their bits and the digits of the DECIMAL that holds them.
var integers = []struct {
	name   string
	bits   uint
	digits int
}{{"TINYINT", 8, 3}, {"SMALLINT", 16, 5}, {"INTEGER", 32, 10}, {"BIGINT", 64, 19}, {"HUGEINT", 128, 38}}

func (t Type) rank() int {
	for i, k := range integers {
		if k.name == t.Name {
			return i
		}
	}
	return -1
}

func (t Type) isInt() bool     { return t.rank() >= 0 }
func (t Type) isExact() bool   { return t.isInt() || t.Name == "DECIMAL" }
func (t Type) isNumeric() bool { return t.isExact() || t.Name == "DOUBLE" }
func (t Type) isInstant() bool {
	return t.Name == "TIMESTAMP" || t.Name == "TIMESTAMP WITH TIME ZONE"
}

// asDecimal is the DECIMAL that an exact number is beside another DECIMAL.
func (t Type) asDecimal() Type {
	if t.isInt() {
		return decimal(integers[t.rank()].digits, 0)
	}
	return t
}

// fits reports whether an integer or scaled integer is a value of the type.
func (t Type) fits(v *big.Int) bool {
	if t.Name == "DECIMAL" {
		return new(big.Int).Abs(v).Cmp(pow10(t.P)) < 0
	}
	half := new(big.Int).Lsh(big.NewInt(1), integers[t.rank()].bits-1)
	return v.Cmp(half) < 0 && v.Cmp(new(big.Int).Neg(half)) >= 0
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// wider is the type that values of both types can be brought to.
func wider(a, b Type) (Type, bool) {
	switch {
	case a.same(b), b.Name == "NULL":
		return a, true
	case a.Name == "NULL":
		return b, true
	case a.isInt() && b.isInt():
		if a.rank() > b.rank() {
			return a, true
		}
		return b, true
	case a.isExact() && b.isExact():
		if a.Name == "HUGEINT" || b.Name == "HUGEINT" {
			return decimal(38, max(a.S, b.S)), true
		}
		// Beyond 38 digits it is decimals that go, as in DuckDB.
		a, b = a.asDecimal(), b.asDecimal()
		whole := max(a.P-a.S, b.P-b.S)
		s := min(max(a.S, b.S), 38-whole)
		return decimal(whole+s, s), true
	case a.isNumeric() && b.isNumeric():
		return named("DOUBLE"), true
	case a.Name == "BOOLEAN" && b.isInt():
		return b, true
	case b.Name == "BOOLEAN" && a.isInt():
		return a, true
	case a.isInstant() && b.isInstant():
		return named("TIMESTAMP WITH TIME ZONE"), true
	case a.Name == "DATE" && b.isInstant():
		return b, true
	case b.Name == "DATE" && a.isInstant():
		return a, true
	case a.Name == "VARCHAR" || b.Name == "VARCHAR":
		return named("VARCHAR"), true
	}
	return Type{}, false
}

// typeOf is the type that DDL names.
func typeOf(t *sql.TypeName) (Type, error) {
	switch t.Name {
	case "DECIMAL":
		return decimal(t.Args[0], t.Args[1]), nil
	case "STRUCT":
		out := named("STRUCT")
		for _, f := range t.Fields {
			ft, err := typeOf(f.Type)
			if err != nil {
				return Type{}, err
			}
			out.Fields = append(out.Fields, Column{f.Name.Name, ft})
		}
		return out, nil
	case "LIST", "MAP":
		out := named(t.Name)
		for _, e := range t.Elems {
			of, err := typeOf(e)
			if err != nil {
				return Type{}, err
			}
			out.Of = append(out.Of, of)
		}
		return out, nil
	case "JSON", "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "DOUBLE", "VARCHAR", "TIMESTAMP",
		"TIMESTAMP WITH TIME ZONE", "DATE", "TIME", "INTERVAL":
		return named(t.Name), nil
	}
	return Type{}, unsupported("the type %s", t.Name)
}

func schema(text string) ([]Column, error) {
	defs, err := sql.ParseSchema(text)
	if err != nil {
		return nil, err
	}
	var out []Column
	for _, d := range defs {
		t, err := typeOf(d.Type)
		if err != nil {
			return nil, err
		}
		out = append(out, Column{d.Name.Name, t})
	}
	return out, nil
}

// unsupported is what this package does not know.
func unsupported(format string, args ...any) error {
	return fmt.Errorf("naive: not supported: %s", strings.TrimSpace(fmt.Sprintf(format, args...)))
}

// valueError is a fault of one row's value.
type valueError struct{ msg string }

func (e valueError) Error() string { return e.msg }

func fault(format string, args ...any) error { return valueError{fmt.Sprintf(format, args...)} }
