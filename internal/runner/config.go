package runner

import (
	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// Mode says what the end of the log means.
type Mode uint8

const (
	Unbounded Mode = iota // there is none: the run goes on until it is stopped, or the log ends by itself as a pipe does
	Bounded               // the ends of the first start; there every window closes and the checkpoint is complete
	KeepOpen              // the ends at this start; there the run stops with its windows open, and the next goes on
)

func (m Mode) String() string { return [...]string{"unbounded", "to the end", "keep open"}[m] }

// Table is what was resolved for a source before it was read, by its name in the query.
type Table struct {
	Name, Format, Dialect, Schema string
	Inferred                      bool
}

// Config is what a Runner needs to know.
type Config struct {
	Plan       *plan.Plan
	NewDecoder func(source int, cols []codec.Column) codec.Decoder // of a source by its index
	NewEncoder func(fields []vec.Field) codec.Encoder              // of rows
	// NewKeyEncoder is of their keys; nil: NewEncoder.
	NewKeyEncoder func(fields []vec.Field) codec.Encoder

	Mode       Mode
	Shards     int  // 1..256
	Skip       bool // malformed records are counted and passed over; else the first one stops the run
	Checkpoint bool // units are saved
	JobID      [16]byte
	Query      string  // as the user wrote it, kept in the checkpoint to be shown
	MaxRecord  int     // the largest record in bytes, by which the source judges; kept in the checkpoint
	Target     string  // the sink's name, kept in the checkpoint: another one is refused
	Tables     []Table // kept in the checkpoint: what was resolved for each source

	// Admit says what to do so that a malformed record fits, by the source and what is malformed, of which Field is the column
	// or, where the Reason is NoTime, the TimeName of an input; "" when it cannot be said. nil: it never can.
	Admit func(source int, m codec.Malformed, record []byte) string

	// Hint says what to do about a record that is malformed as a whole; next is the one behind it, nil when that is not at
	// hand. "" when nothing is known; nil: it never is.
	Hint func(source int, record, next []byte) string

	// Begin is where the first start begins to read each partition, in the order listed; nil: at the earliest there is. Once
	// there is a unit, that has the positions.
	Begin []connector.Position

	// ChunksMax bounds the chunks in flight; 0 takes a default that keeps the shards busy.
	ChunksMax int
	// RowsMax bounds the rows of a Write; a shard emits at most about twice as many before it lets the merge catch up.
	// 0 takes a default.
	RowsMax int
}

func (c *Config) rowsMax() int {
	if c.RowsMax > 0 {
		return c.RowsMax
	}
	return rowsMax
}

// TasksMost is the most tasks that are open at once: one for each chunk and each shard.
func (c *Config) TasksMost() int {
	return c.chunksMax()*len(c.Plan.Sources) + c.Shards*len(c.Plan.Stages)
}

func (c *Config) chunksMax() int {
	if c.ChunksMax > 0 {
		return c.ChunksMax
	}
	return 4*c.Shards + 4
}

// Decoders is NewDecoder where all sources have one format, as in tests.
func Decoders(f codec.Format) func(int, []codec.Column) codec.Decoder {
	return func(_ int, cols []codec.Column) codec.Decoder { return f.NewDecoder(cols) }
}

func (c *Config) newKeyEncoder(fields []vec.Field) codec.Encoder {
	if c.NewKeyEncoder != nil {
		return c.NewKeyEncoder(fields)
	}
	return c.NewEncoder(fields)
}
