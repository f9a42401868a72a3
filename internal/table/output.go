package table

import (
	"fmt"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	csvrec "ubik/internal/codec/csv"
	jsonrec "ubik/internal/codec/json"
	rawrec "ubik/internal/codec/raw"
	"ubik/internal/fault"
	"ubik/internal/vec"
)

// Written is how rows are written.
type Written struct {
	codec.Format
	Text string // the format with its options
	Head []byte // what a file begins with
}

// Output returns how rows of these columns are written to a sink.
func Output(to *catalog.Table, fields []vec.Field) (*Written, error) {
	switch to.Format {
	case "raw":
		if err := rawrec.CheckOutput(fields); err != nil {
			return nil, fault.New(fault.Usage, err.Error(), "")
		}
		return &Written{Format: rawrec.Format, Text: rawrec.Format.Name}, nil
	case "csv", "tsv":
	default:
		return &Written{Format: jsonrec.Format, Text: jsonrec.Format.Name}, nil
	}
	d := csvrec.Default(nil)
	d.Header = !isTopic(to.Kind)
	for _, f := range fields {
		d.Names = append(d.Names, f.Name)
	}
	given, err := givenBy(to.Format, to.FormatOptions)
	if err != nil {
		return nil, err
	}
	given.Over(&d)
	if d.Header && isTopic(to.Kind) {
		return nil, fault.New(fault.Usage, "a topic has no header: each message is a record", "leave the header option away")
	}
	if _, said := to.FormatOptions["null"]; !said && len(fields) == 1 {
		d.Null = "NULL" // an empty line would be no record
	}
	if err := csvrec.CheckOutput(d, fields); err != nil {
		return nil, fault.New(fault.Usage, fmt.Sprintf("%s: %s", to.Format, err), "")
	}
	w := &Written{Format: csvrec.Format(d), Text: "csv (" + d.String() + ")"}
	if d.Header {
		w.Head = append(csvrec.Header(d), '\n')
	}
	return w, nil
}
