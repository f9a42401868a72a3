package codec

import (
	"testing"

	"ubik/internal/vec"
)

func TestAValueIsOfATypesOwnFormWhenNothingIsLost(t *testing.T) {
	for _, c := range []struct {
		kind vec.Kind
		text string
		want bool
	}{
		{vec.Int64, "7", true}, {vec.Int64, "-7", true}, {vec.Int64, " 7 ", true}, {vec.Int64, "0", true}, {vec.Int64, "2.5", false}, {vec.Int64, "007", false},
		{vec.Int64, "+7", false}, {vec.Int64, "1e2", false}, {vec.HugeInt, "-12345678901234567890", true}, {vec.HugeInt, "00", false},
		{vec.Date, "31/12/25", false}, {vec.Date, " 2025-12-31", true}, {vec.Timestamp, "31/12/25 10:00", false}, {vec.Timestamp, "2025-12-31 10:00", true},
		{vec.Double, "2.5", true}, {vec.Double, "0.5", true}, {vec.Double, "-0.5", true}, {vec.Double, "007", false}, {vec.Double, "NaN", true}, {vec.Double, "+1", false},
		{vec.Bool, "true", true}, {vec.Bool, "FALSE", true}, {vec.Bool, "1", false}, {vec.Bool, "yes", false},
		{vec.Date, "2026-01-02", true}, {vec.Date, "2026-01-02 10:30:00", false}, {vec.Date, "2026-01-02T10:30:00Z", false},
		{vec.Timestamp, "2026-01-02", true}, {vec.Varchar, "007", true},
	} {
		if got := OwnForm(vec.TypeOf(c.kind), []byte(c.text)); got != c.want {
			t.Errorf("%q as %s: %v", c.text, vec.TypeOf(c.kind), got)
		}
	}
}
