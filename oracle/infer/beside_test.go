package infer

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/sql"
)

// named is a name on one line.
func named(name string) string { return strings.ReplaceAll(sql.QuoteName(name), "\n", `\n`) }

// golding writes the two readings beside each other: the program's on the left of a bar or above it, DuckDB's behind it.
func golding(ours, theirs reading, reasons map[string]string) string {
	var b strings.Builder
	switch {
	case ours.refused != "":
		fmt.Fprintf(&b, "refused: %s\n", ours.refused)
	default:
		fmt.Fprintf(&b, "columns: %d\n", len(ours.columns))
		for _, c := range ours.columns {
			fmt.Fprintf(&b, "\t%s %s\n", named(c.Name), c.Type)
		}
		if ours.untyped != "" {
			fmt.Fprintf(&b, "not typed: %s\n", ours.untyped)
		}
		fmt.Fprintf(&b, "rows: %d, malformed %s\n", len(ours.rows), ours.malformed)
		for _, row := range ours.rows[:min(len(ours.rows), rowsShown)] {
			fmt.Fprintf(&b, "\t%s\n", row)
		}
	}
	b.WriteString("\nDuckDB\n")
	switch {
	case theirs.refused != "":
		b.WriteString("refused\n")
	default:
		if slices.Equal(ours.columns, theirs.columns) {
			b.WriteString("the same columns\n")
		} else {
			fmt.Fprintf(&b, "columns: %d\n", len(theirs.columns))
			for _, c := range theirs.columns {
				fmt.Fprintf(&b, "\t%s %s\n", named(c.Name), c.Type)
			}
		}
		if slices.Equal(canonicalRows(ours), canonicalRows(theirs)) {
			b.WriteString("the same rows\n")
		} else {
			fmt.Fprintf(&b, "rows: %d\n", len(theirs.rows))
			for _, row := range theirs.rows[:min(len(theirs.rows), rowsShown)] {
				fmt.Fprintf(&b, "\t%s\n", row)
			}
		}
	}
	found := differ(ours, theirs)
	if len(found) == 0 {
		return b.String()
	}
	b.WriteString("\ndifferences\n")
	for _, d := range found {
		reason := reasons[d]
		if reason == "" {
			reason = noReason
		}
		fmt.Fprintf(&b, "\t%s: %s\n", d, reason)
	}
	return b.String()
}

// differ lists in what two readings differ. What a column's values are in another type is no difference of its own.
func differ(ours, theirs reading) []string {
	switch {
	case ours.refused != "" && theirs.refused != "":
		return nil
	case ours.refused != "":
		return []string{"refused by the program alone"}
	case theirs.refused != "":
		return []string{"refused by DuckDB alone"}
	}
	var out []string
	same := 0
	for _, c := range ours.columns {
		if typ := typeIn(theirs.columns, c.Name); typ != "-" {
			same++
		}
	}
	if same == 0 {
		out = append(out, "no name of a column is the same")
	} else {
		for _, c := range ours.columns {
			if typ := typeIn(theirs.columns, c.Name); typ != c.Type {
				out = append(out, fmt.Sprintf("column %s, %s and %s", named(c.Name), c.Type, typ))
			}
		}
		for _, c := range theirs.columns {
			if typeIn(ours.columns, c.Name) == "-" {
				out = append(out, fmt.Sprintf("column %s, - and %s", named(c.Name), c.Type))
			}
		}
	}
	if len(ours.rows) != len(theirs.rows) {
		return append(out, fmt.Sprintf("rows, %d and %d", len(ours.rows), len(theirs.rows)))
	}
	unlike := map[string]bool{}
	for i := range ours.rows {
		a, b := membersOf(ours.rows[i]), membersOf(theirs.rows[i])
		for _, c := range ours.columns {
			unlike[c.Name] = unlike[c.Name] || a[c.Name] != b[c.Name]
		}
	}
	for _, c := range ours.columns {
		if unlike[c.Name] && typeIn(theirs.columns, c.Name) == c.Type {
			out = append(out, "values of "+named(c.Name))
		}
	}
	return out
}
