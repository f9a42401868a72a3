package table

import (
	"context"
	"strings"
	"time"

	"ubik/internal/catalog"
	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/vec"
)

// log is a source in memory: the records of each partition, given in chunks of so many. A record of "\x00" has no value.
type log struct {
	parts    [][]string
	chunk    int
	broken   int // the partition whose reading fails behind its records, counted from 1; 0: none
	listings int // how often the partitions were listed
	fills    int // at this listing its records come; before it is empty
	read     []int
	bytes    bool // positions are those of lines in a file
}

// kind makes it a connector; replayable, and a topic or a file.
func (l *log) kind(topic bool) *connector.Kind {
	return &connector.Kind{Name: "log", Schemes: []string{""}, Unbounded: topic, Replayable: true,
		NewSource: func(string, *connector.Options) (connector.Source, error) {
			return &reading{log: l, next: make([]int, len(l.parts))}, nil
		}}
}

type reading struct {
	*log
	next []int
}

func (r *reading) Partitions(context.Context) ([]connector.Partition, error) {
	r.listings++
	var out []connector.Partition
	for i, records := range r.parts {
		p := connector.Partition{PartitionID: connector.PartitionID{Topic: "log", Index: int32(i)}, Epoch: -1, End: int64(len(records))}
		if r.listings < r.fills {
			p.End = 0
		}
		if r.broken == i+1 {
			p.End = connector.EndUnknown
		}
		out = append(out, p)
	}
	return out, nil
}

func (r *reading) Open(context.Context, []connector.Start) error { return nil }
func (r *reading) Close() error                                  { return nil }

func (r *reading) Read(_ context.Context, p int) (*connector.Chunk, error) {
	records := r.parts[p][r.next[p]:]
	if len(records) == 0 {
		return nil, fault.New(fault.Data, "the log is damaged", "")
	}
	records = records[:min(len(records), r.chunk)]
	c := &connector.Chunk{}
	for _, text := range records {
		span := vec.Span{Off: uint32(len(c.Data)), Len: uint32(len(text))}
		if text == "\x00" {
			span = vec.Span{Len: codec.NullLen}
		}
		c.Spans = append(c.Spans, span)
		c.Data = append(c.Data, text...)
		c.Pos = append(c.Pos, r.position(p))
		r.next[p]++
	}
	for len(r.read) <= p {
		r.log.read = append(r.log.read, 0)
	}
	r.log.read[p] += len(records)
	c.Next.Offset = int64(r.next[p])
	return c, nil
}

// position is that of the next record.
func (r *reading) position(p int) int64 {
	if !r.bytes {
		return int64(r.next[p])
	}
	at := 0
	for _, line := range r.parts[p][:r.next[p]] {
		at += len(line) + 1
	}
	return int64(at)
}

// hasty is a clock on which every alarm goes off at once, as the time has passed.
type hasty struct{ now time.Time }

func (h *hasty) Now() time.Time { return h.now }

func (h *hasty) NewTimer(d time.Duration) host.Timer {
	h.now = h.now.Add(d)
	c := make(chan time.Time, 1)
	c <- h.now
	return &alarm{c}
}

type alarm struct{ c chan time.Time }

func (a *alarm) C() <-chan time.Time { return a.c }
func (a *alarm) Stop() bool          { return false }
func (a *alarm) Reset(time.Duration) { panic("table: nobody resets it") }

// resolve resolves a table of a log, of which the columns of a list separated by commas are used; "*": all.
func resolve(l *log, topic bool, declared catalog.Table, kept *Kept, uses string) (*Table, []string, error) {
	if l.chunk == 0 {
		l.chunk = 100
	}
	declared.Name, declared.Kind = "t", l.kind(topic)
	var waited []string
	r := &Resolver{Wait: 10 * time.Second, Clock: &hasty{}, Waiting: func(name string) { waited = append(waited, name) }}
	t, err := r.Resolve(context.Background(), &declared, kept, func(path []string) bool {
		for _, u := range strings.Split(uses, ",") {
			if u == "*" || u == path[0] {
				return true
			}
		}
		return false
	})
	return t, waited, err
}

// numbered are so many records of the form.
func numbered(n int, form func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = form(i)
	}
	return out
}
