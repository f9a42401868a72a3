// Package agg holds the aggregate functions: what each is called, how it is typed, and its running form.
//
// Its words:
//
//   - An Entry is a function of the catalogue, a value in the list Functions.
//   - A Function is an entry resolved for an argument type, so its result type is known.
//   - An Accumulator is a column of running results of one function, one per group; groups are numbered from 0.
//
// For example:
//
//	f, err := agg.Resolve("sum", []vec.Type{vec.DecimalType(18, 2)})
//	f.Result // DECIMAL(38,2)
//	a := f.New()
//	a.Grow(2)                                 // two groups
//	a.Update([]uint32{0, 1, 0}, amounts, rows) // three rows of the column amounts
//	err = a.Finish([]uint32{0, 1}, out)       // out row 0 is the sum of group 0
//
// Every result is a function of the multiset of the values that went in, and so are the saved bytes: no order of rows,
// no split into batches and no tree of merges makes a difference. Sums are therefore kept exact, of DOUBLE as well, in
// as many bits as no number of rows can overflow; whether a total fits its type is judged when it is asked for.
//
// The package is pure: no clock, no chance, no host.
package agg
