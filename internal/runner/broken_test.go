package runner

import (
	"testing"

	"ubik/internal/fault"
)

// What a source read before a place that it cannot read is part of the run, however far preparing it had come: the rows and
// the last unit reach up to that place.
func TestWhatWasReadBeforeADamagedPlaceIsTakenIn(t *testing.T) {
	for _, preparedFirst := range []bool{true, false} {
		r, err := New(testConfig(t, Unbounded, true), listed(9), nil)
		if err != nil {
			t.Fatal(err)
		}
		damage := fault.New(fault.Data, "t/0 is damaged behind position 7", "")
		reads, last := 0, int64(0)
		var tasks []*Task
		var finish *Finish
		for as := r.Actions(); finish == nil; as = r.Actions() {
			for _, a := range as {
				switch a := a.(type) {
				case Save:
					last = a.Unit.Partitions[0].Next.Offset
					r.Handle(Saved{})
				case Read:
					switch reads++; reads {
					case 1:
						r.Handle(Got{Chunk: chunk(3, `{"k":"a","ts":"2026-01-01"}`, `{"k":"a","ts":"2026-01-01"}`)})
					case 2:
						r.Handle(Got{Chunk: chunk(5, `{"k":"a","ts":"2026-01-01"}`, `{"k":"a","ts":"2026-01-01"}`)})
					case 3:
						r.Handle(Got{Err: damage})
					default:
						t.Error("it is read again behind the damage")
					}
				case *Task:
					if tasks = append(tasks, a); preparedFirst || reads >= 3 {
						for _, task := range tasks {
							task.Run()
							r.Handle(Done{Task: task})
						}
						tasks = nil
					}
				case Write:
					r.Handle(Written{Rows: a.Rows})
				case Flush:
					r.Handle(Flushed{})
				case Finish:
					finish = &a
				}
			}
			if len(as) == 0 && finish == nil {
				for _, task := range tasks {
					task.Run()
					r.Handle(Done{Task: task})
				}
				if tasks == nil {
					t.Fatal("nothing more happens")
				}
				tasks = nil
			}
		}
		if finish.Err != damage || last != 7 {
			t.Errorf("prepared first: %v: the last unit is at %d, want 7; the end is %v", preparedFirst, last, finish.Err)
		}
	}
}
