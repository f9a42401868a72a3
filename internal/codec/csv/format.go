package csvrec

import (
	"fmt"
	"strings"

	"ubik/internal/codec"
	"ubik/internal/vec"
)

// Format is the CSV format in a dialect. What the decoder and encoder are made for must have passed Check and
// CheckOutput. Each may be used by one goroutine at a time.
func Format(d Dialect) codec.Format {
	return codec.Format{
		Name:       "csv",
		Doc:        "fields parted by a delimiter, one record a line (RFC 4180, UTF-8); a column is the field of its name",
		NewDecoder: func(cols []codec.Column) codec.Decoder { return newDecoder(d, cols) },
		NewEncoder: func(fields []vec.Field) codec.Encoder { return newEncoder(d, fields) },
	}
}

// Check returns why records of the dialect cannot be read into the columns: a path of several names, a name that is
// none of the dialect's, a type that no field is cast to.
func Check(d Dialect, cols []codec.Column) error {
	if err := d.Check(); err != nil {
		return err
	}
	at := fieldsByName(d.Names)
	for _, c := range cols {
		if len(c.Path) != 1 {
			return fmt.Errorf("%s: a CSV column has no members; name a column, or cast one that holds JSON", strings.Join(c.Path, "."))
		}
		if _, ok := at[c.Path[0]]; !ok {
			for _, name := range d.Names {
				if strings.EqualFold(name, c.Path[0]) {
					return fmt.Errorf("%s: the CSV has no such column; did you mean %s? Names are those of the header, letter for letter", c.Path[0], name)
				}
			}
			return fmt.Errorf("%s: the CSV has no such column; it has %s", c.Path[0], shownNames(d.Names))
		}
		if c.Type.Phys() == vec.PhysNone {
			return fmt.Errorf("%s: a CSV field cannot be read as %s; declare it VARCHAR or JSON", c.Path[0], c.Type)
		}
	}
	return nil
}

// CheckOutput returns why rows of the fields cannot be written in the dialect so that they read back.
func CheckOutput(d Dialect, fields []vec.Field) error {
	if len(fields) == 0 {
		return fmt.Errorf("a CSV has at least one column")
	}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
		if f.Type.Kind != vec.Null && f.Type.Phys() == vec.PhysNone {
			return fmt.Errorf("%s: a %s cannot be written as a CSV field; cast it to VARCHAR", f.Name, f.Type)
		}
	}
	d.Names = names
	if err := d.Check(); err != nil {
		return err
	}
	switch {
	case d.Quote == 0:
		return fmt.Errorf("CSV cannot be written without quotes: a value that holds the delimiter could not be read back; give a quote, such as '\"'")
	case len(fields) == 1 && d.Null == "" && keepsEmpty(fields[0].Type.Kind):
		return fmt.Errorf("%s: as the only column its NULL would be an empty line, which is no record; give a text for NULL, such as 'NULL'", fields[0].Name)
	}
	return nil
}

func fieldsByName(names []string) map[string]int {
	at := make(map[string]int, len(names))
	for i, name := range names {
		at[name] = i
	}
	return at
}

// keepsEmpty reports whether the empty text is a value of the kind. For every other kind an empty field is NULL, quoted
// or not: many programs quote all that they export.
func keepsEmpty(k vec.Kind) bool { return k == vec.Varchar || k == vec.Blob }
