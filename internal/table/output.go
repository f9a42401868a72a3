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
	Head []byte // what a file begins with
}

// Output returns how rows of these columns are written to a sink.
func Output(to *catalog.Table, fields []vec.Field) (*Written, error) {
	switch to.Format {
	case "raw":
		if err := rawrec.CheckOutput(fields); err != nil {
			return nil, fault.New(fault.Usage, err.Error(), "")
		}
		return &Written{Format: rawrec.Format}, nil
	case "csv", "tsv":
	default:
		return &Written{Format: jsonrec.Format}, nil
	}
	d := csvrec.Default(nil)
	d.Header = !isTopic(to.Kind)
	if to.Format == "tsv" {
		d.Delimiter = '\t'
	}
	for _, f := range fields {
		d.Names = append(d.Names, f.Name)
	}
	if err := over(&d, to.FormatOptions); err != nil {
		return nil, err
	}
	if d.Header && isTopic(to.Kind) {
		return nil, fault.New(fault.Usage, "a topic has no header: each message is a record", "leave the header option away")
	}
	if err := csvrec.CheckOutput(d, fields); err != nil {
		return nil, fault.New(fault.Usage, fmt.Sprintf("%s: %s", to.Format, err), "")
	}
	w := &Written{Format: csvrec.Format(d)}
	if d.Header {
		w.Head = append(csvrec.Header(d), '\n')
	}
	return w, nil
}
