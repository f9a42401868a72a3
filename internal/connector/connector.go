// Package connector holds the contracts between the engine and the outside: sources, sinks, and the values that
// describe a connector. It knows no client library; each connector is a folder below this one.
package connector

import (
	"context"
	"errors"
	"math"

	"ubik/internal/codec"
	"ubik/internal/host"
	"ubik/internal/vec"
)

// PartitionID names one partition by what stays the same between runs.
type PartitionID struct {
	Topic string // the topic, or a file's path
	Index int32  // the partition's number, NoIndex for a file
}

// NoTime is the LogTime of a record that has none in a log whose records usually do.
const NoTime int64 = math.MinInt64

// NoIndex is the Index of a partition of a log that does not number its partitions.
const NoIndex int32 = -1

// EndUnknown is the End of a partition whose end nobody knows before it is reached: standard input, a compressed file.
// As an Until it bounds nothing; the partition ends by itself.
const EndUnknown int64 = math.MaxInt64

// Partition is a partition as the log shows it now.
type Partition struct {
	PartitionID
	Source   int    // index of the source in the query; Several sets it
	LogID    string // identity of the log, "" where Position.Hash proves it: the topic id of Kafka; the size of a compressed file
	Earliest int64  // the first position that can be read
	End      int64  // the position behind the last readable record: Kafka: the last stable offset; file: the size
	High     int64  // Kafka: the position behind the last record, whether it can be read or a transaction is open; else 0
	Epoch    int32  // Kafka: the leader epoch, -1 where unknown
}

// Last is the position behind the last record that is there, whether it can be read yet or not.
func (p *Partition) Last() int64 { return max(p.End, p.High) }

// Position is where reading continues, with what proves later that the log before it is still the same.
type Position struct {
	Offset int64
	Epoch  int32    // Kafka: leader epoch of the record before, -1 where unknown
	Hash   [16]byte // file: XXH3-128 of all bytes before Offset; else zero
}

// Start says where to read one partition.
type Start struct {
	Partition
	From  Position
	Until int64 // the fixed end (exclusive) of a bounded read; -1: none
}

// Chunk is a run of records of one partition in position order. It owns its bytes until Release.
type Chunk struct {
	codec.Records            // the record values
	Pos           []int64    // position of each record, strictly ascending
	LogTime       []int64    // µs of each record in the log, NoTime for one without; nil where the log has none
	Keys          []vec.Span // record keys in Data (NullLen: none, HugeLen: too large), or nil where not asked for or the log has none
	Next          Position   // where reading continues behind this chunk
	End           bool       // the partition's fixed end is reached: nothing follows
	// At returns the position of record i with its proof: where a run that stops before the record continues.
	At      func(i int) Position
	Recycle func() // gives the memory back, or nil
}

// Release gives the chunk's memory back; the chunk must not be used afterwards.
func (c *Chunk) Release() {
	if f := c.Recycle; f != nil {
		c.Recycle = nil
		f()
	}
}

// ErrRotated is in the chain of a LogChanged error of Read or Partitions when the log goes on elsewhere, and all that was
// read before is of it.
var ErrRotated = errors.New("rotated")

// Source reads a log. Reopened at a position it gave, it yields the same records again. Errors are *fault.Error:
// LogChanged when the log is not the one it was, Retryable for outages that outlast the client's own patience, Data
// for content, Usage for a name that does not exist. When the ctx of a call ends, the error is or wraps ctx.Err(), which
// the caller can tell by errors.Is: that is no failure of the source.
//
// Partitions and Read may be called at the same time from several goroutines, Read for each partition by one at a time.
type Source interface {
	// Partitions lists all partitions there are now, ordered by topic or path, then by number. It asks the log, never
	// a cache of what was read. The engine calls it at the start and every few seconds.
	Partitions(ctx context.Context) ([]Partition, error)

	// Open prepares reading; called once, before Read. It verifies that the log before each From is the same as when
	// From was given (file: length and hash of the prefix; Kafka: topic id, earliest, end) and else fails.
	Open(ctx context.Context, at []Start) error

	// Read returns the next chunk of partition p, an index into Open's list. It blocks until there is a record, positions
	// without one were passed (a chunk without records), the fixed end is reached (End, with or without records) or ctx
	// ends. A chunk holds at most about 256 KiB or 4,096 records, or one larger record. Gaps in positions are normal;
	// Next passes them, also at the end.
	Read(ctx context.Context, p int) (*Chunk, error)

	Close() error
}

// Meter is what a source is besides that can tell how far it is in a partition whose End is EndUnknown.
type Meter interface {
	// Stored returns how many bytes of partition p, an index into Open's list, have been read as they are stored, and how
	// many there are; 0 when it is not known. It may be called at any time after Open, by several goroutines.
	Stored(p int) (read, size int64)
}

// Rows are encoded output rows of one lane, in lane order, ready for a sink.
type Rows struct {
	Lane      string // "" for the single lane of an aggregate or join; else the partition's name
	First     uint64 // the number of the first row in its lane, counted from 1
	Keys      []byte // key bytes of all rows, one behind the other
	KeyEnds   []uint32
	Values    []byte // value bytes likewise
	ValueEnds []uint32
	Times     []int64 // timestamp of each row: ms since 1970 UTC
}

// Len is the number of rows.
func (r *Rows) Len() int { return len(r.ValueEnds) }

// Key returns the key of row i.
func (r *Rows) Key(i int) []byte { return vec.Piece(r.Keys, r.KeyEnds, i) }

// Value returns the value of row i.
func (r *Rows) Value(i int) []byte { return vec.Piece(r.Values, r.ValueEnds, i) }

// Absent is the cause of a source's error that says that there is no such log: it may never have been, or be gone, which
// a checkpoint tells.
type Absent struct {
	Topic string // as in PartitionID
}

func (a Absent) Error() string { return a.Topic + " does not exist" }

// Resume tells a sink what run opens it.
type Resume struct {
	JobID   [16]byte
	Resumed bool   // there is a checkpoint: rows may be there already
	State   []byte // what Flush returned for the unit that is resumed; nil when it never did
	Fresh   bool   // the user accepts what the target holds: a file starts empty, a topic keeps its rows
}

// Sink writes rows: here idempotently, by (key, bytes) or by cutting back to its durable state. One goroutine calls
// it. Errors are *fault.Error: Sink when it refuses, Retryable for outages that outlast the client's patience; when ctx ends,
// the error is or wraps ctx.Err(), as of a Source.
type Sink interface {
	// Open checks and prepares the target. Without a checkpoint (Resumed false) a target that already holds rows is
	// refused unless Fresh. A file is cut back to the length in State.
	Open(ctx context.Context, r Resume) error

	// Write takes rows; they may be buffered. rows is lent until the call returns.
	Write(ctx context.Context, rows *Rows) error

	// Flush returns when everything written is durable and visible, with the state to keep in the checkpoint (a file:
	// its durable length and path; a topic: its id, and where its partitions end). It may depend on the order in which rows
	// came, and on rows written again: it is no part of a unit's content.
	Flush(ctx context.Context) (state []byte, err error)

	Close() error
}

// Identified is what a source or sink is that can tell whether another one is the same log: their texts are equal then.
// Kafka: the cluster's id and the topic; a file: its cleaned absolute path, or device and inode. It may ask the log.
type Identified interface {
	Identity(ctx context.Context) (string, error)
}

// Overlapping is a source of several logs, or of logs with several names: it tells by itself whether a sink's target is
// one of them, or would become one.
type Overlapping interface {
	Overlaps(sink Sink) (bool, error)
}

// Options are what a connector gets from the command line besides its URL.
type Options struct {
	Disk      host.Disk
	Stdin     interface{ Read([]byte) (int, error) }
	Stdout    interface{ Write([]byte) (int, error) }
	Terminal  bool       // standard output is a terminal
	Colours   bool       // and shows colours
	KeepOpen  bool       // the end of a file is not the end: a last line waits for its newline
	Follow    bool       // source: a file grows while it is read and has no end: Read waits for what is appended
	Clock     host.Clock // by which a followed file is looked at again, and a table on a terminal waits for rows; nil: host.Wall
	WantKeys  bool       // the query uses _key
	MaxRecord int        // largest record in bytes

	Framing codec.Framing // source of a byte stream: where its records end
	// HeaderCheck, with Framing.Header, judges the header of each file: at Open where the file has one by then, also when
	// a run resumes behind it, and again when reading passes it. It borrows the record. An error ends the run, with
	// fault.Data and the file's name. Safe for concurrent use; nil: any header will do.
	HeaderCheck func(record []byte) error

	Fields []vec.Field // sink: the output's columns, for a table on a terminal
	// Head is what a new output begins with, before its first row: the header of a CSV with its line end. It is the same in
	// each run. Only of a sink that is a stream of bytes and no table: a topic has none.
	Head []byte
	// Checkpoint is the path of the checkpoint, which no sink may be; "" without one.
	Checkpoint string
	// Logf says one line to the user. It is called on any goroutine, also on several at a time, and must not call the
	// connector. nil: nothing is said.
	Logf func(format string, args ...any)
	// Fault is a test hook, called after each row handed to a sink ("sink write"), on the goroutine that calls Write; may be nil.
	Fault  func(phase string)
	Client map[string]string // -X name=value: client properties by librdkafka's names
}

// Kind is a connector: a value in the program's list.
type Kind struct {
	Name       string
	Schemes    []string // "" stands for a plain path, "-" for standard input and output
	Doc        string
	Examples   []string // URLs it takes
	Unbounded  bool     // without a flag the log is read on and on
	Replayable bool     // positions can be read again: --resume is possible
	// NewSource and NewSink only parse the URL (errors: Usage); they touch nothing.
	NewSource func(url string, o *Options) (Source, error)
	NewSink   func(url string, o *Options) (Sink, error)
}

// Stamped reports whether its records have a time of their own, as those of a topic: they come without an end, and can be
// read again.
func (k *Kind) Stamped() bool { return k.Unbounded && k.Replayable }
