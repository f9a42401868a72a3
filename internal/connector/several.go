package connector

import (
	"context"
	"errors"
)

// Several is the sources of a query as one: their partitions one source after the other, each with the index of its
// source.
func Several(sources ...Source) Source { return &several{sources: sources} }

type several struct {
	sources []Source
	of      []place // by index in Open's list
}

// place is a partition of one of the sources, by its index in that source's list.
type place struct{ source, part int }

func (s *several) Partitions(ctx context.Context) ([]Partition, error) {
	var all []Partition
	for i, src := range s.sources {
		ps, err := src.Partitions(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range ps {
			p.Source = i
			all = append(all, p)
		}
	}
	return all, nil
}

func (s *several) Open(ctx context.Context, at []Start) error {
	own := make([][]Start, len(s.sources))
	s.of = make([]place, len(at))
	for i, a := range at {
		s.of[i] = place{a.Source, len(own[a.Source])}
		own[a.Source] = append(own[a.Source], a)
	}
	for i, src := range s.sources {
		if err := src.Open(ctx, own[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *several) Read(ctx context.Context, p int) (*Chunk, error) {
	return s.sources[s.of[p].source].Read(ctx, s.of[p].part)
}

// Stored asks the partition's source, if that is a Meter.
func (s *several) Stored(p int) (read, size int64) {
	if m, ok := s.sources[s.of[p].source].(Meter); ok {
		return m.Stored(s.of[p].part)
	}
	return 0, 0
}

func (s *several) Close() error {
	var errs []error
	for _, src := range s.sources {
		errs = append(errs, src.Close())
	}
	return errors.Join(errs...)
}
