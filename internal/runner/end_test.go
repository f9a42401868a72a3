package runner

import (
	"testing"

	"ubik/internal/connector"
)

// A log that ends by itself, as standard input does, is at its end for good: the windows close, though no end was asked
// for. With keep-open they stay open.
func TestALogThatEndsByItselfClosesTheWindows(t *testing.T) {
	for mode, want := range map[Mode]int{Unbounded: 1, Bounded: 1, KeepOpen: 0} {
		ps := listed(connector.EndUnknown)
		r, err := New(testConfig(t, mode, false), ps, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		var finish *Finish
		for as := r.Actions(); len(as) > 0; as = r.Actions() {
			for _, a := range as {
				switch a := a.(type) {
				case Read:
					c := chunk(3, `{"k":"a","ts":"2026-01-01"}`)
					c.End = true
					r.Handle(Got{Chunk: c})
				case *Task:
					a.Run()
					r.Handle(Done{Task: a})
				case Write:
					rows += a.Rows.Len()
					r.Handle(Written{Rows: a.Rows})
				case Flush:
					r.Handle(Flushed{})
				case Finish:
					finish = &a
				}
			}
			if finish != nil {
				break
			}
		}
		if finish == nil || finish.Err != nil || rows != want || finish.Complete != (mode != KeepOpen) {
			t.Errorf("%v: %d rows, want %d; the end is %+v", mode, rows, want, finish)
		}
	}
}
