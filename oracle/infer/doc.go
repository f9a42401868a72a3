// Package infer compares the types that are inferred from a file with those that DuckDB finds in it. Its tests list every
// column in which they differ, with the reason.
package infer
