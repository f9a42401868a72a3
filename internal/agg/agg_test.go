package agg

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/exact"
	"ubik/internal/expr"
	"ubik/internal/vec"
)

func argTypes() []vec.Type {
	ts := []vec.Type{vec.DecimalType(18, 2), vec.DecimalType(38, 6), vec.DecimalType(38, 0)}
	for _, k := range []vec.Kind{vec.Bool, vec.Int8, vec.Int16, vec.Int32, vec.Int64, vec.HugeInt, vec.Double, vec.Varchar, vec.Blob, vec.Timestamp, vec.Date} {
		ts = append(ts, vec.TypeOf(k))
	}
	return ts
}

// every lists each function for each type it takes.
func every(t testing.TB) []*Function {
	star, err := Resolve("count", nil)
	if err != nil {
		t.Fatal(err)
	}
	fs := []*Function{star}
	for _, name := range []string{"count", "sum", "avg", "min", "max"} {
		for _, arg := range argTypes() {
			if f, err := Resolve(name, []vec.Type{arg}); err == nil {
				fs = append(fs, f)
			}
		}
	}
	return fs
}

// randomColumn has NULLs, extremes and many equal values.
func randomColumn(r *rand.Rand, t vec.Type, n int) *vec.Vector {
	v := vec.NewVector(t)
	v.Resize(n)
	mode := r.IntN(3)
	for i := 0; i < n; i++ {
		if mode > 0 && r.IntN(4) == 0 {
			v.SetNull(i)
			continue
		}
		switch t.Phys() {
		case vec.PhysBool:
			v.Bools[i] = r.IntN(2) == 0
		case vec.PhysI64:
			lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
			switch t.Kind {
			case vec.Int8:
				lo, hi = -128, 127
			case vec.Int16:
				lo, hi = -1<<15, 1<<15-1
			case vec.Int32, vec.Date:
				lo, hi = -1<<31, 1<<31-1
			case vec.Decimal:
				lo, hi = -999999999999999999, 999999999999999999
			case vec.Timestamp:
				lo, hi = int64(vec.MinTime), int64(vec.MaxTime)
			}
			switch r.IntN(4) {
			case 0:
				v.I64[i] = lo
			case 1:
				v.I64[i] = hi
			default:
				v.I64[i] = r.Int64N(200) - 100
			}
		case vec.PhysI128:
			most := exact.MaxInt128
			if t.Kind == vec.Decimal {
				most, _ = exact.Pow10(38).Sub(exact.FromInt64(1))
			}
			least, _ := most.Neg()
			if t.Kind == vec.HugeInt {
				least = exact.MinInt128
			}
			switch r.IntN(6) {
			case 0:
				v.I128[i] = most
			case 1:
				v.I128[i] = least
			default:
				v.I128[i] = exact.MulInt64(r.Int64()>>r.IntN(60), r.Int64N(1000)-500)
			}
		case vec.PhysF64:
			switch r.IntN(12) {
			case 0:
				v.F64[i] = math.Copysign(0, -1)
			case 1:
				v.F64[i] = math.Float64frombits(r.Uint64())
			case 2:
				if mode == 2 {
					v.F64[i] = []float64{math.Inf(1), math.Inf(-1), math.NaN(), -math.NaN()}[r.IntN(4)]
				}
			default:
				v.F64[i] = float64(r.IntN(2000)-1000) / 100
			}
		case vec.PhysBytes:
			b := make([]byte, r.IntN(5)*r.IntN(12))
			for k := range b {
				b[k] = byte('a' + r.IntN(3))
			}
			v.AppendBytes(i, b)
		}
	}
	return v
}

func bigOf(v *vec.Vector, i int) *big.Int {
	if v.Type.Phys() == vec.PhysI64 {
		return big.NewInt(v.I64[i])
	}
	b, _ := new(big.Int).SetString(v.I128[i].String(), 10)
	return b
}

// naive computes a function over rows of v the plain way, as text, and "overflow".
func naive(f *Function, v *vec.Vector, rows []int32) string {
	if f.Entry.Star {
		return fmt.Sprint(len(rows))
	}
	var some []int
	for _, r := range rows {
		if !v.IsNull(int(r)) {
			some = append(some, int(r))
		}
	}
	if f.Entry.Name == "count" {
		return fmt.Sprint(len(some))
	}
	if len(some) == 0 {
		return "NULL"
	}
	switch f.Entry.Name {
	case "min", "max":
		best := some[0]
		for _, i := range some {
			a, b := vec.AppendKey(nil, v, i, true), vec.AppendKey(nil, v, best, true)
			if c := bytes.Compare(a, b); f.Entry.Name == "min" && c < 0 || f.Entry.Name == "max" && c > 0 {
				best = i
			}
		}
		if v.Type.Kind == vec.Double && v.F64[best] == 0 {
			return "0.0"
		}
		return string(expr.AppendText(nil, v, best))
	}
	out := vec.NewVector(f.Result)
	out.Resize(1)
	if v.Type.Kind == vec.Double {
		sum := new(big.Rat)
		var nan, pos, neg bool
		for _, i := range some {
			switch x := v.F64[i]; {
			case x != x:
				nan = true
			case math.IsInf(x, 1):
				pos = true
			case math.IsInf(x, -1):
				neg = true
			default:
				sum.Add(sum, new(big.Rat).SetFloat64(x))
			}
		}
		if f.Entry.Name == "avg" {
			sum.Quo(sum, big.NewRat(int64(len(some)), 1))
		}
		out.F64[0], _ = sum.Float64()
		switch {
		case nan || pos && neg:
			out.F64[0] = math.NaN()
		case pos:
			out.F64[0] = math.Inf(1)
		case neg:
			out.F64[0] = math.Inf(-1)
		}
		return string(expr.AppendText(nil, out, 0))
	}
	sum := new(big.Int)
	for _, i := range some {
		sum.Add(sum, bigOf(v, i))
	}
	if f.Entry.Name == "avg" {
		den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(v.Type.Scale)), nil)
		out.F64[0], _ = new(big.Rat).SetFrac(sum, den.Mul(den, big.NewInt(int64(len(some))))).Float64()
		return string(expr.AppendText(nil, out, 0))
	}
	x, ok := exact.ParseInt128([]byte(sum.String()))
	if !ok || f.Result.Kind == vec.Decimal && !exact.FitsDecimal(x, 38) {
		return "overflow"
	}
	out.I128[0] = x
	return string(expr.AppendText(nil, out, 0))
}

func finish(f *Function, a Accumulator, group uint32) string {
	out := vec.NewVector(f.Result)
	out.Resize(1)
	if err := a.Finish([]uint32{group}, out); err != nil {
		if err.Error() != "does not fit "+f.Result.String() {
			return err.Error()
		}
		return "overflow"
	}
	if out.IsNull(0) {
		return "NULL"
	}
	return string(expr.AppendText(nil, out, 0))
}

func state(a Accumulator, groups ...uint32) []byte {
	var e vec.Encoder
	a.Save(&e, groups)
	return e.Buf
}

func TestResultsAndStatesAreThoseOfTheMultiset(t *testing.T) {
	seed := rand.Uint64()
	defer func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	}()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, f := range every(t) {
		for round := 0; round < 60; round++ {
			n, groups := r.IntN(60), 1+r.IntN(4)
			col := randomColumn(r, f.Arg, n)
			if f.Entry.Star {
				col = nil
			}
			of := make([][]int32, groups)
			a, b := f.New(), f.New()
			whole := f.New()
			for _, x := range []Accumulator{a, b, whole} {
				x.Grow(groups)
			}
			var gs, back []uint32
			var rows []int32
			for i := 0; i < n; i++ {
				g := uint32(r.IntN(groups))
				of[g] = append(of[g], int32(i))
				gs, rows = append(gs, g), append(rows, int32(i))
			}
			whole.Update(gs, col, rows)
			// The same rows in another order, in pieces, in two columns that number the groups otherwise.
			r.Shuffle(n, func(i, k int) { gs[i], gs[k] = gs[k], gs[i]; rows[i], rows[k] = rows[k], rows[i] })
			for from := 0; from < n; {
				to := from + 1 + r.IntN(n-from)
				if r.IntN(2) == 0 {
					a.Update(gs[from:to], col, rows[from:to])
				} else {
					back = back[:0]
					for _, g := range gs[from:to] {
						back = append(back, uint32(groups)-1-g)
					}
					b.Update(back, col, rows[from:to])
				}
				from = to
			}
			var to, from []uint32
			for g := 0; g < groups; g++ {
				to, from = append(to, uint32(g)), append(from, uint32(groups-1-g))
			}
			a.Merge(to, b, from)

			loaded := f.New()
			loaded.Grow(1)
			d := &vec.Decoder{Buf: state(a, to...)}
			if loaded.Load(d, groups); d.Done() != nil {
				t.Fatalf("%s: its own state is refused", f)
			}
			for g := range of {
				want := naive(f, col, of[g])
				for i, got := range []string{finish(f, whole, uint32(g)), finish(f, a, uint32(g)), finish(f, loaded, uint32(g+1))} {
					if got != want {
						t.Fatalf("%s of %v: way %d gives %s, want %s", f, of[g], i, got, want)
					}
				}
				if !bytes.Equal(state(a, uint32(g)), state(whole, uint32(g))) || !bytes.Equal(state(a, uint32(g)), state(loaded, uint32(g+1))) {
					t.Fatalf("%s: states differ: %x, %x, %x", f, state(a, uint32(g)), state(whole, uint32(g)), state(loaded, uint32(g+1)))
				}
			}
			whole.Reset()
			whole.Grow(1)
			if got, want := finish(f, whole, 0), naive(f, col, nil); got != want {
				t.Fatalf("%s: after Reset %s, want %s", f, got, want)
			}
		}
	}
}

func TestAnAverageOutsideOf128BitsIsStillRounded(t *testing.T) {
	f, _ := Resolve("avg", []vec.Type{vec.TypeOf(vec.HugeInt)})
	v := vec.NewVector(f.Arg)
	v.Resize(3)
	v.I128[0], v.I128[1], v.I128[2] = exact.MaxInt128, exact.MaxInt128, exact.FromInt64(-7)
	a := f.New()
	a.Grow(1)
	a.Update([]uint32{0, 0, 0}, v, []int32{0, 1, 2})
	if got, want := finish(f, a, 0), naive(f, v, []int32{0, 1, 2}); got != want || got == "NULL" {
		t.Fatalf("got %s, want %s", got, want)
	}
}

func TestTextOfReplacedValuesIsReclaimed(t *testing.T) {
	f, _ := Resolve("max", []vec.Type{vec.TypeOf(vec.Varchar)})
	a := f.New()
	a.Grow(2)
	v := vec.NewVector(f.Arg)
	for i := 0; i < 100_000; i++ {
		v.Resize(1)
		v.Arena = v.Arena[:0]
		v.AppendBytes(0, []byte(fmt.Sprintf("%09d%s", i, strings.Repeat("x", i%50))))
		a.Update([]uint32{1}, v, []int32{0})
	}
	if got := finish(f, a, 1); !strings.HasPrefix(got, "000099999x") {
		t.Fatal(got)
	}
	if n := a.Bytes(); n > 4*compactFrom {
		t.Fatalf("%d bytes for one text", n)
	}
}

func TestExamplesHold(t *testing.T) {
	for _, e := range Functions {
		if e.Doc == "" || len(e.Examples) == 0 {
			t.Errorf("%s has no doc or no example", e.Name)
		}
		for _, ex := range e.Examples {
			var args []vec.Type
			if !e.Star {
				args = append(args, ex.Arg)
			}
			f, err := Resolve(e.Name, args)
			if err != nil {
				t.Fatal(err)
			}
			a := f.New()
			a.Grow(1)
			for _, text := range ex.Values {
				var v *vec.Vector
				if !e.Star {
					v = expr.NewTypedNull(ex.Arg).Value()
					if text != "NULL" {
						c, err := expr.NewCast(expr.NewString(text), ex.Arg, false)
						if err != nil {
							t.Fatal(err)
						}
						v = c.(*expr.Literal).Value()
					}
				}
				a.Update([]uint32{0}, v, []int32{0})
			}
			if got := finish(f, a, 0); got != ex.Result {
				t.Errorf("%s of %v: %s, the example says %s", f, ex.Values, got, ex.Result)
			}
		}
	}
}

func TestTypesAreThoseOfDuckDB(t *testing.T) {
	typ := vec.TypeOf
	for _, c := range []struct {
		name string
		args []vec.Type
		want string
	}{
		{"COUNT", nil, "count_star() BIGINT"},
		{"count", []vec.Type{typ(vec.Interval)}, "count(INTERVAL) BIGINT"},
		{"sum", []vec.Type{typ(vec.Int8)}, "sum(TINYINT) HUGEINT"},
		{"sum", []vec.Type{typ(vec.HugeInt)}, "sum(HUGEINT) HUGEINT"},
		{"sum", []vec.Type{vec.DecimalType(9, 3)}, "sum(DECIMAL(9,3)) DECIMAL(38,3)"},
		{"sum", []vec.Type{typ(vec.Double)}, "sum(DOUBLE) DOUBLE"},
		{"Avg", []vec.Type{vec.DecimalType(38, 3)}, "avg(DECIMAL(38,3)) DOUBLE"},
		{"min", []vec.Type{vec.DecimalType(9, 3)}, "min(DECIMAL(9,3)) DECIMAL(9,3)"},
		{"max", []vec.Type{typ(vec.Varchar)}, "max(VARCHAR) VARCHAR"},
		{"median", []vec.Type{typ(vec.Int8)}, "there is no aggregate function median"},
		{"sum", nil, "sum takes 1 argument, here it has 0"},
		{"count_star", []vec.Type{typ(vec.Int8)}, "count_star takes 0 arguments, here it has 1"},
		{"sum", []vec.Type{typ(vec.Varchar)}, "sum needs a number, not VARCHAR: cast it to DECIMAL or DOUBLE"},
		{"avg", []vec.Type{typ(vec.Bool)}, "avg needs a number, not BOOLEAN: count the rows with count(*) FILTER (WHERE …), or cast to INTEGER"},
		{"sum", []vec.Type{{}}, "sum(NULL) has no type: cast the NULL, as in NULL::BIGINT"},
		{"min", []vec.Type{typ(vec.Interval)}, "min of INTERVAL is not defined, since a month has no fixed length: cast or convert it first, as in epoch_ms"},
		{"max", []vec.Type{typ(vec.JSON)}, "max of JSON is not defined: take a field of it, or cast it to VARCHAR"},
		{"max", []vec.Type{{Kind: vec.Struct}}, "max of STRUCT() is not defined: take a field of it, or cast it to VARCHAR"},
	} {
		f, err := Resolve(c.name, c.args)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = f.String() + " " + f.Result.String()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

func FuzzLoadRefusesOrGivesAState(f *testing.F) {
	fs := every(f)
	r := rand.New(rand.NewPCG(1, 2))
	for i, fn := range fs {
		a := fn.New()
		a.Grow(2)
		var col *vec.Vector
		if !fn.Entry.Star {
			col = randomColumn(r, fn.Arg, 8)
		}
		a.Update([]uint32{0, 0, 0, 0, 0, 0}, col, []int32{0, 1, 2, 3, 4, 5})
		f.Add(byte(i), state(a, 0, 1))
	}
	f.Fuzz(func(t *testing.T, i byte, b []byte) {
		fn := fs[int(i)%len(fs)]
		a := fn.New()
		d := &vec.Decoder{Buf: b}
		if a.Load(d, 2); d.Done() != nil {
			return
		}
		if got := state(a, 0, 1); !bytes.Equal(got, b) {
			t.Fatalf("%s: %x is accepted and saved as %x", fn, b, got)
		}
		// It works on: nothing panics, and the two groups together give what they give in either order.
		c := fn.New()
		c.Grow(2)
		c.Merge([]uint32{0, 0, 1, 1}, a, []uint32{0, 1, 1, 0})
		if x, y := finish(fn, c, 0), finish(fn, c, 1); x != y {
			t.Fatalf("%s: %s and %s", fn, x, y)
		}
	})
}
