package op

import (
	"slices"
	"testing"

	"ubik/internal/expr"
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
