package runner

import (
	"errors"
	"testing"

	"ubik/internal/fault"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// full is an operator that can store nothing more.
type full struct{ op.Operator }

var errFull = &op.LimitError{Msg: "a join stores more than a shard holds", Try: "give more --workers"}

func (full) Apply(int, *op.Batch, []int32) error                { return errFull }
func (full) Advance(vec.Time, func(*op.Out) bool) (bool, error) { return false, errFull }

func TestAnOperatorThatIsFullIsToldInItsOwnWords(t *testing.T) {
	for _, applied := range []bool{true, false} {
		r, err := New(testConfig(t, Bounded, false), listed(4), nil)
		if err != nil {
			t.Fatal(err)
		}
		r.shardsDo(func(s *shard) { s.op = full{s.op} })
		value := `{"k":"a","ts":"2026-01-01"}`
		if !applied {
			value = `not a record`
			r.cfg.Skip = true
		}
		var finish *Finish
		for as := r.Actions(); len(as) > 0 && finish == nil; as = r.Actions() {
			for _, a := range as {
				switch a := a.(type) {
				case Read:
					c := chunk(3, value)
					c.End = true
					r.Handle(Got{Chunk: c})
				case *Task:
					a.Run()
					r.Handle(Done{Task: a})
				case Finish:
					finish = &a
				}
			}
		}
		if finish == nil {
			t.Fatal("the run goes on")
		}
		var told *fault.Error
		if !errors.As(finish.Err, &told) || told.Class != fault.Data || told.Msg != errFull.Msg || told.Try != errFull.Try {
			t.Errorf("the run ends with %v", finish.Err)
		}
	}
}
