// Package docs checks what the documents say of DuckDB. It has tests only.
package docs
