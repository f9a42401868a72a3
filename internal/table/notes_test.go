package table

import (
	"fmt"
	"slices"
	"testing"
)

func TestWhatHoldsForManyColumnsIsSaidOnce(t *testing.T) {
	var n columnNotes
	for i := range 7 {
		n.add(fmt.Sprint("t.c", i), "fractions")
		if i == 2 {
			n.add("t.d", "dates")
		}
	}
	if got, want := n.lines(), []string{"t.c0, t.c1, t.c2, t.c3, t.c4 and 2 more: fractions", "t.d: dates"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := new(columnNotes).lines(); got != nil {
		t.Errorf("%q", got)
	}
}
