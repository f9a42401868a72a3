package file

import (
	"context"
	"errors"
	"io/fs"

	"ubik/internal/connector"
	"ubik/internal/connector/lines"
	"ubik/internal/fault"
)

// Seek implements connector.Seeker. Behind the last record is where the next one begins: a last line without newline that
// may still get one is the next one. To know that, and so that a run which resumes can prove that the bytes before are
// the same, the files are read.
func (s *source) Seek(ctx context.Context, start connector.StartPoint, listed []connector.Partition) ([]connector.Position, error) {
	switch start.At {
	case connector.StartEarliest:
		return connector.Earliest(listed), nil
	case connector.StartLatest:
	default:
		return nil, fault.New(fault.Usage, "--start "+start.String()+": "+s.path+" has no times and no numbered partitions of its own",
			"write earliest or latest, or filter in the query")
	}
	var at []connector.Position
	for _, p := range listed {
		pos, err := s.seekEnd(ctx, p)
		if err != nil {
			return nil, err
		}
		at = append(at, pos)
	}
	return at, nil
}

// seekEnd reads a file to its listed end, and returns the position behind its records.
func (s *source) seekEnd(ctx context.Context, listed connector.Partition) (connector.Position, error) {
	p := &part{source: s, path: listed.Topic, until: listed.End}
	if listed.End == connector.EndUnknown {
		return connector.Position{}, fault.New(fault.Usage, "--start latest: "+p.path+" is compressed, so that its end is not known before all of it is read",
			"leave --start away, or filter in the query")
	}
	f, err := s.disk.Open(p.path)
	if errors.Is(err, fs.ErrNotExist) {
		return connector.Position{}, gone(p.path)
	}
	if err != nil {
		return connector.Position{}, openError(err, p.path)
	}
	defer f.Close()
	r := lines.NewReader(s.pool, p.options())
	for in := (plainInput{p.path, f}); ; {
		c, err := r.Read(ctx, in)
		if err != nil {
			return connector.Position{}, p.headerFault(err)
		}
		end := c.End
		c.Release()
		if end {
			break
		}
	}
	if seen := r.Position().Offset; seen < listed.End && !s.wait {
		return connector.Position{}, shorter(p.path, seen, listed.End, "it had at the start")
	}
	return r.Position(), nil
}
