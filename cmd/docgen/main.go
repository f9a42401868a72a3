// Command docgen writes docs/SQL.md, the reference of the dialect, from the catalogues of the program: what it lists exists, and what it shows as a
// value or a message was computed while writing.
//
//	go run ./cmd/docgen    # in the main module's folder; `make update` does it
//
// Text that no catalogue has (what an operator means, why a difference to DuckDB is wanted) stands here as data, one file a chapter.
package main

import (
	"fmt"
	"os"
)

const path = "docs/SQL.md"

func main() {
	text, err := page()
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "docgen:", err)
		os.Exit(1)
	}
}
