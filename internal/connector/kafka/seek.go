package kafka

import (
	"context"
	"fmt"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// Seek implements connector.Seeker. A time is that of the log: the creation or the arrival of a record, whichever the
// topic keeps. The first one of that time may be one that is never given, as a transaction's marker; what lies behind it is
// read, whatever its own time is. Whether transactions are open says nothing about where reading begins.
func (s *source) Seek(ctx context.Context, start connector.StartPoint, listed []connector.Partition) ([]connector.Position, error) {
	at := connector.Earliest(listed)
	switch start.At {
	case connector.StartLatest:
		for i, p := range listed {
			at[i].Offset = p.Last()
		}
	case connector.StartOffsets:
		return at, s.seekOffsets(at, start, listed)
	case connector.StartTime:
		return at, s.seekTime(ctx, at, start, listed)
	}
	return at, nil
}

// seekOffsets takes the positions that are named.
func (s *source) seekOffsets(at []connector.Position, start connector.StartPoint, listed []connector.Partition) error {
	topic := s.link.topic
	for _, o := range start.Offsets {
		i := int(o.Partition)
		if i >= len(listed) {
			return fault.New(fault.Usage, fmt.Sprintf("--start %v: topic %s has no partition %d", start, topic, o.Partition),
				fmt.Sprintf("its partitions are 0 to %d", len(listed)-1))
		}
		if p := &listed[i]; o.Offset < p.Earliest || o.Offset > p.Last() {
			return fault.New(fault.Usage, fmt.Sprintf("--start %v: %s/%d has no position %d: it begins at %d and ends at %d", start, topic, p.Index, o.Offset, p.Earliest, p.Last()),
				fmt.Sprintf("give one from %d to %d; a partition that is not named begins at its first record", p.Earliest, p.Last()))
		}
		at[i].Offset = o.Offset
	}
	return nil
}

// seekTime asks for the first record of a time or later; where there is none reading begins at the end.
func (s *source) seekTime(ctx context.Context, at []connector.Position, start connector.StartPoint, listed []connector.Partition) error {
	millis := start.Time / 1000 // rounded up: the first ms that is not before
	if start.Time > 0 && start.Time%1000 != 0 {
		millis++
	}
	if millis <= 0 {
		return nil // no record is older; and what is less than 0 means something else
	}
	cl, err := s.link.client()
	if err != nil {
		return err
	}
	var found []int64
	err = s.link.patient(ctx, func(ctx context.Context) error {
		info, err := s.sameTopic(ctx, cl, len(listed))
		if err != nil {
			return err
		}
		found, err = s.link.offsets(ctx, cl, &info, millis, 0)
		return err
	})
	if err != nil {
		return err
	}
	for i, p := range listed {
		at[i].Offset = p.Last() // of a record that has come since, too
		if o := found[i]; o != notDated {
			at[i].Offset = max(p.Earliest, min(o, p.Last()))
		}
	}
	return nil
}
