package main

import "ubik/internal/expr"

// difference is an expression that DuckDB and Ubik understand differently, on purpose.
type difference struct {
	expression string
	duckdb     string // its value in DuckDB 1.5
	why        string
}

// expressionDifferences are those that one expression shows. What Ubik makes of it is computed.
var expressionDifferences = []difference{
	{"'2026-01-01T02:00:00+02:00'::TIMESTAMP", "2026-01-01 02:00:00", "DuckDB drops the zone offset; an event time means an instant, so it becomes UTC"},
	{"INTERVAL '1.5' HOUR", "01:00:00", "DuckDB cuts the fraction in silence"},
	{"INTERVAL '1.5 months'", "1 month 15 days", "a fraction of a month has no fixed length"},
	{"INTERVAL '5'", "00:00:05", "a number without a unit is a likely mistake"},
	{"DATE '9999-12-31' + 1", "10000-01-01", "dates and times end with the years 0001 and 9999; what leaves them is an error"},
	{"'2026-01-31 or so'::DATE", "2026-01-31", "of a DATE, TIME or INTERVAL DuckDB reads the beginning of the text and overlooks the rest"},
	{"'2026 1 31'::DATE", "2026-01-31", "a date is parted by - or /"},
	{"'2026-01-31 10:00:00'::TIME", "10:00:00", "that is a TIMESTAMP: cast it twice"},
	{"'0x10'::INTEGER", "16", "in a text a number is decimal digits, without underscores"},
	{"TRUE::DECIMAL(2,2)", ".01", "1 has no place in the type"},
	{"make_timestamp(2026, 1, 1, 24, 0, 0)", "2026-01-02 00:00:00", "hours end with 23, seconds before 60"},
	{"greatest(INTERVAL 40 DAYS, INTERVAL 1 MONTH)", "1 month", "the order is that of <, for which a month is 30 days; DuckDB compares the months first"},
	{"INTERVAL '1 month -1 day' = INTERVAL 29 DAYS", "false", "in comparisons a month is 30 days and a day 24 hours, whatever the signs"},
	{"epoch(TIMESTAMPTZ '1969-12-31 23:59:59.999999Z')", "-9.999999999999159e-07", "it is computed as of a TIMESTAMP in UTC, and so is all that has a TIMESTAMP WITH TIME ZONE"},
	{"TIMESTAMPTZ '1969-12-31 23:59:59.999999Z' - TIMESTAMPTZ '1969-12-30'", "2 days -00:00:00.000001", "for the same reason"},
	{"1 IS NULL = TRUE", "false", "IS binds less than =, so 1 IS NULL cannot be its operand; write (1 IS NULL) = TRUE"},
	{"TRUE = NOT FALSE", "true", "NOT binds less than =, so it cannot stand there; write (NOT …)"},
}

// queryDifferences are those that a whole query shows: Ubik refuses it.
var queryDifferences = []struct{ query, why string }{
	{"SELECT wait, count(*) FROM txns GROUP BY wait, TUMBLE(event_time, INTERVAL 1 MINUTE)", "equal INTERVALs have several spellings (24 hours, 1 day), so a group's key would depend on the order of the records"},
	{"SELECT max(wait) FROM txns GROUP BY TUMBLE(event_time, INTERVAL 1 MINUTE)", "for the same reason"},
	{"SELECT * FROM txns a JOIN txns b ON a.n = b.n AND a.event_time = b.event_time", "DuckDB gives two columns one name, or calls the second merchant_1; a JSON object has one member of a name"},
	{"SELECT a.n FROM txns a JOIN txns b ON a.n = b.merchant AND a.event_time = b.event_time", "DuckDB casts the text, and fails at the first that is no number; a cast that may fail has to be written"},
	{"SELECT now() FROM txns", "a replay must give the same bytes; so with everything under [Refused](#refused)"},
	{"SELECT merchant = j->>'x' FROM txns", "DuckDB reads (merchant = j)->>'x', which is never meant; an arrow may begin an expression, or stand in parentheses"},
	{"SELECT amount::REAL FROM txns", "sums of 32-bit floats are of little use"},
}

// plainDifferences are those that no expression shows.
var plainDifferences = []struct{ what, why string }{
	{"JSON numbers keep all their digits", "DuckDB reads those with a fraction through a double: of 17 digits the last ones may be others"},
	{"`sum` and `avg` of DOUBLE are the exact sum, rounded once", "DuckDB adds in the order it comes to the rows, and so may change in the last digits from run to run"},
	{"NaN has no sign, as text too", "DuckDB writes -nan for some"},
	{"−0.0 is written as 0.0, in keys and results", "equal values have equal bytes"},
	{"A sum that leaves its type while adding up is no error if the total fits", "DuckDB stops, or not, depending on the order"},
	{"A total that does not fit its type stops the run and names window and group", "it is judged once, when the row leaves"},
	{"Comparing a DECIMAL with a DECIMAL or HUGEINT never overflows", "DuckDB casts both to one type, which may not hold the value"},
	{"A DECIMAL becomes the nearest DOUBLE", "of more than 15 digits DuckDB sometimes takes its neighbour"},
	{"A HUGEINT of 39 digits beside a DECIMAL is an overflow in arithmetic", "DuckDB computes with it where the result fits"},
	{"`round` to tens of an integer never wraps", "of the greatest ones DuckDB makes negative numbers; Ubik refuses them"},
	{"An integer as written takes the narrower type of what it stands beside also where a NULL stands there, as in coalesce(NULL, 1, tiny)", "DuckDB makes it an INTEGER there"},
	{"The remainder of the least integer by −1 is 0", "DuckDB calls it an overflow"},
	{"`substr` and `left` take any place and length", "DuckDB refuses those beyond 32 bits"},
	{"`exp`, `ln`, `sin` and their like may differ in the last digit", "they are computed by the program, DuckDB takes them from the C library it is built with"},
	{"What is constant is computed while planning, and a fault in it refuses the query", "DuckDB may never come to it"},
	{"Names compare without the case of ASCII letters only", "the rules for other letters change with the version of Unicode; `Ä` and `ä` are two names"},
	{"An output column without AS has names and types plain: `max(name)`, `(t + INTERVAL '1 day')`, `TRUE`", "DuckDB quotes its own keywords, as in `max(\"name\")`, and shows how it rewrites intervals, booleans and `extract`: give such a column a name with AS"},
	{"A name of the select list can be used in GROUP BY alone", "DuckDB takes it in WHERE, HAVING and other entries too, where a column that is added to the schema later would take its place"},
	{"A member occurring twice in a JSON record is malformed if the query uses it", "readers disagree on which one counts"},
	{"What RFC 8259 rejects is malformed: NaN, comments, trailing commas, invalid UTF-8, single surrogates, in columns not used too", "DuckDB overlooks some of it"},
	{"A time of a record outside 0001-01-01 to 9999-12-31 makes it malformed", "output writes years with four digits"},
	{"Regular expressions are RE2 as Go has it, and must be literals", "they are compiled once, while planning"},
}

// alike are rules that look like differences and are DuckDB's own.
var alike = []struct{ expression, about string }{
	{"'2026-01-01 00:00:00.9999999'::TIMESTAMP", "digits past the microsecond are cut, not rounded"},
	{"TRY_CAST('2026-01-01 00:00:60' AS TIMESTAMP)", "there is no second 60: in a record it is malformed"},
	{"1/0", "division by zero is no error"},
	{"1//0", "nor is that of integers"},
	{"2.5::DOUBLE::INTEGER", "a DOUBLE rounds to even"},
	{"2.5::INTEGER", "a DECIMAL rounds half away from zero"},
}

func differences(w *writer) {
	w.printf("## Where Ubik differs from DuckDB\n\n| expression | Ubik | DuckDB 1.5 | why |\n|---|---|---|---|\n")
	for _, d := range expressionDifferences {
		w.printf("| %s | %s | %s | %s |\n", cell(d.expression), expression(d.expression), d.duckdb, d.why)
	}
	w.printf("\nDuckDB takes these queries, Ubik refuses them:\n\n")
	for _, d := range queryDifferences {
		message, err := refusal(d.query)
		if err != nil {
			w.fail(err)
		}
		w.printf("- %s — %s. (*%s*)\n", code(d.query), d.why, message)
	}
	w.printf("\nFurther:\n\n")
	for _, d := range plainDifferences {
		w.printf("- %s: %s.\n", d.what, d.why)
	}
	noted := false
	for _, f := range expr.Functions() {
		for _, x := range f.Examples {
			if x.Note == "" {
				continue
			}
			if !noted {
				w.printf("\nOf single functions:\n\n")
			}
			noted = true
			w.printf("- %s is %s: %s.\n", code(x.Call), shown(x.Want), x.Note)
		}
	}
	w.printf("\nThese are as in DuckDB, and differ from some other engines:\n\n")
	for _, a := range alike {
		w.printf("- %s is %s: %s.\n", code(a.expression), code(expression(a.expression)), a.about)
	}
	w.printf("- DECIMAL has at most 38 digits.\n\n")
}
