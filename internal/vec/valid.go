package vec

import (
	"math"
	"unicode/utf8"

	"ubik/internal/exact"
)

// Valid reports whether row i of v, not NULL, is a value of the column's type. Kernels keep to it; a reader of saved
// state checks it, since a value out of its range would break them.
func Valid(v *Vector, i int) bool {
	switch v.Type.Phys() {
	case PhysBool, PhysF64, PhysIval:
		return true
	case PhysI64:
		return ValidI64(v.Type, v.I64[i])
	case PhysI128:
		return v.Type.Kind != Decimal || exact.FitsDecimal(v.I128[i], int(v.Type.Precision))
	case PhysBytes:
		return v.Type.Kind == Blob || utf8.Valid(v.Bytes(i))
	}
	return false
}

// ValidI64 is Valid for a type whose values are kept in an int64.
func ValidI64(t Type, x int64) bool {
	switch t.Kind {
	case Int8:
		return x == int64(int8(x))
	case Int16:
		return x == int64(int16(x))
	case Int32:
		return x == int64(int32(x))
	case Decimal:
		return exact.FitsDecimal(exact.FromInt64(x), int(t.Precision))
	case Timestamp, TimestampTZ:
		return x != math.MinInt64 && x != math.MaxInt64
	case Date:
		return x == int64(int32(x))
	case TimeOfDay:
		return x >= 0 && x <= int64(Day)
	}
	return true
}
