// Package expr holds typed expressions, the kernels they are compiled to, and the catalogue of scalar functions.
//
// An Expr is an immutable tree. Its constructors do the typing: they insert the casts that SQL leaves out, choose the
// overload of a function, compute what is constant, and refuse what has no type with a sentence for the user.
//
//	amount := &expr.Column{Index: 1, Name: "amount", T: vec.DecimalType(18, 2)}
//	big, err := expr.NewBinary(">", amount, expr.NewInteger(100))
//	big.String() // (amount > 100.00::DECIMAL(18,2))
//
// Compile makes a Program of it, which belongs to one worker. A program works on the selected rows of a batch, one
// call per node and batch, with typed loops inside:
//
//	p := expr.Compile(big)
//	var errs expr.Errors
//	rows := p.Filter(batch, nil, nil, &errs)
//
// Words used here: a selection is an ascending list of row numbers, nil meaning all rows; a kernel is the loop that
// computes one node for a selection; a fault is a value error of one row (overflow, a text that is no number): it is
// noted in Errors and the row's result is NULL. What a row's AND, OR, CASE or COALESCE has decided without is never
// computed for that row, so it cannot fault.
//
// Results are those of DuckDB 1.5, whose types and names these are, but for the differences that docs/SQL.md lists.
// The package is pure: no clock, no chance, no host.
package expr
