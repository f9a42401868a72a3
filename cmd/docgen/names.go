package main

import (
	"strings"

	"ubik/internal/sql"
)

func names(w *writer) {
	w.printf(`## Names

- A name is letters, digits, %s and %s, not beginning with a digit or %s; whatever is not ASCII counts as a letter. In double quotes it is anything
  but empty, a quote written twice: %s.
- Names, quoted or not, compare without the case of ASCII letters; output keeps the spelling of the declaration. The name of a JSON
  member matches a column byte for byte.
- A field of a STRUCT is %s, or %s. A source's table name is the last part of its path without extensions, or given: %s.
- These words are names only in quotes: %s.
- Comments are %s to the end of the line, and %s, which nest.

`, code("_"), code("$"), code("$"), code(`"say ""hi"""`), code("a.b"), code("a['b']"), code("--from txns=logs/*.jsonl"), strings.Join(sql.ReservedWords(), ", "), code("--"), code("/* … */"))
}

// literalForms are the literals with an example each.
var literalForms = []struct{ example, about string }{
	{"NULL", "takes the type of what it stands beside"},
	{"TRUE", "and FALSE"},
	{"12", "the smallest of INTEGER, BIGINT and HUGEINT that holds it"},
	{"1_000_000", "underscores between digits are left out"},
	{"1.50", "as many digits as are written"},
	{"1.5e3", "any number with an exponent"},
	{"'it''s'", "a quote is written twice, a backslash is a backslash. Beside another type it is read as that type"},
	{"DATE '2026-01-31'", "a type before a text casts it"},
	{"TIMESTAMP '2026-01-31 10:00:00.5'", "T or a blank between date and time; Z or an offset behind it"},
	{"INTERVAL 90 SECONDS", "see below"},
}

// intervals are spellings of INTERVAL.
var intervals = []string{
	"INTERVAL 1 MINUTE", "INTERVAL '1' MINUTE", "INTERVAL '1 minute'", "INTERVAL '1 hour 30 minutes'", "INTERVAL '1.5 hours'", "INTERVAL '2 weeks'",
	"INTERVAL '01:02:03.5'", "INTERVAL '-1 day'", "INTERVAL (1 + 2) HOUR", "INTERVAL '1 month -1 day'",
}

func literals(w *writer) {
	w.printf("## Literals\n\n| literal | type | |\n|---|---|---|\n")
	for _, l := range literalForms {
		typ, _, err := constant(l.example)
		if err != nil {
			w.fail(err)
		}
		if l.example == "NULL" {
			typ = ""
		}
		w.printf("| %s | %s | %s |\n", cell(l.example), typ, l.about)
	}
	w.printf("\nAn INTERVAL is months, days and microseconds, which are not converted into each other. The same may be written in three ways:\nnumber and unit, text and unit, or all in the text.\n\n| spelling | value |\n|---|---|\n")
	for _, i := range intervals {
		_, value, err := constant(i)
		if err != nil {
			w.fail(err)
		}
		w.printf("| %s | %s |\n", cell(i), value)
	}
	units, short := sql.UnitSpellings()
	var list []string
	for _, u := range units {
		also := ""
		if s := short[u]; s != nil {
			also = " (" + strings.Join(s, ", ") + ")"
		}
		list = append(list, u+also)
	}
	w.printf("\nUnits, each also in the plural: %s. What stands in brackets is allowed inside the quotes only.\n\n", strings.Join(list, ", "))
}
