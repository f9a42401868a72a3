package expr

import (
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"testing"

	"ubik/internal/vec"
)

func intBatch(cols ...[]int64) *vec.Batch {
	b := &vec.Batch{N: len(cols[0])}
	for _, c := range cols {
		v := vec.NewVector(bigintType)
		v.Resize(len(c))
		copy(v.I64, c)
		b.Cols = append(b.Cols, v)
	}
	return b
}

var abc = []vec.Field{{Name: "a", Type: bigintType}, {Name: "b", Type: bigintType}, {Name: "c", Type: bigintType}}

func TestLaterOperandsAreNotComputedForDecidedRows(t *testing.T) {
	// c is a number whose sum with itself faults.
	b := intBatch([]int64{6, 7, 8, 9}, []int64{0, 2, 0, 3}, []int64{math.MaxInt64, 1, math.MaxInt64, 1})
	for text, want := range map[string]string{
		"((b <> 0) AND ((c + c) > 1))":          "false true false true",
		"((b = 0) OR ((c + c) > 1))":            "true true true true",
		"if((b = 0), -1, (c + c))":              "-1 2 -1 2",
		"coalesce(nullif(b, 0), 5)":             "5 2 5 3",
		"if((b <> 0), coalesce(b, (c + c)), 0)": "0 2 0 3",
		"((b <> 0) AND ((a // b) > 2))":         "false true false true",
	} {
		e := mustRead(t, text, abc...)
		p := Compile(e)
		var errs Errors
		v := p.Eval(b, nil, &errs)
		got := ""
		for i := range 4 {
			got += " " + valueText(v, i)
		}
		if got[1:] != want || len(errs.Faults) > 0 {
			t.Errorf("%s gives%s %v, want %s", text, got, errs.Faults, want)
		}
		if e.Type().Kind != vec.Bool {
			continue
		}
		var rows []int32
		for i := range 4 {
			if v.Bools[i] {
				rows = append(rows, int32(i))
			}
		}
		if f := p.Filter(b, nil, nil, &errs); !reflect.DeepEqual(f, rows) || len(errs.Faults) > 0 {
			t.Errorf("%s selects %v, want %v; %v", text, f, rows, errs.Faults)
		}
	}
}

func TestNullDoesNotStopAndInEitherForm(t *testing.T) {
	b := intBatch([]int64{1}, []int64{1}, []int64{math.MaxInt64})
	b.Cols[0].SetNull(0)
	e := mustRead(t, "((a > 0) AND ((c + c) > 1))", abc...)
	p := Compile(e)
	var byEval, byFilter Errors
	p.Eval(b, nil, &byEval)
	p.Filter(b, nil, nil, &byFilter)
	if len(byEval.Faults) != 1 || !reflect.DeepEqual(byEval, byFilter) {
		t.Errorf("NULL AND a fault: %v as a value, %v as a filter; want the same fault", byEval.Faults, byFilter.Faults)
	}
}

func TestFaultNamesBothOperandsAndLeavesNull(t *testing.T) {
	b := intBatch([]int64{1, math.MaxInt64, 3}, []int64{1, 1, 1})
	var errs Errors
	v := Compile(mustRead(t, "(a + b)", abc...)).Eval(b, nil, &errs)
	want := []Fault{{1, "overflow: 9223372036854775807 + 1 is out of range for BIGINT"}}
	if !reflect.DeepEqual(errs.Faults, want) || !v.IsNull(1) || v.IsNull(0) || v.IsNull(2) {
		t.Errorf("faults %v, want %v; values %s %s %s", errs.Faults, want, valueText(v, 0), valueText(v, 1), valueText(v, 2))
	}
}

func TestRowsOutsideTheSelectionNeverFault(t *testing.T) {
	const max = math.MaxInt64
	b := intBatch([]int64{max, 2, max, 4}, []int64{max, 0, max, 2}, []int64{max, 5, max, 7})
	text := vec.NewVector(varcharType)
	text.Resize(4)
	for i, s := range []string{"x", "1", "y", "2"} {
		text.AppendBytes(i, []byte(s))
	}
	b.Cols = append(b.Cols, text)
	fields := append(abc[:3:3], vec.Field{Name: "s", Type: varcharType})
	for _, e := range []string{"(a + b)", "(a - -b)", "(a * b)", "-(a::HUGEINT * b::HUGEINT)", "s::BIGINT", "s::DOUBLE", "s::TIMESTAMP", "a::SMALLINT", "(a::DECIMAL(18,0) + b)",
		"repeat('xx', a)", "chr(a::INTEGER)", "epoch_ms(a)", "make_timestamp(a)", "abs(a)", "round(a, -1)", "sqrt(-a)", "((a + b) > c)", "if((a > b), (a + a), b)", "(DATE '2020-01-01' + a)"} {
		x, err := read(e, fields...)
		if err != nil {
			t.Errorf("%s: %v", e, err)
			continue
		}
		p := Compile(x)
		var errs Errors
		p.Eval(b, []int32{1, 3}, &errs)
		for _, f := range errs.Faults {
			if f.Row != 1 && f.Row != 3 {
				t.Errorf("%s: row %d is not selected, and faults: %s", e, f.Row, f.Msg)
			}
		}
		errs.Reset()
		if p.Eval(b, []int32{}, &errs); len(errs.Faults) > 0 {
			t.Errorf("%s: faults with no row selected: %v", e, errs.Faults)
		}
	}
}

func TestFilterSelectsWhatEvalFindsTrue(t *testing.T) {
	const seed = 7
	rnd := rand.New(rand.NewSource(seed))
	fields := []vec.Field{{Name: "i", Type: bigintType}, {Name: "j", Type: bigintType}, {Name: "x", Type: doubleType}, {Name: "y", Type: doubleType},
		{Name: "s", Type: varcharType}, {Name: "t", Type: varcharType}, {Name: "p", Type: boolType}, {Name: "w", Type: hugeintType}}
	texts := []string{"", "a", "ab", "b", "é", "a%"}
	floats := []float64{0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1)}
	for round := 0; round < 30; round++ {
		n := rnd.Intn(200) + 1
		b := vec.NewBatch()
		for _, f := range fields {
			v := vec.NewVector(f.Type)
			v.Resize(n)
			for i := 0; i < n; i++ {
				switch f.Type.Phys() {
				case vec.PhysI64:
					v.I64[i] = int64(rnd.Intn(5))
				case vec.PhysF64:
					v.F64[i] = floats[rnd.Intn(len(floats))]
				case vec.PhysBytes:
					v.AppendBytes(i, []byte(texts[rnd.Intn(len(texts))]))
				case vec.PhysBool:
					v.Bools[i] = rnd.Intn(2) == 0
				case vec.PhysI128:
					v.I128[i] = randomNumber(rnd, intType)
				}
				if round%2 == 0 && rnd.Intn(6) == 0 {
					v.SetNull(i)
				}
			}
			b.Cols = append(b.Cols, v)
		}
		b.N = n
		var sel []int32
		if round%3 > 0 {
			sel = []int32{}
			for i := int32(0); i < int32(n); i++ {
				if rnd.Intn(3) > 0 {
					sel = append(sel, i)
				}
			}
		}
		var exprs []string
		for _, op := range []string{"=", "<>", "<", "<=", ">", ">="} {
			for _, pair := range []string{"i %s j", "i %s 2", "2 %s i", "x %s y", "x %s 0e0", "'nan'::DOUBLE %s x", "s %s t", "s %s 'a'", "w %s i", "i %s 1.5", "p %s true"} {
				exprs = append(exprs, "("+fmt.Sprintf(pair, op)+")")
			}
		}
		exprs = append(exprs, "p", "((i < 3) AND (x < y) AND p)", "((i < 3) OR (x < y))", "(s LIKE 'a%')", "(s LIKE t)", "(s ILIKE 'A_')", "((p OR (i = 1)) AND (s <> t))")
		for _, text := range exprs {
			p := Compile(mustRead(t, text, fields...))
			var errs Errors
			v := p.Eval(b, sel, &errs)
			want := []int32{}
			for _, i := range (&run{n: n, all: identity(n)}).rows(sel) {
				if !v.IsNull(int(i)) && v.Bools[i] {
					want = append(want, i)
				}
			}
			if got := p.Filter(b, sel, nil, &errs); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %s selects %v, want %v", seed, text, got, want)
			}
			if sel != nil {
				in := append([]int32(nil), sel...)
				if got := p.Filter(b, in, in[:0], &errs); !reflect.DeepEqual(append([]int32{}, got...), want) {
					t.Fatalf("seed %d: %s in place selects %v, want %v", seed, text, got, want)
				}
			}
		}
	}
}

func TestComparisonsOfDoublesOrderNaNLast(t *testing.T) {
	for text, want := range map[string]string{
		"('nan'::DOUBLE = 'nan'::DOUBLE)": "true", "('nan'::DOUBLE > 'inf'::DOUBLE)": "true", "('nan'::DOUBLE < 1e0)": "false", "(1e0 <= 'nan'::DOUBLE)": "true",
		"(0e0 = -0e0)": "true", "('nan'::DOUBLE <> 'nan'::DOUBLE)": "false", "('a' < 'B')": "false", "('é' > 'z')": "true",
		"(9223372036854775807::BIGINT = 9223372036854775807.0)": "true", "(1::DECIMAL(38,0) < 1.00000000000000000001::DECIMAL(38,37))": "true",
		"(INTERVAL '1 month' = INTERVAL '30 days')": "true", "(INTERVAL '-1 microsecond' < INTERVAL '0 days')": "true",
		"(TIMESTAMP '2026-01-01 00:00:00' > '2025-12-31')": "true", "(NULL = 1)": "NULL", "(NULL = NULL)": "NULL",
	} {
		if got := valueOf(text); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
}

func TestProgramsKeepNothingFromBatchToBatch(t *testing.T) {
	e := mustRead(t, "concat_ws('-', a, if((a > b), upper('x'), NULL), (a * 2))", abc...)
	p := Compile(e)
	for n := 1; n < 40; n += 3 {
		a, b := make([]int64, n), make([]int64, n)
		for i := range a {
			a[i], b[i] = int64(i*n%7), 3
		}
		var errs Errors
		v, w := p.Eval(intBatch(a, b), nil, &errs), Compile(e).Eval(intBatch(a, b), nil, &errs)
		for i := range a {
			if valueText(v, i) != valueText(w, i) {
				t.Fatalf("%d rows, row %d: %s by a used program, %s by a new one", n, i, valueText(v, i), valueText(w, i))
			}
		}
	}
}

func TestHotKernelsAllocateNothing(t *testing.T) {
	const n = 1024
	dec := vec.DecimalType(18, 2)
	b := vec.NewBatch(dec, timestampType, varcharType, doubleType)
	b.Resize(n)
	for i := 0; i < n; i++ {
		b.Cols[0].I64[i], b.Cols[1].I64[i], b.Cols[3].F64[i] = int64(i), int64(i)*microsPerHour, float64(i)
		b.Cols[2].AppendBytes(i, []byte("text"))
		if i%7 == 0 {
			b.Cols[0].SetNull(i)
		}
	}
	fields := []vec.Field{{Name: "amount", Type: dec}, {Name: "ts", Type: timestampType}, {Name: "s", Type: varcharType}, {Name: "x", Type: doubleType}}
	for _, text := range []string{"(amount > 5)", "(amount + amount)", "(amount * 2)", "(ts >= '1970-01-02')", "(s = 'text')", "(s LIKE 't%')", "((amount > 5) AND (s = 'text') AND (x < 7e0))",
		"upper(s)", "substr(s, 2)", "epoch_ms(ts)", "date_trunc('day', ts)", "(ts + INTERVAL '1 day')", "if((amount > 5), s, 'other')", "coalesce(amount, 0)", "year(ts)", "amount::VARCHAR"} {
		e := mustRead(t, text, fields...)
		p := Compile(e)
		var errs Errors
		var dst []int32
		work := func() {
			p.Eval(b, nil, &errs)
			if e.Type().Kind == vec.Bool {
				dst = p.Filter(b, nil, dst[:0], &errs)
			}
		}
		work()
		work()
		if got := testing.AllocsPerRun(10, work); got != 0 {
			t.Errorf("%s allocates %v times a batch", text, got)
		}
	}
}
