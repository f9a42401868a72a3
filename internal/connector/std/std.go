// Package std reads standard input and writes standard output, records one a line.
//
// Standard input is one partition that can be read once: a run over it keeps no checkpoint. Its end is unknown until it
// is there. Standard output is lines of JSON or of another format, or on a terminal a table with aligned columns.
//
//	zcat txns.jsonl.gz | ubik --from - … > counts.jsonl
package std

import (
	"ubik/internal/connector"
	"ubik/internal/fault"
)

// Kind is the connector of the standard streams.
var Kind = connector.Kind{
	Name:    "std",
	Schemes: []string{"-"},
	Doc: `Standard input and output, written -, one record a line, empty lines ignored.
Input is read until it ends and cannot be read again, so --resume is refused. On a terminal the output is a table with
aligned columns; elsewhere it is lines, of JSON unless another format is asked for.`,
	Examples:  []string{"-"},
	Unbounded: true,
	NewSource: newSource,
	NewSink:   newSink,
}

func check(url string) error {
	if url == "-" {
		return nil
	}
	return fault.New(fault.Usage, `"`+url+`" is not a standard stream`, "write - for standard input or output")
}
