package op

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

func TestTheFirstRowThatFailsIsFoundHoweverFaultsCome(t *testing.T) {
	var s stumble
	s.reset()
	e := expr.NewInteger(1)
	if got := s.after(e, []int32{1, 3}); !slices.Equal(got, []int32{1, 3}) || s.row >= 0 {
		t.Errorf("without a fault: %v, row %d", got, s.row)
	}
	s.errs.Add(5, "of the left")
	s.errs.Add(3, "of the right")
	s.errs.Add(3, "told later")
	got := s.after(e, nil)
	if !slices.Equal(got, []int32{0, 1, 2}) || s.row != 3 || s.of != e.String() || s.reason != ": of the right" {
		t.Errorf("left %v, row %d, %s%s", got, s.row, s.of, s.reason)
	}
	s.errs.Add(1, "of another expression")
	if got = s.after(e, got); !slices.Equal(got, []int32{0}) || s.row != 1 {
		t.Errorf("left %v, row %d", got, s.row)
	}
	s.errs.Add(0, "of the first row")
	if got = s.after(e, got); got == nil || len(got) != 0 || s.row != 0 {
		t.Errorf("left %v, row %d: no row must not be all", got, s.row)
	}
}

func TestWhatToTryFitsTheReason(t *testing.T) {
	const (
		wider   = "change the query so that the value fits, for example by a wider cast"
		try     = "write TRY_CAST in place of the cast, which gives NULL there, or leave such rows out by a condition in front of it"
		parse   = "write try_strptime, which gives NULL there, or leave such rows out by a condition in front of it"
		another = "change the query so that it is not computed for such a row: CASE WHEN … THEN … END computes the branch that it takes alone"
	)
	for _, k := range []vec.Kind{vec.Bool, vec.Int8, vec.Int64, vec.HugeInt, vec.Double, vec.Timestamp, vec.TimestampTZ, vec.Date, vec.TimeOfDay, vec.Interval, vec.JSON} {
		_, err := expr.NewCast(expr.NewString("oops"), vec.TypeOf(k), false)
		if got := (&RowError{Reason: ": " + err.Error()}).Try(); got != try {
			t.Errorf("of %q it is %q", err, got)
		}
	}
	for reason, want := range map[string]string{
		`: "oops" is not an INTEGER`: try, `: " is out of range for" is not a DECIMAL(18,2)`: try, `: "x" is not JSON`: try, `: "x" is not a TIMESTAMP WITH TIME ZONE`: try,
		": 300 is out of range for TINYINT": wider, ": overflow: 7 + 121 is out of range for TINYINT": wider, " does not fit HUGEINT": wider,
		`: strptime: "x" does not fit %Y`: parse, ": make_date(0, 1, 1): no such date": another, `: ln(0.0): is not a`: another,
	} {
		if got := (&RowError{Reason: reason}).Try(); got != want {
			t.Errorf("of %q it is %q, want %q", reason, got, want)
		}
	}
}

func TestATextIsCutBetweenCharacters(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("x", 64), strings.Repeat("x", 64)},
		{strings.Repeat("x", 65), strings.Repeat("x", 64) + "…"},
		{strings.Repeat("x", 63) + "é", strings.Repeat("x", 63) + "…"},
		{strings.Repeat("x", 62) + "éa", strings.Repeat("x", 62) + "é…"},
		{strings.Repeat("売", 22), strings.Repeat("売", 21) + "…"},
		{"xx" + strings.Repeat("🚀", 16), "xx" + strings.Repeat("🚀", 15) + "…"},
	} {
		v := &vec.Vector{Type: vec.Type{Kind: vec.Varchar}, Arena: []byte(c.text), Spans: []vec.Span{{Len: uint32(len(c.text))}}}
		text, cut := strings.CutSuffix(c.want, "…")
		want := strconv.Quote(text)
		if cut {
			want += "…"
		}
		if got := string(appendValue(nil, v, 0)); got != want {
			t.Errorf("%s is shown as %s, want %s", c.text, got, want)
		}
	}
}
