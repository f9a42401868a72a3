package runner

import (
	"ubik/internal/connector"
	"ubik/internal/vec"
)

// Action is something the shell must do. Every action but Finish and List is answered by one event.
type Action interface{ action() }

// Read asks for the next chunk of a partition; answered by Got. At most one is open for a partition.
type Read struct{ Part int }

// Write hands rows to the sink; answered by Written. Writes and flushes are performed in the order given.
type Write struct{ Rows *connector.Rows }

// Flush asks the sink to make everything written durable; answered by Flushed.
type Flush struct{}

// Save asks to make a unit durable as the checkpoint; answered by Saved. The unit must not be changed.
type Save struct{ Unit *Unit }

// Finish is the last action: the run is over. Err is nil for a clean end.
type Finish struct {
	Err      error
	Complete bool // every partition was read to its fixed end and every window is out
}

// List asks what the log holds now; answered by Listed, or by nothing when the log does not answer.
type List struct{}

func (Read) action()   {}
func (List) action()   {}
func (*Task) action()  {}
func (Write) action()  {}
func (Flush) action()  {}
func (Save) action()   {}
func (Finish) action() {}

// Task is computation for any worker; Run may be called on any goroutine, once. Answered by Done.
type Task struct {
	flight *flight // prepare this chunk, or
	shard  *shard  // run this shard's queued steps
}

// Run computes. It touches only memory that belongs to the task until Done is handled.
func (t *Task) Run() {
	if t.shard != nil {
		t.shard.run()
		return
	}
	t.flight.slot.prepare(t.flight.chunk, t.flight.part)
}

// Event is something that happened; the input of Handle.
type Event interface{ event() }

// Got answers Read.
type Got struct {
	Part  int
	Chunk *connector.Chunk
	Err   error
}

// Done answers a Task.
type Done struct{ Task *Task }

// Written answers Write; the rows are free again.
type Written struct {
	Rows *connector.Rows
	Err  error
}

// Flushed answers Flush with the sink's state.
type Flushed struct {
	State []byte
	Err   error
}

// Saved answers Save. An error ends the run at once.
type Saved struct{ Err error }

// Listed answers List.
type Listed struct{ Partitions []connector.Partition }

// Tick is the passing of time: sent several times a second. Due says that a checkpoint or flush is due by the
// interval, List that it is time to look at the log again.
type Tick struct{ Due, List bool }

// Stop asks for a clean end: what was read is finished, a last unit is saved. Err, if any, is the reason, handed on by
// Finish.
type Stop struct{ Err error }

func (Got) event()     {}
func (Done) event()    {}
func (Written) event() {}
func (Flushed) event() {}
func (Saved) event()   {}
func (Listed) event()  {}
func (Tick) event()    {}
func (Stop) event()    {}

// Status is what a run shows of itself while it goes.
type Status struct {
	Read        uint64 // records
	Emitted     uint64 // rows
	Timed       bool   // a reference has a time column; without one there is no watermark
	Unsaved     bool   // something has happened that is in no durable unit yet
	Watermark   vec.Time
	Holder      int // index of the partition that holds the watermark back, -1: none
	OpenWindows int
	Groups      int
	Joins       []JoinStatus // of each join of the plan, in its order
	StateBytes  int
	Unit        uint64
	Partitions  []PartStatus
}

// JoinStatus is the rows that a join keeps of its sides.
type JoinStatus struct {
	Operator    int // its number in the plan, from 1, as EXPLAIN and the facts have it; 0: it is the only operator
	Left, Right int
}

// PartStatus is one partition's part of a Status.
type PartStatus struct {
	connector.PartitionID
	From       int64 // where the job's first run began
	Next       int64
	End        int64    // as last listed; connector.EndUnknown where nobody knows
	Until      int64    // the fixed end, -1: none; connector.EndUnknown: it will end by itself
	Watermark  vec.Time // the least of all references
	Finished   bool
	References []RefStatus // those to its source, at least one
}

// Lag is how many positions there are between what was read and what is to be read as the log is now; -1 where nobody knows.
func (p *PartStatus) Lag() int64 {
	end := p.End
	if p.Until >= 0 {
		end = min(end, p.Until)
	}
	if end == connector.EndUnknown {
		return -1
	}
	return max(end-p.Next, 0)
}

// RefStatus is what became of a partition's records for one reference to its source.
type RefStatus struct {
	Alias  string // the reference's name in the query; "" when it is the only one
	Ledger Ledger
}
