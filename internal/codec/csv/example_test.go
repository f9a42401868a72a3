package csvrec_test

import (
	"fmt"

	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	"ubik/internal/vec"
)

// A file is sniffed once; its records are then read into the columns that a query uses.
func Example() {
	d, err := csvrec.Sniff([]byte("id;amount\n7;12,50\n"), true)
	if err != nil {
		panic(err)
	}
	fmt.Println(d, d.Names)
	cols := []codec.Column{{Path: []string{"id"}, Type: vec.TypeOf(vec.Int64)}}
	if err := csvrec.Check(d, cols); err != nil {
		panic(err)
	}
	rec := &codec.Records{Data: []byte("7;12,50"), Spans: []vec.Span{{Off: 0, Len: 7}}}
	out := vec.NewBatch(cols[0].Type)
	bad := csvrec.Format(d).NewDecoder(cols).Decode(rec, out, nil)
	fmt.Println(out.Cols[0].I64[0], len(bad))
	// Output:
	// delimiter ';', quote '"', header [id amount]
	// 7 0
}
