package exact

import "testing"

func TestHotPathsDoNotAllocate(t *testing.T) {
	var f, from FloatSums
	f.Grow(100)
	from.Grow(100)
	groups := make([]uint32, 1000)
	xs := make([]float64, 1000)
	for i := range xs {
		groups[i] = uint32(i % 100)
		xs[i] = float64(i*37%5000) / 100
	}
	from.AddRows(groups, xs)
	f.Add(99, 1e300) // one wide group, which is as free of allocation once it is wide
	f.Add(99, 1e-300)
	buf := make([]byte, 0, 512)
	state := from.AppendState(nil, 7)
	wide, _ := ParseInt128([]byte("123456789012345678901234567890"))
	var sum Int128
	var sink float64
	for name, fn := range map[string]func(){
		"AddRows":         func() { f.AddRows(groups, xs) },
		"Add":             func() { f.Add(3, 1.5); f.Add(99, 1e-200); f.Add(99, 5e-324) },
		"Merge":           func() { f.Merge(3, &from, 7); f.Merge(99, &from, 7) },
		"Sum, Mean":       func() { sink += f.Sum(3) + f.Mean(3, 7) + f.Mean(99, 3) },
		"AppendState":     func() { buf = f.AppendState(buf[:0], 3); buf = f.AppendState(buf, 99) },
		"LoadState":       func() { f.LoadState(5, state) },
		"Reset, Grow":     func() { from.Reset(); from.Grow(100); from.AddRows(groups, xs) },
		"ParseDecimal64":  func() { ParseDecimal64([]byte("12345.67"), 18, 2) },
		"ParseDecimal":    func() { ParseDecimal([]byte("-12345678901234567890.678e3"), 38, 2) },
		"ParseNumberInt":  func() { ParseNumberInt([]byte("1.0e5")) },
		"huge exponent":   func() { ParseDecimal([]byte("1e-999999999"), 38, 2) },
		"AppendDecimal":   func() { buf = wide.AppendDecimal(buf[:0], 4) },
		"AppendDecimal64": func() { buf = AppendDecimal64(buf[:0], -1234567, 2) },
		"Float64, Quo":    func() { sink += wide.Float64(5) + Quo(wide, 5, 77) },
		"arithmetic":      func() { sum = sum.WrapAdd(wide); sum, _ = sum.Mul(FromInt64(3)); sum, _ = sum.QuoRem(wide) },
	} {
		if n := testing.AllocsPerRun(100, fn); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
