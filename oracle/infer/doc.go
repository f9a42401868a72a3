// Package infer compares how files are read by the program and by DuckDB. It has tests only.
//
// One lists every column of the corpus of types that DuckDB gives another type, with the reason. Another reads all files
// of both corpora as a user does who says nothing of them; what comes of it lies in testdata beside DuckDB's reading. A
// difference there ends with the name of its reason, which stands in testdata/reasons.txt: go test -update rewrites the
// readings and keeps the reasons, and a new difference gets a question mark, which fails until it is explained.
package infer
