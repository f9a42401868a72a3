package table

import (
	"context"

	"ubik/internal/catalog"
	"ubik/internal/connector"
)

// Latest lists the partitions of a log that goes on, as they are now, when the run is to begin behind their ends; nil else.
// It is to be asked before records are waited for, which are behind the ends then.
func (r *Resolver) Latest(ctx context.Context, declared *catalog.Table, start connector.StartPoint) ([]connector.Partition, error) {
	t := &Table{Table: declared}
	if start.At != connector.StartLatest || !goesOn(t) || !t.Kind.Replayable {
		return nil, nil
	}
	src, err := t.Kind.NewSource(t.URL, r.optionsOf(t))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	parts, err := src.Partitions(ctx)
	return append([]connector.Partition{}, parts...), err // nil would be: not asked
}
