package duck

import (
	"strings"
	"testing"

	"ubik/internal/ubiktest/rawlog"
)

func open(t *testing.T) *DB {
	t.Helper()
	db, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestValuesPrintInOneForm(t *testing.T) {
	db := open(t)
	for _, c := range []struct{ expr, want string }{
		{"NULL", "NULL"},
		{"true", "true"},
		{"(-128)::TINYINT", "-128"},
		{"9223372036854775807", "9223372036854775807"},
		{"170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"},
		{"sum(1)", "1"},
		{"1.5::DECIMAL(18,2)", "1.50"},
		{"-0.05::DECIMAL(38,2)", "-0.05"},
		{"100::DECIMAL(5,0)", "100"},
		{"0.1::DOUBLE + 0.2::DOUBLE", "0.30000000000000004"},
		{"'nan'::DOUBLE", "NaN"},
		{"'-inf'::DOUBLE", "-Infinity"},
		{"1.1::FLOAT", "1.1"},
		{"'a\tb'", `"a\tb"`},
		{`'a\x00'::BLOB`, `\x6100`},
		{"TIMESTAMP '2026-01-01 00:00:00.5'", "2026-01-01T00:00:00.500000Z"},
		{"TIMESTAMPTZ '2026-01-01 00:00:00+02'", "2025-12-31T22:00:00Z"},
		{"DATE '2026-01-01'", "2026-01-01"},
		{"TIME '10:00:00'", "10:00:00"},
		{"INTERVAL '1 month 2 days 3 seconds'", "1 months 2 days 3000000 us"},
		{"[1, NULL]", "[1, NULL]"},
		{"{'b': 1, 'a': 'x'}", `{"a": "x", "b": 1}`},
		{"MAP {'k': 1}", `MAP{"k": 1}`},
		{"'00112233-4455-6677-8899-aabbccddeeff'::UUID", "00112233-4455-6677-8899-aabbccddeeff"},
		{"current_setting('threads')", "1"},
		{"current_setting('TimeZone')", `"UTC"`},
	} {
		result, err := db.Query("SELECT " + c.expr)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := strings.TrimSuffix(result.String(), "\n"); got != c.want {
			t.Errorf("%s: got %s, want %s", c.expr, got, c.want)
		}
	}
}

func TestRecordsAreLoadedByteForByte(t *testing.T) {
	db := open(t)
	err := db.LoadRecords("log", []rawlog.Record{
		{Partition: 1, Offset: 7, Key: []byte("k"), Value: []byte("a\x00\xff"), TimestampMillis: 12},
		{Partition: 0, Offset: 3, Value: []byte{}},
		{Partition: 0, Offset: 4},
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := db.Query(`SELECT * FROM "log" ORDER BY ALL`)
	if err != nil {
		t.Fatal(err)
	}
	want := "0\t3\t\\x\tNULL\t0\n" + "0\t4\tNULL\tNULL\t0\n" + "1\t7\t\\x6100ff\t\\x6b\t12000\n"
	if got := result.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestAStatementThatFailsIsShown(t *testing.T) {
	_, err := open(t).Query("SELECT nothing")
	if err == nil || !strings.HasPrefix(err.Error(), "DuckDB refuses a statement: Binder Error") || !strings.HasSuffix(err.Error(), "\nSELECT nothing") {
		t.Errorf("got %v", err)
	}
}

func TestExactSumsAreRoundedOnce(t *testing.T) {
	db := open(t)
	if err := db.RegisterExact(); err != nil {
		t.Fatal(err)
	}
	for expr, want := range map[string]string{
		"exact_sum([1e100::DOUBLE, 1, -1e100])":                   "1",
		"exact_sum([0.1::DOUBLE, 0.2, 0.3])":                      "0.6",
		"exact_avg([1e308::DOUBLE, 1e308, NULL])":                 "1e+308",
		"exact_sum(['inf'::DOUBLE, 1, '-inf'::DOUBLE])":           "NaN",
		"exact_sum(['-inf'::DOUBLE, 1])":                          "-Infinity",
		"exact_sum([NULL::DOUBLE])":                               "NULL",
		"exact_sum(NULL::DOUBLE[])":                               "NULL",
		"(SELECT exact_sum(list(x)) FROM (SELECT 1.5::DOUBLE x))": "1.5",
	} {
		result, err := db.Query("SELECT " + expr)
		if err != nil {
			t.Error(err)
			continue
		}
		if got := strings.TrimSuffix(result.String(), "\n"); got != want {
			t.Errorf("%s: got %s, want %s", expr, got, want)
		}
	}
}
