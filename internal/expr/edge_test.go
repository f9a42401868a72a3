package expr

import "testing"

// TestEdgesAreThoseOfDuckDB pins values that a comparison with DuckDB brought up.
func TestEdgesAreThoseOfDuckDB(t *testing.T) {
	for call, want := range map[string]string{
		"trim('  x ', '')":  "  x ",
		"ltrim('  x ', '')": "  x ",
		"rtrim('  x ', '')": "  x ",

		"substr('abc', 5, -1)":    "",
		"substr('abc', 5, -2)":    "c",
		"substr('abc', 4, -2)":    "bc",
		"substr('abc', 100, -98)": "bc",
		"substr('äbc', 6, -4)":    "bc",

		"epoch_ms(TIMESTAMP '1969-12-31 23:59:59.999999')": "0",
		"epoch_ms(TIMESTAMP '1969-12-31 23:59:59.998500')": "-1",
		"epoch_ns(TIMESTAMP '2262-04-11 23:47:16.854775')": "9223372036854775000",
		"epoch_ns(TIMESTAMP '2262-04-11 23:47:16.854776')": "error: overflow: epoch_ns(2262-04-11 23:47:16.854776) is out of range for BIGINT",
		"epoch_ns(DATE '9999-12-31')":                      "error: overflow: epoch_ns(9999-12-31) is out of range for BIGINT",
		"to_microseconds(-9223372036854775808)::VARCHAR":   "-2562047788:00:54.775808",
		"' 2020-02-29 '::DATE":                             "2020-02-29",
		"' 2020-02-29 12:34:56 '::TIMESTAMP":               "2020-02-29 12:34:56",
		"' 2020-02-29 12:34:56+02 '::TIMESTAMP":            "2020-02-29 10:34:56",
		"' 12:34:56 '::TIME":                               "12:34:56",
		"'  '::DATE":                                       `error: "  " is not a DATE`,
		"(5.0::DECIMAL(38,10) % 0::HUGEINT)":               "NULL",
		"(5.5::DECIMAL(38,10) % 2::HUGEINT)":               "1.5",
		"(3.14159265358979323846 % -2147483648)":           "3.141592653589793",
		"(INTERVAL '1000000 days' / 7)":                    "142857 days 03:25:42.857141",
		"to_milliseconds(61728.3945)":                      "00:01:01.728394",
		"to_seconds(0.0000025)":                            "00:00:00.000002",
		"epoch_ms(INTERVAL '1 month -1 microsecond')":      "2592000000",
		"epoch_ms(to_days(2147483647))":                    "185542587100800000",
		"epoch_us(to_days(2147483647))":                    "error: overflow: 2147483647 days is too long",
		"(to_months(-2147483648) * 1.0)":                   "-178956970 years -8 months",
		"(to_days(-2147483648) / 1)":                       "-2147483648 days",
		"(to_microseconds(-9223372036854775808) / 1)":      "-2562047788:00:54.775808",
		"(to_microseconds(9223372036854775807) / 1)":       "error: overflow: 2562047788:00:54.775807 / 1.0 is out of range for INTERVAL",
	} {
		if got := valueOf(call); got != want {
			t.Errorf("%s = %q, want %q", call, got, want)
		}
	}
}

func TestANegatedLiteralKeepsItsType(t *testing.T) {
	for text, want := range map[string]string{
		"-5": "INTEGER", "-2147483647": "INTEGER", "-2147483648": "BIGINT", "least(3, -2147483648)": "BIGINT", "-9223372036854775808": "BIGINT", "-9223372036854775809": "HUGEINT",
	} {
		if e, err := read(text); err != nil || e.Type().String() != want {
			t.Errorf("%s is %v %v, want %s", text, e.Type(), err, want)
		}
	}
}
