package duck

import (
	"database/sql/driver"
	"math"
	"math/big"

	"github.com/duckdb/duckdb-go/v2"
)

// RegisterExact adds exact_sum and exact_avg of a DOUBLE[]: the sum or average of the list computed exactly and rounded
// once, which DuckDB's own sum and avg, rounding at every step, are not. NULLs count nothing; of no values it is NULL.
func (db *DB) RegisterExact() error {
	for name, mean := range map[string]bool{"exact_sum": false, "exact_avg": true} {
		if err := duckdb.RegisterScalarUDF(db.conn, name, exactly(mean)); err != nil {
			return err
		}
	}
	return nil
}

// exactly is one of the functions; true: the average.
type exactly bool

func (e exactly) Config() duckdb.ScalarFuncConfig {
	double, err := duckdb.NewTypeInfo(duckdb.TYPE_DOUBLE)
	if err != nil {
		panic(err)
	}
	list, err := duckdb.NewListInfo(double)
	if err != nil {
		panic(err)
	}
	return duckdb.ScalarFuncConfig{InputTypeInfos: []duckdb.TypeInfo{list}, ResultTypeInfo: double}
}

func (e exactly) Executor() duckdb.ScalarFuncExecutor {
	return duckdb.ScalarFuncExecutor{RowExecutor: func(values []driver.Value) (any, error) {
		list, ok := values[0].([]any)
		if !ok {
			return nil, nil
		}
		return exactSum(list, bool(e)), nil
	}}
}

// exactSum adds doubles as fractions. Infinities and NaN, which are none, add as IEEE 754 has it.
func exactSum(list []any, mean bool) any {
	sum, special, n := new(big.Rat), 0.0, int64(0)
	for _, v := range list {
		f, ok := v.(float64)
		switch {
		case !ok:
			continue
		case math.IsInf(f, 0) || math.IsNaN(f):
			special += f
		default:
			sum.Add(sum, new(big.Rat).SetFloat64(f))
		}
		n++
	}
	if n == 0 {
		return nil
	}
	if special != 0 { // NaN too
		return special
	}
	if mean {
		sum.Quo(sum, new(big.Rat).SetInt64(n))
	}
	f, _ := sum.Float64()
	return f
}
