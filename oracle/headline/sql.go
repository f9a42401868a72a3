package headline

import (
	"fmt"
	"strings"

	"ubik/oracle/duck"
)

// The log becomes the answer in tables, each made from the one before, so that a mismatch can be looked into at every step:
//
//	headline_log      the raw records, and whether they are refused by hand
//	headline_object   the text, where it is valid UTF-8, valid JSON and an object
//	headline_row      the typed columns; "ok" tells the well-formed
//	headline_judged   watermark before the row, window, and "class": malformed, filtered, late or used
const tables = "headline_"

// objectSQL nests its tests: DuckDB evaluates the parts of an AND for all rows, and its JSON functions raise errors on text that is no JSON.
const objectSQL = `
CREATE TABLE "headline_object" AS
SELECT "part", "off",
       CASE WHEN json_valid("text") THEN CASE WHEN json_type("text") = 'OBJECT' THEN "text" END END AS "json"
FROM (SELECT "part", "off", CASE WHEN NOT "refused" THEN TRY(decode("value")) END AS "text" FROM "headline_log")`

// amountPattern finds a JSON number behind the name. A string, a null or a structure is not found.
const amountPattern = `"amount"\s*:\s*(-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)`

// rowSQL reads the columns. A field is malformed when it is there, is not null, and has no value of its type. Times are cast with their zone, so that an
// offset counts; DuckDB cuts the digits past the microsecond as the program does.
func (q Query) rowSQL() string {
	decimal := fmt.Sprintf("DECIMAL(%d,%d)", q.Precision, q.Scale)
	var amount string
	switch q.Amount {
	case Numbers:
		amount = `TRY_CAST(json_extract("json", '$."amount"') AS ` + decimal + `)`
	case Strings:
		amount = `TRY_CAST(json_extract_string("json", '$."amount"') AS ` + decimal + `)`
	case Text:
		amount = `TRY_CAST(` + plainSQL(`nullif(regexp_extract("json", `+duck.Literal(amountPattern)+`, 1), '')`) + ` AS ` + decimal + `)`
	}
	score, scoreOK := "NULL::DOUBLE", "true"
	if q.Score {
		score = `TRY_CAST(json_extract("json", '$."score"') AS DOUBLE)`
		scoreOK = fieldOK("score", `"score" IS NOT NULL`)
	}
	return `
CREATE TABLE "headline_row" AS
SELECT *,
       coalesce("json" IS NOT NULL
         AND ` + fieldOK("merchant", `json_type("json", '$."merchant"') NOT IN ('OBJECT', 'ARRAY')`) + `
         AND ` + fieldOK("amount", `"amount" IS NOT NULL`) + `
         AND ` + scoreOK + `
         AND json_type("json", '$."event_time"') = 'VARCHAR'
         AND "event_time" BETWEEN TIMESTAMP '0001-01-01 00:00:00' AND TIMESTAMP '9999-12-31 23:59:59.999999', false) AS "ok"
FROM (SELECT "part", "off", "json",
             json_extract_string("json", '$."merchant"') AS "merchant",
             ` + amount + ` AS "amount",
             ` + score + ` AS "score",
             TRY_CAST(json_extract_string("json", '$."event_time"') AS TIMESTAMPTZ) AT TIME ZONE 'UTC' AS "event_time"
      FROM "headline_object")`
}

// plainSQL writes a JSON number without its exponent. DuckDB rounds a text with a negative exponent in two steps, the first of them to the digits the mantissa
// has before the point: it casts 0.5e-3 to 0.01.
func plainSQL(number string) string {
	return `list_transform([` + number + `], n -> CASE WHEN NOT regexp_matches(n, '[eE]') THEN n ELSE list_transform([{
        'sign': regexp_extract(n, '^-'),
        'digits': regexp_extract(n, '^-?([0-9]+)', 1) || regexp_extract(n, '\.([0-9]+)', 1),
        'point': length(regexp_extract(n, '^-?([0-9]+)', 1)) + CAST(regexp_extract(n, '[eE]\+?(-?[0-9]+)', 1) AS INTEGER)}], m -> m.sign || CASE
          WHEN m.point <= 0 THEN '0.' || repeat('0', -m.point) || m.digits
          WHEN m.point >= length(m.digits) THEN m.digits || repeat('0', m.point - length(m.digits))
          ELSE m.digits[1:m.point] || '.' || m.digits[m.point+1:] END)[1] END)[1]`
}

func fieldOK(name, test string) string {
	return `(coalesce(json_type("json", '$."` + name + `"'), 'NULL') = 'NULL' OR ` + test + `)`
}

// judgedSQL is the late rule: a row is late for its window when the window's end is at or before the watermark that all well-formed rows
// before it in its partition make. The comparison is of NULL, and the row not late, where there is none.
func (q Query) judgedSQL() string {
	filter := "true"
	if q.Filter != "" {
		filter = q.Filter
	}
	return `
CREATE TABLE "headline_judged" AS
SELECT *,
       CASE WHEN NOT "ok" THEN 'malformed'
            WHEN NOT coalesce((` + filter + `), false) THEN 'filtered'
            WHEN "window_end" <= "wm" THEN 'late'
            ELSE 'used' END AS "class"
FROM (SELECT *,
             time_bucket(` + q.windowSQL() + `, "event_time") AS "window",
             time_bucket(` + q.windowSQL() + `, "event_time") + ` + q.windowSQL() + ` AS "window_end",
             ` + q.lessDelay(`max(CASE WHEN "ok" THEN "event_time" END)
               OVER (PARTITION BY "part" ORDER BY "off" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)`) + ` AS "wm"
      FROM "headline_row")`
}

// lessDelay makes a watermark of a maximum; without a limit to the delay there is none.
func (q Query) lessDelay(maximum string) string {
	if q.Delay == Unlimited {
		return "NULL::TIMESTAMP"
	}
	return fmt.Sprintf("(%s - INTERVAL '%d microseconds')", maximum, q.Delay.Microseconds())
}

func (q Query) windowSQL() string {
	return fmt.Sprintf("INTERVAL '%d microseconds'", q.Window.Microseconds())
}

// closedSQL gives the windows' rows. The watermark of the whole log is the least of the partitions'; a partition without a well-formed row holds everything back.
func (q Query) closedSQL(partitions int) string {
	closed := "true"
	if !q.UntilEnd {
		closed = fmt.Sprintf(`"window_end" <= (
         SELECT CASE WHEN count("top") = %d THEN `+q.lessDelay(`min("top")`)+` END
         FROM (SELECT max("event_time") AS "top" FROM "headline_judged" WHERE "ok" GROUP BY "part"))`, partitions)
	}
	return `
SELECT "merchant", "window", count(*) AS "n", sum("amount") AS "total", list("score" ORDER BY "part", "off") AS "scores"
FROM "headline_judged"
WHERE "class" = 'used' AND ` + closed + `
GROUP BY "merchant", "window", "window_end"
ORDER BY "window_end", "window", "merchant" NULLS LAST`
}

const ledgerSQL = `
SELECT "part",
       count(*) FILTER (WHERE "class" = 'malformed'),
       count(*) FILTER (WHERE "class" = 'filtered'),
       count(*) FILTER (WHERE "class" = 'late'),
       count(*) FILTER (WHERE "class" = 'used'),
       count(*)
FROM "headline_judged" GROUP BY "part"`

// behindSQL lists the records of one group, whatever became of them.
func behindSQL(merchant *string, window string) string {
	is := `"merchant" IS NULL`
	if merchant != nil {
		is = `"merchant" = ` + duck.Literal(*merchant)
	}
	return `
SELECT "part", "off", "class", "wm", decode("value")
FROM "headline_judged" JOIN "headline_log" USING ("part", "off")
WHERE "ok" AND ` + is + ` AND "window" = TIMESTAMP ` + duck.Literal(strings.TrimSuffix(window, "Z")) + `
ORDER BY "part", "off"`
}
