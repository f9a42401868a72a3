package file

import (
	"errors"
	"io/fs"
	"path/filepath"

	"ubik/internal/connector"
	"ubik/internal/host"
)

// Overlaps reports whether the file of a sink is one that the source reads, under whatever name, or would match the
// source's pattern once it is there.
func (s *source) Overlaps(to connector.Sink) (bool, error) {
	out, ok := to.(*sink)
	if !ok {
		return false, nil
	}
	target, err := s.idOf(out.path)
	if err != nil {
		return false, err
	}
	paths, several, err := s.list()
	if err != nil {
		return false, err
	}
	for _, path := range paths {
		id, err := s.idOf(path)
		if err != nil {
			return false, err
		}
		if id != "" && id == target {
			return true, nil
		}
	}
	if !several {
		return false, nil
	}
	if !isPattern(s.path) {
		dir, err := s.idOf(filepath.Dir(out.path))
		if err != nil || host.Hidden(filepath.Base(out.path)) {
			return false, err
		}
		own, err := s.idOf(s.path)
		return dir != "" && dir == own, err
	}
	return s.wouldRead(out.path)
}

// idOf is the identity of what a path leads to, "" when there is nothing.
func (s *source) idOf(path string) (string, error) {
	info, err := s.disk.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", openError(err, path)
	}
	return info.ID, nil
}
