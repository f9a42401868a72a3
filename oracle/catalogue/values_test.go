package catalogue

import "math/rand/v2"

// sort is a set of types that an operator takes alike, by the name that templates use.
type sort string

const (
	boolean   sort = "bool"
	integer   sort = "int"
	decimal   sort = "dec"
	double    sort = "double"
	varchar   sort = "text"
	timestamp sort = "ts"
	zoned     sort = "tz"
	date      sort = "date"
	clock     sort = "time"
	interval  sort = "iv"
)

// edges are the texts of values worth trying, of each type that a column of the table has.
var edges = []struct {
	sort   sort
	typ    string
	values []string
}{
	{boolean, "BOOLEAN", []string{"true", "false"}},
	{integer, "TINYINT", []string{"0", "1", "-1", "2", "10", "127", "-128"}},
	{integer, "SMALLINT", []string{"0", "1", "-1", "100", "-7", "32767", "-32768"}},
	{integer, "INTEGER", []string{"0", "1", "-1", "3", "-3", "10", "1000000", "2147483647", "-2147483648"}},
	{integer, "BIGINT", []string{"0", "1", "-1", "5", "-20", "1577836800123", "9007199254740993", "9223372036854775807", "-9223372036854775808"}},
	{integer, "HUGEINT", []string{"0", "1", "-1", "4", "10000000000000000000000", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105727"}},
	{decimal, "DECIMAL(4,1)", []string{"0", "0.5", "-0.5", "2.5", "-2.5", "999.9", "-999.9", "0.1"}},
	{decimal, "DECIMAL(18,3)", []string{"0", "0.001", "-0.001", "1.005", "-17.25", "123456789012345.678", "999999999999999.999"}},
	{decimal, "DECIMAL(38,10)", []string{"0", "1", "-0.0000000001", "0.5", "1234567890123456789012345678.0123456789", "-9999999999999999999999999999.9999999999"}},
	{decimal, "DECIMAL(2,2)", []string{"0", "0.01", "-0.99", "0.5"}},
	{double, "DOUBLE", []string{"0", "-0.0", "1", "-1", "0.1", "2.5", "-2.5", "0.3", "1e15", "1e16", "123456.789", "9007199254740993", "1e300", "-1e300", "5e-324", "inf", "-inf", "nan", "1e19", "-3.7"}},
	{varchar, "VARCHAR", []string{"", "a", "b", "Hello World", "hello", "Straße", "ÄÖÜ éè", "🦆 duck 🦆", "e\u0301", "  x ", "%", "_", "a%b_c", `a\b`, "it's", "12", "-1", "1.5", " 42 ", "1e3", "true",
		"f", "2020-02-29", "2020-02-29 12:34:56.789", "1 day", "12:34:56", "nan", "aaa", "a,b,,c", "ﬁ", "İ", "ß", "\u00a0x\u00a0", "tab\there", "line\nbreak", "99999999999999999999999999999999999999999", "1e400"}},
	{timestamp, "TIMESTAMP", []string{"1970-01-01 00:00:00", "1969-12-31 23:59:59.999999", "2020-02-29 12:34:56.789012", "2026-01-01 00:00:00", "2025-12-31 23:59:59", "2000-01-03 00:00:00",
		"0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "1582-10-15 06:00:00.5", "2024-12-29 23:00:00", "1900-03-01 00:00:00"}},
	{zoned, "TIMESTAMPTZ", []string{"1970-01-01 00:00:00+00", "1969-12-31 23:59:59.999999+00", "2020-02-29 12:34:56.789012+00", "2026-01-01 00:00:00+05:30", "2024-12-31 20:00:00-08", "1900-01-01 00:00:00+00"}},
	{date, "DATE", []string{"1970-01-01", "1969-12-31", "2020-02-29", "2021-02-28", "2026-12-31", "2027-01-01", "2000-01-01", "1582-10-15", "0001-01-01", "9999-12-31", "2024-01-31", "1900-02-28"}},
	{clock, "TIME", []string{"00:00:00", "23:59:59.999999", "12:34:56.789", "01:00:00"}},
	{interval, "INTERVAL", []string{"0 days", "1 day", "-1 day", "1 month", "-13 months", "1 year 2 months 3 days", "1 microsecond", "-1 microsecond", "36 hours", "30 days", "100 years", "01:02:03.456", "-24:00:00", "1000000 days"}},
}

// literals are constants as they may be written, without a type where the form says it.
var literals = map[sort][]string{
	boolean: {"TRUE", "FALSE"},
	integer: {"0", "1", "2", "3", "7", "10", "100", "(-1)", "(-2)", "127", "128", "-128", "32768", "2147483647", "2147483648", "-2147483648", "9223372036854775807", "9223372036854775808",
		"5::TINYINT", "(-3)::SMALLINT", "6::BIGINT", "2::HUGEINT", "170141183460469231731687303715884105727", "1_000"},
	decimal:   {"0.0", "0.5", "1.5", "-2.5", "99.99", ".25", "1.", "0.001", "12345678901234567.89", "3.14159265358979323846", "2.50::DECIMAL(10,2)"},
	double:    {"0.1::DOUBLE", "1e0", "-1.5e3", "1e308", "'nan'::DOUBLE", "'inf'::DOUBLE", "-0.0::DOUBLE", "2.5e0", "1e-7"},
	varchar:   {"''", "'a'", "'é'", "'%'", "'hello'", "' '", "'🦆'", "'lo'", "'1'", "'-2'", "'it''s'", "','"},
	timestamp: {"TIMESTAMP '2020-02-29 23:59:59.999999'", "TIMESTAMP '1970-01-01'", "TIMESTAMP '2026-03-01 12:00:00'"},
	zoned:     {"TIMESTAMPTZ '2020-02-29 23:59:59+01:00'", "TIMESTAMPTZ '1970-01-01 00:00:00Z'"},
	date:      {"DATE '2020-02-29'", "DATE '1969-12-31'", "DATE '2026-07-04'"},
	clock:     {"TIME '12:34:56.5'", "TIME '00:00:00'"},
	interval:  {"INTERVAL '1 month -30 days'", "INTERVAL 1 DAY", "INTERVAL '1' MONTH", "INTERVAL '1 hour 30 minutes'", "INTERVAL '-1 day'", "INTERVAL 90 SECONDS", "INTERVAL '1 year'", "INTERVAL '2 weeks'"},
}

// rowsTried is how many rows the table has.
const rowsTried = 40

// randomColumns fills a column of each type, and a second one of the types that are compared most. About one value in
// eight is NULL, and every edge of a type is there while there are rows.
func randomColumns(r *rand.Rand) []column {
	var out []column
	for _, e := range edges {
		for _, suffix := range []string{"a", "b"} {
			values := make([]string, rowsTried)
			for i := range values {
				switch {
				case i > 0 && r.IntN(8) == 0 || i == rowsTried-1:
					values[i] = null
				case i < len(e.values) && suffix == "a":
					values[i] = e.values[i]
				default:
					values[i] = e.values[r.IntN(len(e.values))]
				}
			}
			r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			out = append(out, column{columnName(e.typ) + suffix, e.typ, values})
		}
	}
	return out
}

// columnName is a name made of a type, such as decimal_4_1_.
func columnName(typ string) string {
	b := []byte(typ)
	for i, c := range b {
		switch {
		case c >= 'A' && c <= 'Z':
			b[i] = c + 'a' - 'A'
		case c < '0' || c > '9':
			b[i] = '_'
		}
	}
	return string(b) + "_"
}
