// Package csv compares how files are read as CSV by the program and by DuckDB. It has tests only.
//
// The files are those of the format's own tests, internal/codec/csv/testdata, beside which lies what the program makes
// of each: dialect, names, records. DuckDB sniffs and reads the same files. Where it comes to something else, the file
// stands in the table of differences with the reason, and DuckDB's reading lies in testdata; go test -update rewrites
// that.
package csv
