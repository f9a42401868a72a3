// Package exact holds the numbers that never lose a digit: 128-bit integers,
// scaled decimals, and exact sums of float64.
//
// Its words:
//
//   - Int128 is a signed 128-bit integer, the carrier of HUGEINT, of wide
//     DECIMAL values and of the sums of both.
//   - A decimal is an integer v together with a scale s known from elsewhere
//     (a column's type): it stands for v / 10^s. 12.34 at scale 2 is 1234.
//   - A precision p is the largest number of decimal digits |v| may have.
//   - Half away from zero is how a decimal is brought to fewer digits: 0.5 → 1,
//     −0.5 → −1. Results of type float64 are rounded to nearest, ties to even.
//   - FloatSums is a column of exact sums of float64, one per group. Its state is
//     a function of the multiset of added values, whatever their order.
//
// For example:
//
//	v, ok := exact.ParseDecimal([]byte("12.345"), 18, 2) // 1235, true
//	text := v.AppendDecimal(nil, 2)                      // "12.35"
//
//	var f exact.FloatSums
//	f.Grow(1)
//	f.Add(0, 1e100)
//	f.Add(0, 1)
//	f.Add(0, -1e100)
//	f.Sum(0) // 1
//
// The package is pure: its results depend on its arguments alone. No function
// allocates for usual values; the rare slow paths that use math/big say so.
package exact
