package main

import (
	"strings"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/plan"
)

func windows(w *writer) {
	w.printf(`## Windows

A window stands in GROUP BY, once, with a time column of type TIMESTAMP, TIMESTAMP WITH TIME ZONE or DATE and constant intervals. Written again in the select list, with the same
arguments, it is the start of the window; %s and %s are its bounds. An offset may stand last.

`, code("TUMBLE_START(…)"), code("TUMBLE_END(…)"))
	for _, f := range plan.WindowFunctions() {
		if f.Planned != "" {
			w.printf("- %s: %s.\n", strings.ToUpper(f.Name), f.Planned)
			continue
		}
		form, about, _ := strings.Cut(f.Form, ": ")
		if about != "" {
			about = ": " + about
		}
		w.printf("- %s%s.\n", code(form), about)
	}
	w.printf("\nBoundaries are those of DuckDB's `time_bucket`: counted from Monday 2000-01-03, months and years from 2000-01-01.\n\n")
}

func aggregates(w *writer) {
	w.printf("## Aggregates\n\nEach takes %s behind it. Their results do not depend on the order of the records.\n\n", code("FILTER (WHERE condition)"))
	for _, e := range agg.Functions {
		call := e.Name + "(x)"
		if e.Star {
			call = "count(*)"
		}
		w.printf("- **%s** %s\n", code(call), e.Doc)
		var shownExamples []string
		for _, x := range e.Examples {
			if e.Star {
				continue
			}
			of := "no values"
			if len(x.Values) > 0 {
				of = code(strings.Join(x.Values, ", "))
			}
			shownExamples = append(shownExamples, "of "+x.Arg.String()+" "+of+": "+shown(x.Result))
		}
		if shownExamples != nil {
			w.printf("  — %s\n", strings.Join(shownExamples, "; "))
		}
	}
	w.printf("\n")
}

// themes returns the functions of the catalogue theme by theme.
func themes() (names []string, of map[string][]*expr.Function) {
	of = map[string][]*expr.Function{}
	for _, f := range expr.Functions() {
		if of[f.Theme] == nil {
			names = append(names, f.Theme)
		}
		of[f.Theme] = append(of[f.Theme], f)
	}
	return names, of
}

// examplesShown is how many examples of a function the page has; those that differ from DuckDB are all in the chapter of differences.
const examplesShown = 3

func functions(w *writer) {
	w.printf("## Functions\n\nNames compare without case. A NULL argument gives NULL unless the line says otherwise. ANY is any type.\n\n")
	names, of := themes()
	for _, theme := range names {
		refused := of[theme][0].Refused != ""
		w.printf("### %s\n\n", strings.ToUpper(theme[:1])+theme[1:])
		for _, f := range of[theme] {
			if refused {
				w.printf("- **%s**%s: %s.\n", code(f.Name), aliases(f), f.Refused)
				continue
			}
			w.printf("- %s%s: %s\n", forms(f), aliases(f), f.Doc)
			var examples []string
			for _, x := range f.Examples[:min(len(f.Examples), examplesShown)] {
				examples = append(examples, code(x.Call)+" → "+shown(x.Want))
			}
			if examples != nil {
				w.printf("  — %s\n", strings.Join(examples, ", "))
			}
		}
		w.printf("\n")
	}
}

// forms writes the forms of a function; those of one argument are one form with its types in a row.
func forms(f *expr.Function) string {
	var single, other []string
	for _, form := range f.AllForms() {
		if arg, ok := strings.CutPrefix(form, f.Name+"("); ok && !strings.ContainsAny(arg, "[,") {
			single = append(single, strings.TrimSuffix(arg, ")"))
		} else {
			other = append(other, form)
		}
	}
	if single != nil {
		other = append([]string{f.Name + "(" + strings.Join(single, " | ") + ")"}, other...)
	}
	for i := range other {
		other[i] = "**" + code(other[i]) + "**"
	}
	return strings.Join(other, " ")
}

func aliases(f *expr.Function) string {
	if len(f.Aliases) == 0 {
		return ""
	}
	var list []string
	for _, a := range f.Aliases {
		list = append(list, code(a))
	}
	return " (also " + strings.Join(list, ", ") + ")"
}

// pseudoAbout says what a pseudo-column holds.
var pseudoAbout = map[string]string{
	"_topic":     "the topic, or the path of the file",
	"_partition": "the partition; NULL of a file",
	"_offset":    "the position: Kafka's offset, or the byte of the file at which the line begins",
	"_timestamp": "the log's timestamp; NULL where the log has none",
	"_key":       "the key of the record as text; NULL where it has none",
}

func pseudoColumns(w *writer) {
	w.printf("## Columns that come with the record\n\nThey are not part of `*`. A column of the schema hides the one of the same name.\n\n| column | type | |\n|---|---|---|\n")
	for _, f := range plan.PseudoColumns() {
		w.printf("| %s | %s | %s |\n", code(f.Name), f.Type, pseudoAbout[f.Name])
	}
	w.printf("\n")
}
