// Package vec holds the typed columns that everything between a source and a sink works on.
//
// A Vector is one column of a Batch: a typed slice, a bitmap of NULLs and, for text, an arena that its spans point
// into. Kernels work on the rows named by a selection (ascending row numbers, nil for all rows), so that a row which
// a filter removed is never computed. A vector is lent for the call it is handed to; whoever keeps a value copies it.
//
//	v := vec.NewVector(vec.TypeOf(vec.Int64))
//	v.Resize(3)
//	v.I64[0], v.I64[1] = 7, 8
//	v.SetNull(2)
//
// The package also holds event time (Time), the order-preserving key bytes of a group (KeyBuilder) and the encoder
// and decoder of operator state.
package vec
