package runner

import "testing"

// thinned is the list behind n cuts, checked at each.
func thinned(t *testing.T, n uint64) []Milestone {
	var ms []Milestone
	for unit := uint64(1); unit <= n; unit++ {
		before := len(ms)
		ms = thin(append(ms[:before:before], Milestone{Unit: unit}))
		if len(ms) > milestonesMax || len(ms) < before {
			t.Fatalf("behind unit %d there are %d milestones, before it %d", unit, len(ms), before)
		}
		if ms[0].Unit != 1 || ms[len(ms)-1].Unit != unit {
			t.Fatalf("behind unit %d the list goes from %d to %d", unit, ms[0].Unit, ms[len(ms)-1].Unit)
		}
	}
	return ms
}

func TestMilestonesAreBoundedAndSpreadOverTheWholeRun(t *testing.T) {
	for _, n := range []uint64{1, 63, 64, 65, 200, 5000, 20000} {
		ms := thinned(t, n)
		if n <= milestonesMax && len(ms) != int(n) {
			t.Errorf("of %d units %d are kept", n, len(ms))
		}
		// Wherever the log begins now, a milestone is not much younger: each is at most half as old again as the next.
		for i := 1; i < len(ms); i++ {
			older, younger := n-ms[i-1].Unit, n-ms[i].Unit
			if ms[i-1].Unit >= ms[i].Unit || older > younger+younger/2+2 {
				t.Fatalf("of %d units, milestones of the ages %d and %d are neighbours", n, older, younger)
			}
		}
	}
}

// A list that was handed out with a unit is being written while the next cut is made.
func TestThinningLeavesTheOldListAlone(t *testing.T) {
	ms := thinned(t, milestonesMax)
	full := append(ms[:len(ms):len(ms)], Milestone{Unit: milestonesMax + 1})
	thin(full)
	for i, m := range full {
		if m.Unit != uint64(i+1) {
			t.Fatalf("entry %d is now unit %d", i, m.Unit)
		}
	}
}
