package e2e

import (
	"time"

	"ubik/oracle/bandjoin"
)

// by names a reference to a source, with the late rule of bands.
func by(source, name string) mention {
	return mention{source, bandjoin.Reference{Name: name}}
}

// only has a reference filter its records.
func (m mention) only(where string) mention {
	m.Where = where
	return m
}

// tumbling gives a reference the late rule of a window.
func (m mention) tumbling(size time.Duration) mention {
	m.Rule, m.Window = bandjoin.ByWindow, size
	return m
}

func (m mention) never() mention {
	m.Rule = bandjoin.Never
	return m
}

// selfJoin pairs each event with itself too.
var selfJoin = treeCase{
	name:       "self-join",
	references: []mention{by("events", "l"), by("events", "r")},
	tree: bandjoin.Tree{
		SQL: `SELECT l.auth_id, l.amount AS first, r.amount AS second, r.event_time - l.event_time AS took
			FROM events l JOIN events r ON l.auth_id = r.auth_id AND l.amount >= r.amount
				AND r.event_time BETWEEN l.event_time - INTERVAL 1 MINUTE AND l.event_time + INTERVAL 10 MINUTE`,
		Parts: []bandjoin.Part{{
			SQL: `SELECT l.auth_id, l.amount, r.amount, CAST(r.event_time - l.event_time AS VARCHAR),
					epoch_us(greatest(l.event_time, r.event_time)) AS "t", l.part, l.off, r.part, r.off
				FROM l JOIN r ON l.auth_id = r.auth_id AND l.amount >= r.amount
					AND r.event_time >= l.event_time - INTERVAL 1 MINUTE AND r.event_time <= l.event_time + INTERVAL 10 MINUTE
				ORDER BY "t", l.part, l.off, r.part, r.off`,
			Columns: []string{"auth_id", "first", "second", "took"}, Of: []string{"l", "r"},
		}},
	},
	kills:  map[string]int{atRandom: 4, "sink write": 2, "written": 1, "synced": 1, "renamed": 1, "dirsynced": 1},
	rows:   joinRows,
	bounds: []bound{{"l", "r", -time.Minute}, {"l", "r", 10 * time.Minute}},
}

// chain joins three topics of 3, 2 and 1 partitions. The row of the first join has the time that the second band compares, whenever the settlement was.
var chain = treeCase{
	name:       "LEFT, then INNER",
	references: []mention{by("auths", "a"), by("settlements", "s"), by("refunds", "r")},
	tree: bandjoin.Tree{
		SQL: `SELECT a.auth_id, a.amount AS authorised, s.amount AS settled, r.amount AS refunded, r.event_time - a.event_time AS took
			FROM auths a
			LEFT JOIN settlements s ON a.auth_id = s.auth_id AND s.amount <= a.amount
				AND s.event_time BETWEEN a.event_time - INTERVAL 2 MINUTE AND a.event_time + INTERVAL 7 MINUTE
			JOIN refunds r ON a.auth_id = r.auth_id AND r.event_time > a.event_time - INTERVAL 1 MINUTE AND r.event_time <= a.event_time + INTERVAL 11 MINUTE`,
		Parts: []bandjoin.Part{{
			SQL: `SELECT a.auth_id, a.amount, s.amount, r.amount, CAST(r.event_time - a.event_time AS VARCHAR),
					epoch_us(greatest(a.event_time, r.event_time)) AS "t", a.part, a.off, s.part, s.off, r.part, r.off
				FROM a
				LEFT JOIN s ON a.auth_id = s.auth_id AND s.amount <= a.amount
					AND s.event_time >= a.event_time - INTERVAL 2 MINUTE AND s.event_time <= a.event_time + INTERVAL 7 MINUTE
				JOIN r ON a.auth_id = r.auth_id AND r.event_time > a.event_time - INTERVAL 1 MINUTE AND r.event_time <= a.event_time + INTERVAL 11 MINUTE
				ORDER BY "t", a.part, a.off, s.part NULLS LAST, s.off NULLS LAST, r.part, r.off`,
			Columns: []string{"auth_id", "authorised", "settled", "refunded", "took"}, Of: []string{"a", "s", "r"},
		}},
	},
	kills:  map[string]int{atRandom: 5, "sink write": 2, "written": 1, "synced": 1, "renamed": 1, "dirsynced": 1},
	rows:   1500, // there are not many more in a backlog
	bounds: []bound{{"a", "s", -2 * time.Minute}, {"a", "s", 7 * time.Minute}, {"a", "r", -time.Minute}, {"a", "r", 11 * time.Minute}},
}

// otherTrees are the other shapes, over the topics that the chain has seen grow.
var otherTrees = []treeCase{
	{
		// Rows of both branches, each in lanes of its own, meet in the four partitions of the sink.
		name:       "UNION ALL of records and windows",
		references: []mention{by("settlements", "records").never().only(`"amount" > 400`), by("settlements", "windows").tumbling(time.Minute)},
		tree: bandjoin.Tree{
			SQL: `SELECT auth_id AS who, amount, event_time AS at FROM settlements WHERE amount > 400
				UNION ALL
				SELECT substr(auth_id, 1, 6) AS who, sum(amount), max(event_time) FROM settlements GROUP BY substr(auth_id, 1, 6), TUMBLE(event_time, INTERVAL 1 MINUTE)`,
			Parts: []bandjoin.Part{
				{
					SQL:     `SELECT auth_id, amount, event_time, log_us, part, off FROM records ORDER BY part, off`,
					Columns: []string{"who", "amount", "at"}, Of: []string{"records"}, Records: true,
				},
				{
					SQL: `SELECT substr(auth_id, 1, 6) AS "batch", sum(amount), max(event_time), epoch_us(time_bucket(INTERVAL 1 MINUTE, event_time) + INTERVAL 1 MINUTE) - 1000 AS "t",
							time_bucket(INTERVAL 1 MINUTE, event_time), "batch"
						FROM windows GROUP BY ALL ORDER BY "t", "batch" NULLS LAST`,
					Columns: []string{"who", "amount", "at"}, Key: []string{"window", "who"},
				},
			},
		},
		sinkParams: "?partitions=4",
		kills:      map[string]int{atRandom: 2, "sink write": 2, "renamed": 1},
		rows:       2000,
	},
	{
		name:       "a window over an inner join by the right time",
		references: []mention{by("auths", "a"), by("settlements", "s")},
		tree: bandjoin.Tree{
			SQL: `SELECT substr(a.auth_id, 1, 6) AS batch, TUMBLE(s.event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(s.amount - a.amount) AS more, max(a.event_time) AS last
				FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE
				GROUP BY substr(a.auth_id, 1, 6), TUMBLE(s.event_time, INTERVAL 1 MINUTE)`,
			Parts: []bandjoin.Part{{
				SQL: `SELECT substr(a.auth_id, 1, 6) AS "batch", time_bucket(INTERVAL 1 MINUTE, s.event_time) AS "start", count(*), sum(s.amount - a.amount), max(a.event_time),
						epoch_us("start" + INTERVAL 1 MINUTE) - 1000 AS "t", "start", "batch"
					FROM a JOIN s ON a.auth_id = s.auth_id AND s.event_time >= a.event_time AND s.event_time <= a.event_time + INTERVAL 10 MINUTE
					GROUP BY ALL ORDER BY "t", "batch"`,
				Columns: []string{"batch", "window", "n", "more", "last"}, Key: []string{"window", "batch"},
			}},
		},
		kills:  map[string]int{atRandom: 3, "sink write": 1, "written": 1},
		rows:   500,
		bounds: []bound{{"a", "s", 0}, {"a", "s", 10 * time.Minute}},
	},
	{
		name:       "a window over UNION ALL of two topics",
		references: []mention{by("auths", "a").tumbling(time.Minute).only(`"amount" > 20`), by("settlements", "s").tumbling(time.Minute)},
		tree: bandjoin.Tree{
			SQL: `SELECT substr(auth_id, 1, 6) AS batch, TUMBLE(at, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total, max(at) AS last
				FROM (SELECT auth_id, amount, event_time AS at FROM auths WHERE amount > 20 UNION ALL SELECT auth_id, -amount, event_time FROM settlements) u
				GROUP BY substr(auth_id, 1, 6), TUMBLE(at, INTERVAL 1 MINUTE)`,
			Parts: []bandjoin.Part{{
				SQL: `SELECT substr(auth_id, 1, 6) AS "batch", time_bucket(INTERVAL 1 MINUTE, "at") AS "start", count(*), sum(amount), max("at"),
						epoch_us("start" + INTERVAL 1 MINUTE) - 1000 AS "t", "start", "batch"
					FROM (SELECT auth_id, amount, event_time AS "at" FROM a UNION ALL SELECT auth_id, -amount, event_time FROM s)
					GROUP BY ALL ORDER BY "t", "batch" NULLS LAST`,
				Columns: []string{"batch", "window", "n", "total", "last"}, Key: []string{"window", "batch"},
			}},
		},
		kills: map[string]int{atRandom: 2, "sink write": 1, "synced": 1},
		rows:  300,
	},
	{
		name:       "NOT EXISTS behind a join",
		references: []mention{by("auths", "a"), by("settlements", "s"), by("refunds", "r")},
		tree: bandjoin.Tree{
			SQL: `SELECT a.auth_id, a.amount AS authorised, s.amount AS settled, s.event_time AS at
				FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE
				WHERE NOT EXISTS (SELECT 1 FROM refunds r WHERE r.auth_id = s.auth_id AND r.amount >= a.amount
					AND r.event_time BETWEEN s.event_time - INTERVAL 1 MINUTE AND s.event_time + INTERVAL 80 SECOND)`,
			Parts: []bandjoin.Part{{
				SQL: `SELECT a.auth_id, a.amount, s.amount, s.event_time, epoch_us(s.event_time + INTERVAL 80 SECOND) AS "t", a.part, a.off, s.part, s.off
					FROM a JOIN s ON a.auth_id = s.auth_id AND s.event_time >= a.event_time AND s.event_time <= a.event_time + INTERVAL 10 MINUTE
					WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.auth_id = s.auth_id AND r.amount >= a.amount
						AND r.event_time >= s.event_time - INTERVAL 1 MINUTE AND r.event_time <= s.event_time + INTERVAL 80 SECOND)
					ORDER BY "t", a.part, a.off, s.part, s.off`,
				Columns: []string{"auth_id", "authorised", "settled", "at"}, Of: []string{"a", "s"},
			}},
		},
		kills:  map[string]int{atRandom: 2, "sink write": 2, "dirsynced": 1},
		rows:   2000,
		bounds: []bound{{"s", "r", -time.Minute}, {"s", "r", 80 * time.Second}},
	},
	{
		name:       "a window over a full join of a wholly negative band by the greatest time",
		references: []mention{by("auths", "a"), by("settlements", "s")},
		tree: bandjoin.Tree{
			SQL: `SELECT TUMBLE(greatest(a.event_time, s.event_time), INTERVAL 2 SECOND) AS window, count(*) AS n, count(a.event_time) AS auths, sum(a.amount) AS authorised, sum(s.amount) AS settled
				FROM auths a FULL JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time - INTERVAL 8 MINUTE AND a.event_time - INTERVAL 1 MINUTE
				GROUP BY TUMBLE(greatest(a.event_time, s.event_time), INTERVAL 2 SECOND)`,
			Parts: []bandjoin.Part{{
				SQL: `SELECT time_bucket(INTERVAL 2 SECOND, greatest(a.event_time, s.event_time)) AS "start", count(*), count(a.event_time), sum(a.amount), sum(s.amount),
						epoch_us("start" + INTERVAL 2 SECOND) - 1000 AS "t", "start"
					FROM a FULL JOIN s ON a.auth_id = s.auth_id AND s.event_time >= a.event_time - INTERVAL 8 MINUTE AND s.event_time <= a.event_time - INTERVAL 1 MINUTE
					GROUP BY ALL ORDER BY "t"`,
				Columns: []string{"window", "n", "auths", "authorised", "settled"}, Key: []string{"window"},
			}},
		},
		kills:  map[string]int{atRandom: 2, "sink write": 1, "written": 1},
		rows:   300,
		bounds: []bound{{"a", "s", -8 * time.Minute}, {"a", "s", -time.Minute}},
	},
	{
		// Each condition is on one source alone, and filters its records.
		name:       "a chain with conditions on each source, the last of them a file",
		references: []mention{by("auths", "a").only(`"amount" > 100`), by("settlements", "s").only(`"amount" < 450`), by("refunded", "f").only(`"amount" > 50`)},
		tree: bandjoin.Tree{
			SQL: `SELECT a.auth_id, a.amount AS authorised, s.amount AS settled, f.amount AS refunded
				FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.amount < 450 AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE
				LEFT JOIN refunded f ON s.auth_id = f.auth_id AND f.amount > 50 AND f.event_time BETWEEN s.event_time - INTERVAL 1 MINUTE AND s.event_time + INTERVAL 80 SECOND
				WHERE a.amount > 100`,
			Parts: []bandjoin.Part{{
				SQL: `SELECT a.auth_id, a.amount, s.amount, f.amount,
						epoch_us(CASE WHEN f.part IS NULL THEN s.event_time + INTERVAL 80 SECOND ELSE greatest(s.event_time, f.event_time) END) AS "t", a.part, a.off, s.part, s.off, f.part, f.off
					FROM a JOIN s ON a.auth_id = s.auth_id AND s.event_time >= a.event_time AND s.event_time <= a.event_time + INTERVAL 10 MINUTE
					LEFT JOIN f ON s.auth_id = f.auth_id AND f.event_time >= s.event_time - INTERVAL 1 MINUTE AND f.event_time <= s.event_time + INTERVAL 80 SECOND
					ORDER BY "t", a.part, a.off, s.part, s.off, f.part NULLS LAST, f.off NULLS LAST`,
				Columns: []string{"auth_id", "authorised", "settled", "refunded"}, Of: []string{"a", "s", "f"},
			}},
		},
		kills:  map[string]int{atRandom: 2, "sink write": 1, "synced": 1},
		rows:   2000,
		bounds: []bound{{"s", "f", -time.Minute}, {"s", "f", 80 * time.Second}},
	},
	{
		// Three operators: the second takes what the join hands on, the third windows of the second.
		name:       "windows of windows over a left join",
		references: []mention{by("auths", "a"), by("settlements", "s")},
		tree: bandjoin.Tree{
			SQL: `SELECT TUMBLE(done, INTERVAL 3 SECOND) AS window, count(*) AS groups, max(n) AS most, sum(more) AS more, max(last) AS last
				FROM (SELECT substr(a.auth_id, 1, 7) AS batch, count(*) AS n, sum(s.amount - a.amount) AS more, max(s.event_time) AS last,
						TUMBLE_END(a.event_time, INTERVAL 1 SECOND) - INTERVAL 1 MICROSECOND AS done
					FROM auths a LEFT JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time - INTERVAL 2 MINUTE AND a.event_time + INTERVAL 7 MINUTE
					GROUP BY substr(a.auth_id, 1, 7), TUMBLE(a.event_time, INTERVAL 1 SECOND)) w
				GROUP BY TUMBLE(done, INTERVAL 3 SECOND)`,
			Parts: []bandjoin.Part{{
				SQL: `SELECT time_bucket(INTERVAL 3 SECOND, "second") AS "start", count(*), max("n"), sum("more"), max("last"), epoch_us("start" + INTERVAL 3 SECOND) - 1000 AS "t", "start"
					FROM (SELECT substr(a.auth_id, 1, 7) AS "batch", time_bucket(INTERVAL 1 SECOND, a.event_time) AS "second", count(*) AS "n", sum(s.amount - a.amount) AS "more", max(s.event_time) AS "last"
						FROM a LEFT JOIN s ON a.auth_id = s.auth_id AND s.event_time >= a.event_time - INTERVAL 2 MINUTE AND s.event_time <= a.event_time + INTERVAL 7 MINUTE
						GROUP BY ALL)
					GROUP BY ALL ORDER BY "t"`,
				Columns: []string{"window", "groups", "most", "more", "last"}, Key: []string{"window"},
			}},
		},
		kills:  map[string]int{atRandom: 2, "sink write": 1, "renamed": 1},
		rows:   300,
		bounds: []bound{{"a", "s", -2 * time.Minute}, {"a", "s", 7 * time.Minute}},
	},
	{
		name:       "UNION ALL of two topics joined to a third",
		references: []mention{by("auths", "u.1"), by("settlements", "u.2").only(`"amount" > 200`), by("refunds", "r")},
		tree: bandjoin.Tree{
			SQL: `SELECT u.kind, u.auth_id, r.amount - u.amount AS more, r.event_time - u.at AS took
				FROM (SELECT 'auth' AS kind, auth_id, amount, event_time AS at FROM auths UNION ALL SELECT 'settlement', auth_id, amount, event_time FROM settlements WHERE amount > 200) u
				JOIN refunds r ON u.auth_id = r.auth_id AND r.event_time BETWEEN u.at - INTERVAL 1 MINUTE AND u.at + INTERVAL 80 SECOND`,
			Parts: []bandjoin.Part{{
				SQL: `SELECT u."kind", u.auth_id, r.amount - u.amount, CAST(r.event_time - u.event_time AS VARCHAR), epoch_us(greatest(u.event_time, r.event_time)) AS "t",
						u."part_1", u."off_1", u."part_2", u."off_2", r.part, r.off
					FROM (SELECT 'auth' AS "kind", auth_id, amount, event_time, part AS "part_1", off AS "off_1", NULL AS "part_2", NULL AS "off_2" FROM "u.1"
						UNION ALL SELECT 'settlement', auth_id, amount, event_time, NULL, NULL, part, off FROM "u.2") u
					JOIN r ON u.auth_id = r.auth_id AND r.event_time >= u.event_time - INTERVAL 1 MINUTE AND r.event_time <= u.event_time + INTERVAL 80 SECOND
					ORDER BY "t", u."part_1" NULLS LAST, u."off_1" NULLS LAST, u."part_2" NULLS LAST, u."off_2" NULLS LAST, r.part, r.off`,
				Columns: []string{"kind", "auth_id", "more", "took"}, Of: []string{"u.1", "u.2", "r"},
			}},
		},
		kills:  map[string]int{atRandom: 2, "sink write": 1, "dirsynced": 1},
		rows:   2000,
		bounds: []bound{{"u.1", "r", -time.Minute}, {"u.2", "r", -time.Minute}, {"u.2", "r", 80 * time.Second}},
	},
}
