package runner

import "ubik/internal/vec"

// Ledger counts what became of the records of one partition. Each record read is counted once, by the first that
// applies; so Malformed + Filtered + Unwindowed + Late + LateByFloor + Used = Read.
type Ledger struct {
	Read        uint64
	Malformed   uint64
	Filtered    uint64 // WHERE was not true
	Unwindowed  uint64 // between two hops
	Late        uint64 // late for every window
	LateByFloor uint64 // late only because of a floor
	Used        uint64

	PartlyLate uint64 // of Used: late for some of their windows

	FirstMalformed *Incident
	FirstLate      *Incident
	WorstLate      *Incident // the one that came the farthest behind the own watermark
}

// Incident is one record worth naming.
type Incident struct {
	Offset int64
	Time   vec.Time // late: the record's time
	Behind vec.Time // late: own watermark minus the record's time, µs
	Field  string   // malformed: the column's path, or ""
	Reason string   // malformed
}

// Add sums two ledgers; the incidents of l stay where it has them.
func (l *Ledger) Add(m *Ledger) {
	l.Read += m.Read
	l.Malformed += m.Malformed
	l.Filtered += m.Filtered
	l.Unwindowed += m.Unwindowed
	l.Late += m.Late
	l.LateByFloor += m.LateByFloor
	l.Used += m.Used
	l.PartlyLate += m.PartlyLate
}

func (l *Ledger) malformed(offset int64, field, reason string) {
	l.Malformed++
	if l.FirstMalformed == nil {
		l.FirstMalformed = &Incident{Offset: offset, Field: field, Reason: reason}
	}
}

func (l *Ledger) late(offset int64, t, wm vec.Time, byFloor bool) {
	if byFloor {
		l.LateByFloor++
	} else {
		l.Late++
	}
	if l.WorstLate != nil && wm-t <= l.WorstLate.Behind {
		return
	}
	l.WorstLate = &Incident{Offset: offset, Time: t, Behind: wm - t}
	if l.FirstLate == nil {
		l.FirstLate = l.WorstLate
	}
}
