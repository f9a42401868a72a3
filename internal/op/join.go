package op

import (
	"ubik/internal/expr"
	"ubik/internal/vec"
)

// JoinKind is what a BandJoin gives.
type JoinKind uint8

const (
	Inner JoinKind = iota
	Left           // and left rows without a partner
	Right
	Full
	Semi // left rows with a partner, once
	Anti // left rows without one
)

// BandJoin joins two inputs whose keys are equal and whose times lie within a band:
//
//	l.ts + Lo ≤ r.ts ≤ l.ts + Hi
//
// Of each input batch the first Keys columns are the key, those behind are what the query needs of the row. Residual and
// Select read a batch with the columns behind the key of the left input, then those of the right; the columns of an
// absent side are NULL.
type BandJoin struct {
	Kind     JoinKind
	Keys     int
	Columns  [2][]vec.Type // of the columns behind the key, left and right
	Lo, Hi   vec.Time      // µs, both inclusive, Lo ≤ Hi
	Residual expr.Expr     // BOOLEAN over a pair; nil: none
	Select   []expr.Expr   // output columns
	OutKey   []expr.Expr   // with --key: the columns of the output key; nil: the rows' positions
}
