package sim

import (
	"bytes"

	"ubik/internal/checkpoint"
	"ubik/internal/runner"
)

// stepsMax bounds the decisions of one life: more than any schedule of a small log needs.
const stepsMax = 200000

// life is one run from its start on.
type life struct {
	*execution
	r      *runner.Runner
	reader *reader
	mode   runner.Mode

	reads   []int           // partitions with an open Read
	tasks   []*runner.Task  // to be run
	ordered []runner.Action // Writes and Flushes, to be performed in order
	save    *runner.Save    // to be performed
	saved   []byte          // performed and not yet told: the bytes of the unit
	list    bool            // to be performed
	told    []runner.Event  // performed Writes and Flushes, to be told in order
	others  []runner.Event  // other results, to be told in any order
	finish  *runner.Finish  // the end
	stopped bool            // Stop was handed in
	journal bool            // the first unit of the life: made before anything was read
	first   bool            // it is not durable yet
	choices []func()        // scratch
	idle    int             // steps since anything but a tick happened
}

// take collects the runner's actions.
func (l *life) take() {
	for _, a := range l.r.Actions() {
		switch a := a.(type) {
		case runner.Read:
			if l.first {
				l.sink.fail("a Read before the first unit is durable")
			}
			for _, p := range l.reads {
				if p == a.Part {
					l.sink.fail("two Reads of partition %d are open", p)
				}
			}
			l.reads = append(l.reads, a.Part)
		case *runner.Task:
			l.tasks = append(l.tasks, a)
		case runner.Write, runner.Flush:
			l.ordered = append(l.ordered, a)
		case runner.Save:
			if l.save != nil {
				l.sink.fail("two Saves are open")
			}
			l.save = &a
		case runner.List:
			l.list = true
		case runner.Finish:
			l.finish = &a
		}
	}
}

// run goes on until the runner finishes, or the end of the life that was decided: crashAt steps, or a clean stop at
// stopAt steps (negative: none). It reports whether the life ended by a crash.
func (l *life) run(crashAt, stopAt int) (crashed bool, err error) {
	l.take()
	for step := 0; l.finish == nil; step++ {
		switch {
		case step == crashAt:
			l.die()
			return true, nil
		case step == stopAt && !l.stopped:
			l.stop()
		case step > stepsMax:
			return false, failure("no end after %d steps: %s", step, l.stuck())
		}
		l.step()
		if l.sink.fault != nil {
			return false, l.sink.fault
		}
		// Sometimes more events come in before the actions are asked for.
		if l.pick(4) > 0 || l.quiet() {
			l.take()
		}
	}
	if l.save != nil && l.finish.Err == nil {
		return false, failure("the run finished with a Save open")
	}
	return false, nil
}

func (l *life) stop() {
	l.stopped = true
	l.r.Handle(runner.Stop{})
}

// quiet reports whether nothing is on its way.
func (l *life) quiet() bool {
	return len(l.tasks)+len(l.ordered)+len(l.told)+len(l.others) == 0 && l.save == nil && l.saved == nil && !l.list
}

// step performs one of the things that can happen now.
func (l *life) step() {
	c := l.choices[:0]
	for i, p := range l.reads {
		if l.reader.ready(p) {
			c = append(c, func() { l.read(i) })
		}
	}
	for i := range l.tasks {
		c = append(c, func() { l.task(i) })
	}
	if len(l.ordered) > 0 {
		c = append(c, l.sinkAction)
	}
	if len(l.told) > 0 {
		c = append(c, func() {
			ev := l.told[0]
			l.told = l.told[1:]
			l.r.Handle(ev)
		})
	}
	for i := range l.others {
		c = append(c, func() {
			ev := l.others[i]
			l.others = append(l.others[:i], l.others[i+1:]...)
			l.r.Handle(ev)
		})
	}
	if l.save != nil && l.saved == nil {
		c = append(c, l.persist)
	}
	if l.saved != nil {
		c = append(c, l.tellSaved)
	}
	if l.list {
		c = append(c, func() {
			l.list = false
			l.r.Handle(runner.Listed{Partitions: l.log.list()})
		})
	}
	if !l.log.whole() && l.mode == runner.Unbounded {
		c = append(c, func() { l.log.grow(l.decider) })
	}
	l.choices = c
	l.idle++
	if len(c) > 0 && !l.chance(12) {
		l.idle = 0
		c[l.pick(len(c))]()
		return
	}
	if l.mode == runner.Unbounded && !l.stopped && l.quiet() && l.log.whole() && l.reader.drained() && l.idle > 1 {
		l.stop()
		return
	}
	l.r.Handle(runner.Tick{Due: l.chance(2), List: l.chance(3) && !l.list})
}

func (l *life) read(i int) {
	p := l.reads[i]
	l.reads = append(l.reads[:i], l.reads[i+1:]...)
	l.tell(runner.Got{Part: p, Chunk: l.reader.read(p, l.decider)})
}

func (l *life) task(i int) {
	t := l.tasks[i]
	l.tasks = append(l.tasks[:i], l.tasks[i+1:]...)
	t.Run()
	l.tell(runner.Done{Task: t})
}

// tell hands a result in at once or lets it wait.
func (l *life) tell(ev runner.Event) {
	if l.chance(4) {
		l.others = append(l.others, ev)
		return
	}
	l.r.Handle(ev)
}

// sinkAction performs the next Write or Flush.
func (l *life) sinkAction() {
	a := l.ordered[0]
	l.ordered = l.ordered[1:]
	var ev runner.Event
	switch a := a.(type) {
	case runner.Write:
		l.sink.write(a.Rows)
		ev = runner.Written{Rows: a.Rows}
	default:
		ev = runner.Flushed{State: []byte("sim")}
	}
	if l.chance(3) || len(l.told) > 0 {
		l.told = append(l.told, ev)
		return
	}
	l.r.Handle(ev)
}

// persist makes the unit durable.
func (l *life) persist() {
	b, err := encode(l.save.Unit)
	if err != nil {
		l.sink.fail("a unit cannot be encoded: %v", err)
		return
	}
	l.file, l.saved = b, b
	l.note(l.save.Unit, l.journal)
	l.journal = false
}

func (l *life) tellSaved() {
	b, err := encode(l.save.Unit)
	if err != nil || !bytes.Equal(b, l.saved) {
		l.sink.fail("a unit changed while it was saved")
	}
	l.save, l.saved, l.first = nil, nil, false
	l.r.Handle(runner.Saved{})
}

// die drops everything. What was on its way may have arrived: some of the writes in order, and the unit if nothing
// that had to come before it was missing.
func (l *life) die() {
	n := l.pick(len(l.ordered) + 1)
	for _, a := range l.ordered[:n] {
		if w, ok := a.(runner.Write); ok {
			l.sink.write(w.Rows)
		}
	}
	if l.save != nil && l.saved == nil && l.chance(2) {
		l.persist()
	}
}

func encode(u *runner.Unit) ([]byte, error) {
	pieces, err := checkpoint.Encode(u.Sections())
	if err != nil {
		return nil, err
	}
	return bytes.Join(pieces, nil), nil
}

// stuck says what is open, for a life that does not end.
func (l *life) stuck() string {
	st := l.r.Status()
	s := ""
	for i, p := range st.Partitions {
		s += failure("\n\tpartition %d at %d of %d, %d records wait", i, p.Next, l.log.end(i), len(l.reader.waiting(i))).Error()
	}
	return failure("reads of %v, %d tasks, %d sink actions, save %v, stopped %v%s", l.reads, len(l.tasks), len(l.ordered), l.save != nil, l.stopped, s).Error()
}
