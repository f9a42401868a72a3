package main

// notYet are queries that are read and then refused, each for one thing. The message is the program's.
var notYet = []string{
	"SELECT DISTINCT merchant FROM txns",
	"SELECT merchant FROM txns ORDER BY merchant",
	"SELECT merchant FROM txns LIMIT 10",
	"SELECT merchant FROM txns OFFSET 5",
	"SELECT merchant FROM txns UNION SELECT merchant FROM txns",
	"SELECT a.n FROM txns a JOIN (SELECT n, count(*) AS c FROM txns GROUP BY n, TUMBLE(event_time, INTERVAL 1 MINUTE)) b ON a.n = b.n",
	"SELECT * FROM TUMBLE(txns, event_time, INTERVAL 1 MINUTE)",
	"SELECT count(DISTINCT merchant) FROM txns GROUP BY TUMBLE(event_time, INTERVAL 1 MINUTE)",
	"SELECT count(*) FROM txns GROUP BY SESSION(event_time, INTERVAL 1 MINUTE)",
	"SELECT count(*) FROM txns GROUP BY CUMULATE(event_time, INTERVAL 1 MINUTE, INTERVAL 1 HOUR)",
	"SELECT merchant FROM txns WHERE n IN (SELECT n FROM txns)",
	"SELECT merchant FROM txns WHERE n > 1 OR EXISTS (SELECT 1 FROM txns)",
	"SELECT (SELECT max(n) FROM txns) FROM txns",
	"SELECT tags[1] FROM txns",
	"SELECT event_time AT TIME ZONE 'Europe/Berlin' FROM txns",
}

// notRead are queries that the grammar does not have.
var notRead = []string{
	"WITH RECURSIVE t AS (SELECT n FROM t) SELECT * FROM t",
	"SELECT sum(n) OVER (PARTITION BY merchant) FROM txns",
	"SELECT merchant FROM txns INTERSECT SELECT merchant FROM txns",
	"SELECT merchant FROM txns EXCEPT SELECT merchant FROM txns",
	"SELECT merchant FROM txns QUALIFY row_number() OVER (PARTITION BY merchant) = 1",
	"SELECT DISTINCT ON (merchant) merchant, n FROM txns",
	"SELECT merchant FROM txns FETCH FIRST 10 ROWS ONLY",
	"SELECT merchant FROM txns TABLESAMPLE 10%",
	"SELECT count(*) FROM txns GROUP BY GROUPING SETS ((merchant), ())",
	"SELECT * FROM txns PIVOT (sum(n) FOR merchant IN ('a', 'b'))",
	"SELECT * FROM txns, LATERAL (SELECT 1)",
	"SELECT * FROM (VALUES (1, 2))",
	"SELECT * EXCLUDE (n) FROM txns",
	"SELECT merchant FROM txns WHERE n BETWEEN SYMMETRIC 5 AND 1",
	"SELECT merchant FROM txns WHERE n = ANY (SELECT n FROM txns)",
	"SELECT merchant FROM txns WHERE merchant SIMILAR TO 'a.*'",
	"SELECT * FROM txns NATURAL JOIN txns",
	"SELECT (merchant, n) = ('a', 1) FROM txns",
	"SELECT merchant[1:2] FROM txns",
	"SELECT merchant FROM txns WHERE n = ?",
}

func unsupported(w *writer) {
	w.printf("## What is not supported yet\n\nRead, and refused with these messages:\n\n")
	refusals(w, notYet)
	w.printf("\nNot in the grammar:\n\n")
	refusals(w, notRead)
}

func refusals(w *writer, queries []string) {
	for _, q := range queries {
		message, err := refusal(q)
		if err != nil {
			w.fail(err)
			continue
		}
		w.printf("- %s — %s\n", code(q), message)
	}
}
