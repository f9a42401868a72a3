package runner

import (
	"bytes"
	"fmt"

	"ubik/internal/checkpoint"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// Unit is what one checkpoint holds. Its sections and their bytes are drawn in docs/CHECKPOINT.md.
type Unit struct {
	JobID     [16]byte
	Number    uint64
	Mode      Mode
	Complete  bool
	Query     string // as the user wrote it
	Facts     []plan.Fact
	Target    string // the sink's name
	MaxRecord int    // the largest record in bytes; a larger one is malformed
	Sink      []byte // the sink's own state, nil before its first Flush; it may depend on what was written again
	Tables    []Table

	Partitions []UnitPartition
	Lanes      []UnitLane
	States     [][][]byte // by stage the operator's state: one canonical string, in pieces
	Milestones []Milestone
}

// withoutState is the unit without what is large in it and known to the operators.
func (u *Unit) withoutState() *Unit {
	w := *u
	w.States = nil
	return &w
}

// UnitPartition is a partition at the cut.
type UnitPartition struct {
	connector.PartitionID
	Source   int // index of its source in the query
	LogID    string
	From     connector.Position // where the first start began
	Until    int64              // the fixed end, -1: none
	Next     connector.Position
	Finished bool
	Clocks   []UnitClock // one for each reference to the source, at least one
}

// UnitClock is a partition at the cut as one reference to its source sees it.
type UnitClock struct {
	Alias   string // the reference's name in the query; "" when it is the only one
	MaxTime vec.Time
	Floor   vec.Time
	// Watermark is the partition watermark: max(MaxTime − delay, Floor), +∞ when the partition is finished for good.
	Watermark vec.Time
	Ledger    Ledger
}

// UnitLane is a lane at the cut.
type UnitLane struct {
	Name   string
	Number uint64
	Chain  [16]byte
}

// Milestone is an earlier cut of the job, from which an audit can start when the beginning of the log has expired.
// The lists are in the order of Partitions; MaxTime and Floor have an entry for each clock of a partition. It is history, and so no part of the content.
type Milestone struct {
	Unit      uint64
	Watermark vec.Time
	Next      []int64
	MaxTime   []vec.Time
	Floor     []vec.Time
	Lanes     []UnitLane
}

// The sections, in the order of the file. All but job, sink and history are content.
const (
	sectionJob        = "job"
	sectionQuery      = "query"
	sectionTables     = "tables" // not in files of before there were tables
	sectionPartitions = "partitions"
	sectionLedger     = "ledger"
	sectionClocks     = "clocks" // only when a source is referred to more than once
	sectionLanes      = "lanes"
	sectionState      = "state"
	sectionSink       = "sink"
	sectionHistory    = "history"
)

// Sections returns the unit as the checkpoint file takes it.
func (u *Unit) Sections() *checkpoint.Unit {
	f := &checkpoint.Unit{JobID: u.JobID, Number: u.Number}
	add := func(name string, content bool, write func(e *vec.Encoder)) {
		var e vec.Encoder
		write(&e)
		f.Sections = append(f.Sections, checkpoint.Section{Name: name, Data: e.Buf, Content: content})
	}
	add(sectionJob, false, func(e *vec.Encoder) {
		e.String(u.Query)
		e.Uvarint(uint64(len(u.Partitions)))
		for _, p := range u.Partitions {
			e.Varint(int64(p.Next.Epoch))
		}
	})
	add(sectionQuery, true, func(e *vec.Encoder) {
		e.Byte(byte(u.Mode))
		e.Bool(u.Complete)
		e.String(u.Target)
		e.Uvarint(uint64(u.MaxRecord))
		e.Uvarint(uint64(len(u.Facts)))
		for _, f := range u.Facts {
			e.String(f.Name)
			e.String(f.Value)
		}
	})
	if len(u.Tables) > 0 {
		add(sectionTables, true, u.putTables)
	}
	add(sectionPartitions, true, u.putPartitions)
	add(sectionLedger, true, func(e *vec.Encoder) {
		for i := range u.Partitions {
			u.Partitions[i].Clocks[0].Ledger.put(e)
		}
	})
	if u.severalClocks() {
		add(sectionClocks, true, u.putClocks)
	}
	add(sectionLanes, true, func(e *vec.Encoder) { putLanes(e, u.Lanes) })
	for i := range max(1, len(u.States)) {
		add(stateSection(i), true, func(e *vec.Encoder) {
			if i == len(u.States) {
				return
			}
			n := 0
			for _, s := range u.States[i] {
				n += len(s)
			}
			e.Buf = make([]byte, 0, n) // it may be large
			for _, s := range u.States[i] {
				e.Raw(s)
			}
		})
	}
	add(sectionSink, false, func(e *vec.Encoder) { e.Raw(u.Sink) })
	add(sectionHistory, false, u.putMilestones)
	return f
}

func (u *Unit) putTables(e *vec.Encoder) {
	e.Uvarint(uint64(len(u.Tables)))
	for _, t := range u.Tables {
		e.String(t.Name)
		e.String(t.Format)
		e.String(t.Dialect)
		e.String(t.Schema)
		e.Bool(t.Inferred)
	}
}

func (u *Unit) getTables(d *vec.Decoder) {
	for range d.Count(5) {
		t := Table{Name: d.String(), Format: d.String(), Dialect: d.String(), Schema: d.String()}
		t.Inferred = d.Bool()
		u.Tables = append(u.Tables, t)
	}
}

func (u *Unit) putPartitions(e *vec.Encoder) {
	e.Uvarint(uint64(len(u.Partitions)))
	for _, p := range u.Partitions {
		e.Uvarint(uint64(p.Source))
		e.String(p.Topic)
		e.Varint(int64(p.Index))
		e.String(p.LogID)
		e.Varint(p.From.Offset)
		e.Varint(p.Until)
		e.Varint(p.Next.Offset)
		e.Raw(p.Next.Hash[:])
		e.Bool(p.Finished)
		p.Clocks[0].put(e)
	}
}

func (c *UnitClock) put(e *vec.Encoder) {
	e.I64(int64(c.MaxTime))
	e.I64(int64(c.Floor))
	e.I64(int64(c.Watermark))
}

func (u *Unit) severalClocks() bool {
	for i := range u.Partitions {
		if len(u.Partitions[i].Clocks) > 1 {
			return true
		}
	}
	return false
}

// putClocks writes, of each partition, the names of all its clocks and what the sections partitions and ledger have of the
// first, of the others.
func (u *Unit) putClocks(e *vec.Encoder) {
	for i := range u.Partitions {
		cs := u.Partitions[i].Clocks
		e.Uvarint(uint64(len(cs)))
		for k := range cs {
			e.String(cs[k].Alias)
			if k > 0 {
				cs[k].put(e)
				cs[k].Ledger.put(e)
			}
		}
	}
}

// stateSection is the name of the section with the state of a stage.
func stateSection(stage int) string {
	if stage == 0 {
		return sectionState
	}
	return fmt.Sprintf("%s-%d", sectionState, stage)
}

// state is one stage's state.
func (u *Unit) state(stage int) ([]byte, error) {
	switch {
	case stage >= len(u.States):
		return nil, fmt.Errorf("it has the state of %d operators, the query has more", len(u.States))
	case len(u.States[stage]) == 1:
		return u.States[stage][0], nil // as it is read from a file
	}
	return bytes.Join(u.States[stage], nil), nil
}

func putLanes(e *vec.Encoder, ls []UnitLane) {
	e.Uvarint(uint64(len(ls)))
	for _, l := range ls {
		e.String(l.Name)
		e.Uvarint(l.Number)
		e.Raw(l.Chain[:])
	}
}

func (u *Unit) putMilestones(e *vec.Encoder) {
	e.Uvarint(uint64(len(u.Milestones)))
	for _, m := range u.Milestones {
		e.Uvarint(m.Unit)
		e.I64(int64(m.Watermark))
		k := 0
		for i := range u.Partitions {
			e.Varint(m.Next[i])
			for range u.Partitions[i].Clocks {
				e.I64(int64(m.MaxTime[k]))
				e.I64(int64(m.Floor[k]))
				k++
			}
		}
		putLanes(e, m.Lanes)
	}
}

func (l *Ledger) put(e *vec.Encoder) {
	for _, n := range []uint64{l.Read, l.Malformed, l.Filtered, l.Unwindowed, l.Late, l.LateByFloor, l.Used, l.PartlyLate} {
		e.Uvarint(n)
	}
	for _, in := range []*Incident{l.FirstMalformed, l.FirstLate, l.WorstLate} {
		e.Bool(in != nil)
		if in != nil {
			e.Varint(in.Offset)
			e.I64(int64(in.Time))
			e.I64(int64(in.Behind))
			e.String(in.Field)
			e.String(in.Reason)
		}
	}
}

// ReadUnit reads a unit from the sections of a checkpoint file. Errors are *fault.Error of class Checkpoint.
func ReadUnit(f *checkpoint.Unit) (*Unit, error) {
	u := &Unit{JobID: f.JobID, Number: f.Number}
	var err error
	get := func(name string, read func(d *vec.Decoder)) {
		data, ok := f.Section(name)
		if err != nil {
			return
		}
		if !ok {
			err = fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint has no section %q", name), "")
			return
		}
		d := &vec.Decoder{Buf: data}
		read(d)
		if e := d.Done(); e != nil {
			err = fault.Wrap(fault.Checkpoint, e, "", "section %q of the checkpoint", name)
		}
	}
	var epochs []int32
	get(sectionJob, func(d *vec.Decoder) {
		u.Query = d.String()
		for range d.Count(1) {
			epochs = append(epochs, int32(d.Varint()))
		}
	})
	get(sectionQuery, func(d *vec.Decoder) {
		u.Mode = Mode(d.Byte())
		u.Complete = d.Bool()
		u.Target = d.String()
		u.MaxRecord = int(d.Uvarint())
		for range d.Count(2) {
			name := d.String()
			u.Facts = append(u.Facts, plan.Fact{Name: name, Value: d.String()})
		}
	})
	if _, there := f.Section(sectionTables); there {
		get(sectionTables, u.getTables)
	}
	get(sectionPartitions, u.getPartitions)
	get(sectionLedger, func(d *vec.Decoder) {
		for i := range u.Partitions {
			u.Partitions[i].Clocks[0].Ledger.get(d)
		}
	})
	if _, several := f.Section(sectionClocks); several {
		get(sectionClocks, u.getClocks)
	}
	get(sectionLanes, func(d *vec.Decoder) { u.Lanes = getLanes(d) })
	for i := range f.Sections {
		if _, more := f.Section(stateSection(i)); i > 0 && !more {
			break
		}
		get(stateSection(i), func(d *vec.Decoder) { u.States, d.Buf = append(u.States, [][]byte{d.Buf}), nil })
	}
	get(sectionSink, func(d *vec.Decoder) {
		if len(d.Buf) > 0 { // else the sink never flushed
			u.Sink, d.Buf = d.Buf, nil
		}
	})
	get(sectionHistory, u.getMilestones)
	if err == nil && (len(epochs) != len(u.Partitions) || u.Mode > KeepOpen) {
		err = fault.New(fault.Checkpoint, "the sections of the checkpoint contradict each other", "")
	}
	if err != nil {
		return nil, err
	}
	for i := range u.Partitions {
		u.Partitions[i].Next.Epoch = epochs[i]
	}
	return u, nil
}

// The least bytes of an item, so that a count never promises more than the section holds.
const (
	partitionBytes = 6 + 16 + 1 + 3*8 // numbers and lengths, the hash, finished, three times
	laneBytes      = 2 + 16
	milestoneBytes = 1 + 8 + 1 // and for each partition
	milestoneEach  = 1 + 8 + 8
)

func (u *Unit) getPartitions(d *vec.Decoder) {
	for range d.Count(partitionBytes) {
		var p UnitPartition
		p.Source = int(d.Uvarint())
		p.Topic = d.String()
		p.Index = int32(d.Varint())
		p.LogID = d.String()
		p.From = connector.Position{Offset: d.Varint(), Epoch: -1}
		p.Until = d.Varint()
		p.Next.Offset = d.Varint()
		d.Copy(p.Next.Hash[:])
		p.Finished = d.Bool()
		p.Clocks = make([]UnitClock, 1)
		p.Clocks[0].get(d)
		u.Partitions = append(u.Partitions, p)
	}
}

func getLanes(d *vec.Decoder) []UnitLane {
	var ls []UnitLane
	for range d.Count(laneBytes) {
		l := UnitLane{Name: d.String(), Number: d.Uvarint()}
		d.Copy(l.Chain[:])
		ls = append(ls, l)
	}
	return ls
}

func (c *UnitClock) get(d *vec.Decoder) {
	c.MaxTime, c.Floor, c.Watermark = vec.Time(d.I64()), vec.Time(d.I64()), vec.Time(d.I64())
}

func (u *Unit) getClocks(d *vec.Decoder) {
	for i := range u.Partitions {
		p := &u.Partitions[i]
		for k := range d.Count(1) {
			if k == 0 {
				p.Clocks[0].Alias = d.String()
				continue
			}
			c := UnitClock{Alias: d.String()}
			c.get(d)
			c.Ledger.get(d)
			p.Clocks = append(p.Clocks, c)
		}
	}
}

func (u *Unit) getMilestones(d *vec.Decoder) {
	for range d.Count(milestoneBytes + milestoneEach*len(u.Partitions)) {
		m := Milestone{Unit: d.Uvarint(), Watermark: vec.Time(d.I64())}
		for i := range u.Partitions {
			m.Next = append(m.Next, d.Varint())
			for range u.Partitions[i].Clocks {
				m.MaxTime = append(m.MaxTime, vec.Time(d.I64()))
				m.Floor = append(m.Floor, vec.Time(d.I64()))
			}
		}
		m.Lanes = getLanes(d)
		u.Milestones = append(u.Milestones, m)
	}
}

func (l *Ledger) get(d *vec.Decoder) {
	for _, n := range []*uint64{&l.Read, &l.Malformed, &l.Filtered, &l.Unwindowed, &l.Late, &l.LateByFloor, &l.Used, &l.PartlyLate} {
		*n = d.Uvarint()
	}
	for _, in := range []**Incident{&l.FirstMalformed, &l.FirstLate, &l.WorstLate} {
		if d.Bool() {
			*in = &Incident{Offset: d.Varint(), Time: vec.Time(d.I64()), Behind: vec.Time(d.I64()), Field: d.String(), Reason: d.String()}
		}
	}
}

// Read is the number of records consumed, each counted once.
func (u *Unit) Read() uint64 {
	n := uint64(0)
	for i := range u.Partitions {
		n += u.Partitions[i].Clocks[0].Ledger.Read
	}
	return n
}

// Watermark is W at the unit's positions: the minimum over its partitions and all references to them.
func (u *Unit) Watermark() vec.Time {
	w := vec.PosInf
	for i := range u.Partitions {
		for k := range u.Partitions[i].Clocks {
			w = min(w, u.Partitions[i].Clocks[k].Watermark)
		}
	}
	return w
}

func (u *Unit) malformed() uint64 {
	n := uint64(0)
	for i := range u.Partitions {
		for k := range u.Partitions[i].Clocks {
			n += u.Partitions[i].Clocks[k].Ledger.Malformed
		}
	}
	return n
}

// Rows is the number of rows that have left.
func (u *Unit) Rows() uint64 {
	n := uint64(0)
	for _, l := range u.Lanes {
		n += l.Number
	}
	return n
}
