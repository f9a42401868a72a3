// Package catalogue compares what expressions and aggregates are worth in the program and in DuckDB. It has tests only.
//
// Every example of the catalogues is evaluated by both, and random typed expressions over a table of edge cases are,
// row by row. Where a difference is wanted it stands in the list of differences, with the sentence of docs/SQL.md
// that tells users of it. A failure prints the seed:
//
//	UBIK_ORACLE_SEED=42 UBIK_ORACLE_EXPRESSIONS=100000 go test ./catalogue -run Random
package catalogue
