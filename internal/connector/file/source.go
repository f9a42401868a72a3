package file

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sync"

	"ubik/internal/connector"
	"ubik/internal/connector/lines"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// source reads the files of one path or pattern.
type source struct {
	disk      host.Disk
	path      string // or the pattern
	wait      bool   // a last line waits for its newline
	maxRecord int
	pool      *lines.Pool

	mu     sync.Mutex
	parts  []*part // as Open gave them
	byPath []*part // the same, ordered
	handles
}

func newSource(url string, o *connector.Options) (connector.Source, error) {
	path, err := parse(url)
	if err != nil {
		return nil, err
	}
	if err := refuseCompressed(path); err != nil {
		return nil, err
	}
	if _, err := filepath.Match(path, ""); isPattern(path) && err != nil {
		return nil, fault.New(fault.Usage, "the pattern "+path+" is not complete",
			`close the [ of a set, or put \ before a [ that belongs to the name`)
	}
	return &source{disk: o.Disk, path: path, wait: o.KeepOpen, maxRecord: o.MaxRecord, pool: lines.NewPool()}, nil
}

// Partitions lists the files as they are now. Once the source is open it also fails, with LogChanged, for a file that
// is gone or shorter than the run needs it, whether its turn has come or not.
func (s *source) Partitions(ctx context.Context) ([]connector.Partition, error) {
	paths, err := s.list()
	if err != nil {
		return nil, err
	}
	var out []connector.Partition
	for _, path := range paths {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		info, err := s.disk.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			if err := s.dangling(path); err != nil {
				return nil, err
			}
			continue // told below; one of a pattern may have been removed since it was listed
		}
		if err != nil {
			return nil, openError(err, path)
		}
		if info.IsDir && isPattern(s.path) {
			continue
		}
		if err := readable(path, info); err != nil {
			return nil, err
		}
		out = append(out, connector.Partition{
			PartitionID: connector.PartitionID{Topic: path, Index: connector.NoIndex},
			End:         info.Size,
			Epoch:       -1,
		})
	}
	if err := s.verifyListed(out); err != nil {
		return nil, err
	}
	if len(out) > 0 {
		return out, nil
	}
	if isPattern(s.path) {
		return nil, fault.New(fault.Usage, "no file matches "+s.path,
			`check the pattern: * does not match /, and \ makes a *, ? or [ ordinary`)
	}
	return nil, fault.New(fault.Usage, "there is no file "+s.path, "check the path; a relative one starts at the working directory")
}

// dangling fails when a pattern matches a link that leads nowhere, whose file would else be left out in silence. Of an
// open source it is told as a file that is gone.
func (s *source) dangling(path string) error {
	s.mu.Lock()
	opened := len(s.byPath) > 0
	s.mu.Unlock()
	if opened || !isPattern(s.path) {
		return nil
	}
	to, err := s.disk.Resolve(path)
	if err != nil || to == path {
		return nil
	}
	return fault.New(fault.Usage, path+" is a link to "+filepath.Clean(to)+", where there is no file",
		"put the file there, remove the link, or give a pattern that leaves it out")
}

// list returns the paths that the source's path names, ordered, whether they are files or not.
func (s *source) list() ([]string, error) {
	if !isPattern(s.path) {
		return []string{s.path}, nil
	}
	paths, err := s.disk.Glob(s.path)
	if err != nil {
		return nil, globError(err, s.path)
	}
	for i := range paths {
		paths[i] = filepath.Clean(paths[i])
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// readable fails for what is no plain file.
func readable(path string, info host.Info) error {
	if info.IsDir {
		return fault.New(fault.Usage, path+" is a directory", `name its files by a pattern: "`+filepath.Join(path, "*.jsonl")+`"`)
	}
	if !info.Regular {
		return fault.New(fault.Usage, path+" is a device, a pipe or a socket, which cannot be read twice",
			"read it as standard input: ubik --from - … < "+path)
	}
	return refuseCompressed(path)
}

// verifyListed fails when an opened file is missing from the list, or too short in it.
func (s *source) verifyListed(list []connector.Partition) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.byPath {
		for len(list) > 0 && list[0].Topic < p.path {
			list = list[1:]
		}
		if len(list) == 0 || list[0].Topic != p.path {
			return gone(p.path)
		}
		if err := p.longEnough(list[0].End); err != nil {
			return err
		}
	}
	return nil
}

// Close closes the files. Chunks that are not released yet stay valid.
func (s *source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var first error
	for _, p := range s.open {
		if err := p.file.Close(); err != nil && first == nil {
			first = openError(err, p.path)
		}
		p.file = nil
	}
	s.open = nil
	return first
}
