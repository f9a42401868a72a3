package engine

import (
	"math"
	"time"

	"ubik/internal/connector"
	"ubik/internal/runner"
	"ubik/internal/vec"
)

// Progress is what a run shows of itself on a terminal while it goes; Line is its text.
type Progress struct {
	Read, Rows      uint64   // records and rows since the job began
	Rate            float64  // records a second over the last two seconds; -1: not known yet
	Lag             int64    // sum of the partitions' (runner.PartStatus.Lag); -1: some end is not known
	Watermark       vec.Time // +∞ also where the query has no time column, to which none matters
	Holder          string   // the partition that holds the watermark back, "" when there is one only
	OpenWindows     int
	Stored          int
	Late, Malformed uint64
	CheckpointAge   time.Duration // -1: without checkpoint

	// Done of Size positions are read, 0 ≤ Done ≤ Size; of a compressed file bytes as they are stored. Size is 0 when
	// there is no end, or one that is not known.
	Done, Size int64
	Left       time.Duration // until all are read, as an estimate; -1: none yet
}

const (
	showEvery = 200 * time.Millisecond
	rateOver  = 2 * time.Second
	leftOver  = 10 * time.Second // what the estimate goes by, so that it does not jump
	leftFrom  = time.Second      // before, there is none
)

// progressOf is the part of a Progress that one Status gives. With base positions count from there, by partition, else
// from where the job began. Where no position tells how far a partition is, meter does; nil: nothing does.
func progressOf(st *runner.Status, base []int64, meter connector.Meter) Progress {
	p := Progress{
		Read: st.Read, Rows: st.Emitted, Rate: -1, Watermark: st.Watermark, OpenWindows: st.OpenWindows, Stored: st.Groups, CheckpointAge: -1, Left: -1,
	}
	if st.Holder >= 0 && len(st.Partitions) > 1 {
		p.Holder = runner.PartName(st.Partitions[st.Holder].PartitionID)
	}
	ends := true
	for i := range st.Partitions {
		part := &st.Partitions[i]
		for k := range part.References {
			l := &part.References[k].Ledger
			p.Late += l.Late + l.LateByFloor
			p.Malformed += l.Malformed
		}
		switch {
		case p.Lag < 0:
		case part.Lag() < 0:
			p.Lag = -1
		default:
			p.Lag = plus(p.Lag, part.Lag())
		}
		if part.Until == connector.EndUnknown && meter != nil {
			if read, size := meter.Stored(i); size > 0 {
				if part.Finished {
					read = size
				}
				p.Done, p.Size = plus(p.Done, min(read, size)), plus(p.Size, size)
				continue
			}
		}
		if part.Until < 0 || part.Until == connector.EndUnknown {
			ends = false
			continue
		}
		from := part.From
		if base != nil {
			from = base[i]
		}
		p.Done = plus(p.Done, min(part.Next, part.Until)-from)
		p.Size = plus(p.Size, part.Until-from)
	}
	if !ends {
		p.Done, p.Size = 0, 0
	}
	p.Done = min(p.Done, p.Size)
	return p
}

// plus adds n, unless it is negative, to a sum that stops at the largest number.
func plus(sum, n int64) int64 {
	if n = max(n, 0); sum > math.MaxInt64-n {
		return math.MaxInt64
	}
	return sum + n
}

// meter measures the speeds of a run from what it was at some moments.
type meter struct {
	samples []sample // ascending in time, none older than leftOver but the first
}

type sample struct {
	at   time.Time
	read uint64
	done int64
}

// measure takes p as what the run is now, and completes it.
func (m *meter) measure(now time.Time, p *Progress) {
	s := sample{now, p.Read, p.Done}
	if from, ok := m.before(now.Add(-rateOver)); ok {
		p.Rate = float64(s.read-from.read) / s.at.Sub(from.at).Seconds()
	}
	if from, ok := m.before(now.Add(-leftOver)); ok && p.Size > 0 {
		took := s.at.Sub(from.at)
		if moved := s.done - from.done; moved > 0 && took >= leftFrom {
			p.Left = time.Duration(min(float64(p.Size-p.Done)/float64(moved)*float64(took), math.MaxInt64/2))
		}
	}
	m.add(s)
}

// before returns the last sample that is not behind t, else the first there is.
func (m *meter) before(t time.Time) (sample, bool) {
	if len(m.samples) == 0 {
		return sample{}, false
	}
	best := m.samples[0]
	for _, s := range m.samples[1:] {
		if s.at.After(t) {
			break
		}
		best = s
	}
	return best, true
}

func (m *meter) add(s sample) {
	for len(m.samples) > 1 && !m.samples[1].at.After(s.at.Add(-leftOver)) {
		m.samples = m.samples[1:]
	}
	m.samples = append(m.samples, s)
}

// showing shows how the run is getting on, on a goroutine of its own: a terminal may stand still, as by Ctrl-S.
type showing struct {
	meter
	base  []int64
	bytes connector.Meter // nil: there is none
	last  time.Time
	next  chan Progress // at most one waits; the goroutine is behind then, and a newer one will come
}

// newShowing begins to measure. Of a run that another continues from where it stops, only its own part is shown.
func newShowing(job *Job, r *runner.Runner, now time.Time) *showing {
	w := &showing{last: now, next: make(chan Progress, 1)}
	st := r.Status()
	if job.Runner.Mode == runner.KeepOpen {
		for i := range st.Partitions {
			w.base = append(w.base, st.Partitions[i].Next)
		}
	}
	w.bytes, _ = job.Source.(connector.Meter)
	p := progressOf(&st, w.base, w.bytes)
	w.add(sample{now, p.Read, p.Done})
	return w
}

// show hands on how the run is getting on, if it is time to.
func (s *shell) show(now time.Time) {
	w := s.shown
	if now.Sub(w.last) < showEvery {
		return
	}
	w.last = now
	st := s.r.Status()
	p := progressOf(&st, w.base, w.bytes)
	if !st.Timed {
		p.Watermark = vec.PosInf
	}
	if s.job.Store != nil {
		p.CheckpointAge = s.checkpointAge(&st, now)
	}
	w.measure(now, &p)
	select {
	case w.next <- p:
	default:
	}
}

func (s *shell) showAll() {
	for {
		select {
		case p := <-s.shown.next:
			s.job.Show(p)
		case <-s.done:
			return
		}
	}
}
