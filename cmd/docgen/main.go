// Command docgen writes docs/SQL.md, the reference of the dialect, and docs/FORMATS.md, that of the formats, from the catalogues of the program: what
// they list exists, and what they show as a value or a message was computed while writing.
//
//	go run ./cmd/docgen    # in the main module's folder; `make update` does it
//
// Text that no catalogue has (what an operator means, why a difference to DuckDB is wanted) stands here as data, one file a chapter.
package main

import (
	"fmt"
	"os"
)

// pages are the documents and what writes them.
var pages = []struct {
	path  string
	write func() (string, error)
}{
	{"docs/SQL.md", page},
	{"docs/FORMATS.md", formatPage},
}

func main() {
	for _, p := range pages {
		text, err := p.write()
		if err == nil {
			err = os.WriteFile(p.path, []byte(text), 0o666)
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "docgen: %s: %v\n", p.path, err)
			os.Exit(1)
		}
	}
}
