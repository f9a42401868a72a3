package runner

import "testing"

// The state is in the operators: of a unit that is durable no copy is kept.
func TestADurableUnitKeepsNoState(t *testing.T) {
	r := running(t)
	r.Handle(Tick{Due: true})
	for range 20 {
		for _, a := range r.Actions() {
			switch a := a.(type) {
			case *Task:
				a.Run()
				r.Handle(Done{Task: a})
			case Flush:
				r.Handle(Flushed{})
			case Save:
				size := 0
				for _, s := range a.Unit.States[0] {
					size += len(s)
				}
				if size == 0 {
					t.Fatal("the unit to be saved has no state")
				}
				r.Handle(Saved{})
				if r.unit.Number != a.Unit.Number || r.unit.States != nil {
					t.Errorf("of unit %d there is %+v", a.Unit.Number, r.unit)
				}
				if a.Unit.States == nil {
					t.Error("the unit that was handed out has changed")
				}
				return
			}
		}
	}
	t.Fatal("nothing was saved")
}
