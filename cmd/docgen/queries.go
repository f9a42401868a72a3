package main

// tableForms are what FROM may name. Every example is planned while the page is written.
var tableForms = []struct{ example, about string }{
	{"SELECT n FROM txns AS t", "a source; `t` is then its name in the query"},
	{"SELECT who FROM txns AS t(who, paid)", "the first columns by other names"},
	{"SELECT m FROM (SELECT n + 1 AS m FROM txns WHERE n > 0) AS x", "a subquery, with or without a name"},
	{"WITH big AS (SELECT * FROM txns WHERE amount > 100) SELECT merchant FROM big", "a table of WITH: a subquery that can be named in several places, each of which plans it anew. " +
		"It knows those before it, may be named as a source, which it then hides, and may rename its columns: `big(who, paid)`"},
	{"SELECT a.n, b.amount FROM txns a JOIN txns b ON a.n = b.n AND b.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 5 MINUTE",
		"a [join](#joins): an equality, and a band for how far apart the times are"},
	{"SELECT n FROM txns a WHERE NOT EXISTS (SELECT 1 FROM txns b WHERE a.n = b.n AND b.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 5 MINUTE)",
		"EXISTS and NOT EXISTS, as conditions of WHERE joined by AND: a SEMI and an ANTI JOIN"},
	{"SELECT merchant FROM txns UNION ALL SELECT merchant || '!' FROM txns", "the rows of both: see [UNION ALL](#union-all)"},
}

func queries(w *writer) {
	w.printf("## Tables\n\nA query reads sources, and what other queries give:\n\n")
	for _, f := range tableForms {
		if _, err := build(f.example, exampleSchema, false); err != nil {
			w.fail(err)
		}
		w.printf("- %s — %s.\n", code(f.example), f.about)
	}
	w.printf("\n")
}
