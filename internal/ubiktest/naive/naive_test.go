package naive

import (
	"strings"
	"testing"

	"ubik/internal/sql"
)

// Starts as DuckDB 1.5.6 gives them: time_bucket(width, ts [, offset]).
func TestWindowsBeginWhereTimeBucketSays(t *testing.T) {
	for _, c := range []struct{ call, at, want string }{
		{"TUMBLE(ts, INTERVAL 7 MINUTES)", "1969-12-31 23:59:59.999999", "1969-12-31 23:59:00 1970-01-01 00:06:00"},
		{"TUMBLE(ts, INTERVAL 5 MONTHS)", "1960-02-29 12:00:00", "1960-01-01 00:00:00 1960-06-01 00:00:00"},
		{"TUMBLE(ts, INTERVAL 5 MONTHS)", "2026-01-01 00:00:00", "2025-11-01 00:00:00 2026-04-01 00:00:00"},
		{"TUMBLE(ts, INTERVAL 1 WEEK)", "2026-01-01 00:00:00", "2025-12-29 00:00:00 2026-01-05 00:00:00"},
		{"TUMBLE(ts, INTERVAL 1 DAY, INTERVAL 6 HOURS)", "1960-02-29 05:00:00", "1960-02-28 06:00:00 1960-02-29 06:00:00"},
		{"TUMBLE(ts, INTERVAL 1 MICROSECOND)", "0001-01-01 00:00:00", "0001-01-01 00:00:00 0001-01-01 00:00:00.000001"},
		{"TUMBLE(ts, INTERVAL 1000 YEARS)", "9999-12-31 23:59:59.999999", "9000-01-01 00:00:00 10000-01-01 00:00:00"},
		{"HOP(ts, INTERVAL 40 SECONDS, INTERVAL 1 MINUTE)", "2026-01-01 00:00:59", "2026-01-01 00:00:00 2026-01-01 00:01:00, 2026-01-01 00:00:40 2026-01-01 00:01:40"},
		{"HOP(ts, INTERVAL 1 MINUTE, INTERVAL 30 SECONDS)", "2026-01-01 00:00:30", ""},
		{"HOP(ts, INTERVAL 1 MONTH, INTERVAL 2 MONTHS)", "2024-02-29 00:00:00", "2024-01-01 00:00:00 2024-03-01 00:00:00, 2024-02-01 00:00:00 2024-04-01 00:00:00"},
	} {
		e, err := sql.ParseExpr(c.call)
		if err != nil {
			t.Fatal(err)
		}
		w, err := (&compiler{tables: []*table{queryTable("", nil, []column{{"ts", constant(timestamp, nil), func() {}}})}}).window(e.(*sql.Call))
		if err != nil {
			t.Fatal(err)
		}
		us, ok := parseInstant(c.at)
		if !ok {
			t.Fatal(c.at)
		}
		var got []string
		for _, s := range w.of(us) {
			got = append(got, instantText(s.start, " ")+" "+instantText(s.end, " "))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s of %s\ngot  %s\nwant %s", c.call, c.at, text, c.want)
		}
	}
}

// Values as DuckDB 1.5.6 gives them.
func TestExpressionsHaveDuckDBsValues(t *testing.T) {
	for text, want := range map[string]string{
		"1.5::DECIMAL(18,2) * 2":                "3.00 DECIMAL(18,2)",
		"1.5::DECIMAL(30,1) + 2::HUGEINT":       "3.5 DECIMAL(38,1)",
		"1.5::DECIMAL(30,1) % 2::HUGEINT":       "1.5 DOUBLE",
		"1 / 0":                                 `"Infinity" DOUBLE`,
		"7 // 0":                                "null INTEGER",
		"1.0::DOUBLE // 0":                      "null DOUBLE",
		"-7 // 2":                               "-3 INTEGER",
		"'1.5'::INTEGER":                        "2 INTEGER",
		"2.5::DOUBLE::INTEGER":                  "2 INTEGER",
		"2.5::INTEGER":                          "3 INTEGER",
		"round(-12.345::DECIMAL(18,3))":         "-12 DECIMAL(18,0)",
		"round(7, -1)":                          "10 INTEGER",
		"substr('hello', 0, 2)":                 `"h" VARCHAR`,
		"upper('straße')":                       `"STRAẞE" VARCHAR`,
		"0.5::DECIMAL(2,2)::VARCHAR":            `".50" VARCHAR`,
		"(1e100)::VARCHAR":                      `"1e+100" VARCHAR`,
		"'2026-03-01 00:00:00+02'::DATE":        `"2026-03-01" DATE`,
		"DATE '2024-02-29' + INTERVAL 1 YEAR":   `"2025-02-28T00:00:00Z" TIMESTAMP`,
		"NULL IN (1, 2)":                        "null BOOLEAN",
		"2 NOT IN (1, NULL)":                    "null BOOLEAN",
		"coalesce(NULL::DECIMAL(38,2), 1.0001)": "1.00 DECIMAL(38,2)",
		"CASE WHEN TRUE THEN 1 ELSE 2.5 END":    "1.0 DECIMAL(11,1)",
	} {
		e, err := sql.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		n, err := (&compiler{}).expr(e)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		v, err := n.eval(&row{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := output(v, n.typ) + " " + n.typ.String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestRecordsThatAreNoRows(t *testing.T) {
	deep := strings.Repeat(`[`, depthMax) + strings.Repeat(`]`, depthMax)
	for text, want := range map[string]string{
		`{"a":1}`: "", ` {"a":"\ud83d\ude00"} `: "", `{"a":"\\ud800"}`: "", `{"a":` + deep[1:len(deep)-1] + `}`: "",
		`{"a":` + deep + `}`: "too deep", `{"a":"\ud800"}`: "a lone surrogate", `{"a":"\udc00"}`: "a lone surrogate", `{"a":"\ud800\u0041"}`: "a lone surrogate",
		"{\"a\":\"\xff\"}": "not UTF-8", `{"a":NaN}`: "not JSON", `[]`: "not an object", ``: "not JSON", `{"a":1,}`: "not JSON",
	} {
		if got := checkRecord([]byte(text)); got != want {
			t.Errorf("%.40s: %q, want %q", text, got, want)
		}
	}
}

func TestWhatIsNotKnownIsAnError(t *testing.T) {
	for _, text := range []string{"SELECT soundex(k) FROM t", "SELECT DISTINCT k FROM t", "SELECT k FROM u", "SELECT x FROM t", "SELECT count(DISTINCT k) FROM t"} {
		_, err := Evaluate(Query{SQL: text, Sources: []Source{{"t", "k VARCHAR", Unlimited, ""}}, Bounded: true}, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "naive: not supported: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
