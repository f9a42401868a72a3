package table

import (
	"context"
	"path/filepath"

	"ubik/internal/catalog"
)

// byEnding settles the format of a directory, or of a pattern that says none, by the endings of its files, where all have
// the same.
func (r *Resolver) byEnding(ctx context.Context, t *Table) error {
	if t.Table.Format != "" || !t.Kind.Replayable || isTopic(t.Kind) || catalog.EndingFormat(t.URL) != "" {
		return nil
	}
	src, err := t.Kind.NewSource(t.URL, r.optionsOf(t))
	if err != nil {
		return err
	}
	defer src.Close()
	parts, err := src.Partitions(ctx)
	if err != nil {
		return err
	}
	format := ""
	for i, p := range parts {
		switch f := catalog.EndingFormat(p.Topic); {
		case i == 0:
			format = f
		case f != format:
			t.mixed = filepath.Base(parts[0].Topic) + " and " + filepath.Base(p.Topic) + " end as of different formats"
			t.Warnings = append(t.Warnings, t.Name+": "+t.mixed+", so all files are read as json; give a pattern of one kind, or say --format")
			return nil
		}
	}
	if format == "raw" && t.Schema != nil {
		return nil // declared columns are taken out of objects, as for one file
	}
	t.formatAs(format)
	return nil
}

// formatAs sets the format by its name where none is said.
func (t *Table) formatAs(format string) {
	if t.Table.Format == "" {
		named := *t.Table
		named.Format = format
		t.Table = &named
	}
}
