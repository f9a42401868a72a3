package connector

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"ubik/internal/fault"
)

// StartAt is the form of a StartPoint.
type StartAt uint8

const (
	StartEarliest StartAt = iota // the first record there is
	StartLatest                  // behind the last one
	StartTime                    // the first record that the log dates so, or later
	StartOffsets                 // positions, of partitions that are named
)

// StartPoint is where the first start of a run begins to read a source, as --start says it. The zero value: at the first
// record there is.
type StartPoint struct {
	At      StartAt
	Time    int64             // StartTime: µs since 1970 UTC
	Offsets []PartitionOffset // StartOffsets: one or more, ascending, no partition twice; the others begin at the first record
	Listed  []Partition       // StartLatest: the log at the moment that counts; a partition added since begins at the first record. nil: now
}

// asOf is what was listed now, as it was at the moment that counts.
func (s *StartPoint) asOf(now []Partition) []Partition {
	if s.Listed == nil {
		return now
	}
	old := map[PartitionID]*Partition{}
	for i := range s.Listed {
		old[s.Listed[i].PartitionID] = &s.Listed[i]
	}
	then := slices.Clone(now)
	for i := range then {
		p := &then[i]
		if o := old[p.PartitionID]; o != nil {
			p.End, p.High = min(p.End, max(o.End, p.Earliest)), min(p.Last(), max(o.Last(), p.Earliest))
		} else {
			p.End, p.High = p.Earliest, 0
		}
	}
	return then
}

// PartitionOffset is a position in a partition.
type PartitionOffset struct {
	Partition int32
	Offset    int64
}

// String is the start point as --start takes it.
func (s StartPoint) String() string {
	switch s.At {
	case StartLatest:
		return "latest"
	case StartTime:
		return time.UnixMicro(s.Time).UTC().Format("2006-01-02 15:04:05.999999")
	case StartOffsets:
		var b strings.Builder
		for i, o := range s.Offsets {
			fmt.Fprintf(&b, "%c%d:%d", "{,"[min(i, 1)], o.Partition, o.Offset)
		}
		return b.String() + "}"
	}
	return "earliest"
}

// Seeker is what a source is that can begin elsewhere than at its first record.
type Seeker interface {
	// Seek resolves where the reading of each listed partition begins, before Open. listed is what Partitions gave just
	// now, and no position lies behind the Last in it. The error is Usage where the log has no such place, or cannot tell.
	Seek(ctx context.Context, start StartPoint, listed []Partition) ([]Position, error)
}

// Seek resolves where each listed partition begins: starts has the start point of each source by its index, and one that
// is not there begins at the first record there is. src is a Seeker, one by Several, or a source that knows only
// StartEarliest.
func Seek(ctx context.Context, src Source, starts []StartPoint, listed []Partition) ([]Position, error) {
	sources := []Source{src}
	if s, ok := src.(*several); ok {
		sources = s.sources
	}
	at := make([]Position, len(listed))
	for i, source := range sources {
		var start StartPoint
		if i < len(starts) {
			start = starts[i]
		}
		var own []Partition
		var where []int
		for k, p := range listed {
			if p.Source == i {
				own, where = append(own, p), append(where, k)
			}
		}
		found, err := seek(ctx, source, start, own)
		if err != nil {
			return nil, err
		}
		for k, p := range found {
			at[where[k]] = p
		}
	}
	return at, nil
}

func seek(ctx context.Context, src Source, start StartPoint, listed []Partition) ([]Position, error) {
	if start.At == StartEarliest {
		return Earliest(listed), nil
	}
	s, ok := src.(Seeker)
	if !ok {
		return nil, fault.New(fault.Usage, "--start "+start.String()+": the source is read from its beginning only", "leave --start away, or filter in the query")
	}
	return s.Seek(ctx, start, start.asOf(listed))
}

// Earliest is the first position of each partition.
func Earliest(listed []Partition) []Position {
	at := make([]Position, len(listed))
	for i, p := range listed {
		at[i] = Position{Offset: p.Earliest, Epoch: -1}
	}
	return at
}
