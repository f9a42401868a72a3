package main

import "strings"

// level is a row of the table of operators. Levels bind the less the later they come.
type level struct {
	operators []string // as they stand between operands, or before one
	about     string
}

var levels = []level{
	{[]string{"::"}, "cast; also `CAST(a AS t)`, and `TRY_CAST(a AS t)`, which is NULL where a cast fails"},
	{[]string{"- a", "+ a"}, "sign: `-2 ^ 2` is 4"},
	{[]string{"^", "**"}, "power, a DOUBLE"},
	{[]string{"*", "/", "//", "%"}, "`/` is always a DOUBLE, `//` divides integers towards zero; by 0 `/` is infinite or NaN, `//` and `%` are NULL"},
	{[]string{"+", "-"}, "also of dates, times and INTERVAL"},
	{[]string{"||"}, "joins texts; NULL if one is"},
	{[]string{"IN (…)", "BETWEEN … AND …", "LIKE", "ILIKE"}, "each with NOT before it; LIKE takes ESCAPE"},
	{[]string{"=", "<>", "<", "<=", ">", ">="}, "also `==` and `!=`; not chained"},
	{[]string{"IS NULL", "IS TRUE", "IS FALSE", "IS DISTINCT FROM"}, "each with NOT behind IS"},
	{[]string{"NOT a"}, ""},
	{[]string{"AND"}, "from left to right, ending at the first false"},
	{[]string{"OR"}, "from left to right, ending at the first true"},
}

func operators(w *writer) {
	w.printf("## Operators\n\nFrom those that bind most to those that bind least; of one line from left to right.\n\n| operators | |\n|---|---|\n")
	for _, l := range levels {
		var ops []string
		for _, o := range l.operators {
			ops = append(ops, cell(o))
		}
		w.printf("| %s | %s |\n", strings.Join(ops, " "), l.about)
	}
	w.printf(`
%s and %s choose the first branch whose condition is true and compute no other. A value error (an overflow, a text that is no number)
counts only where the value is needed: what AND, OR, CASE or coalesce has decided without is not computed.

`, code("CASE WHEN a THEN b … ELSE c END"), code("CASE x WHEN a THEN b … ELSE c END"))
}
