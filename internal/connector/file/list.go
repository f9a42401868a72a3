package file

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// Partitions lists the files as they are now. Once the source is open it also fails, with LogChanged, for a file that
// is gone or shorter than the run needs it, or not the one that it was, whether its turn has come or not.
func (s *source) Partitions(ctx context.Context) ([]connector.Partition, error) {
	paths, several, err := s.list()
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
			if err := s.dangling(path, several); err != nil {
				return nil, err
			}
			continue // told below; one of several may have been removed since it was listed
		}
		if err != nil {
			return nil, openError(err, path)
		}
		if info.IsDir && several {
			continue
		}
		p, err := s.partition(path, info)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	if err := s.verifyListed(ctx, out); err != nil {
		return nil, err
	}
	switch {
	case len(out) > 0:
		return out, nil
	case isPattern(s.path):
		deep := ""
		if isDeep(s.path) {
			deep = "** enters no link and no directory whose name begins with a dot, "
		}
		return nil, fault.New(fault.Usage, "no file matches "+s.path,
			`check the pattern: `+deep+`* does not match /, and \ makes a *, ? or [ ordinary`)
	case several:
		return nil, fault.New(fault.Usage, "there is no file in the directory "+s.path,
			"check the path; files whose names begin with a dot and those in directories below are not read")
	}
	return nil, &fault.Error{
		Class: fault.Usage, Msg: "there is no file " + s.path, Try: "check the path; a relative one starts at the working directory", Err: connector.Absent{Topic: s.path},
	}
}

func (s *source) partition(path string, info host.Info) (connector.Partition, error) {
	out := connector.Partition{
		PartitionID: connector.PartitionID{Topic: path, Index: connector.NoIndex},
		End:         info.Size,
		Epoch:       -1,
	}
	if err := readable(path, info); err != nil {
		return out, err
	}
	packed, err := s.packingAt(path, info)
	if err != nil {
		return out, err
	}
	if !s.isOpen() { // else it is told as a file that was added, or has changed
		if err := s.refusePacked(path, packed); err != nil {
			return out, err
		}
	}
	if p := packingOf(packed); p != plain {
		out.End, out.LogID = connector.EndUnknown, p.logID(info.Size)
	}
	return out, nil
}

func (s *source) isOpen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.byPath) > 0
}

// dangling fails when one of several names is a link that leads nowhere, whose file would else be left out in silence.
// Of an open source it is told as a file that is gone.
func (s *source) dangling(path string, several bool) error {
	if s.isOpen() || !several {
		return nil
	}
	to, err := s.disk.Resolve(path)
	if err != nil || to == path {
		return nil
	}
	return fault.New(fault.Usage, path+" is a link to "+filepath.Clean(to)+", where there is no file",
		"put the file there, remove the link, or give a pattern that leaves it out")
}

// list returns the paths that the source's path names, ordered, whether they are files or not, and whether it names
// several: it is a pattern or a directory.
func (s *source) list() (paths []string, several bool, err error) {
	pattern, err := s.pattern()
	if err != nil || pattern == "" {
		return []string{s.path}, false, err
	}
	if paths, err = s.disk.Glob(pattern); err != nil {
		return nil, true, globError(err, s.path)
	}
	for i := range paths {
		paths[i] = filepath.Clean(paths[i])
	}
	if !isPattern(s.path) {
		paths = slices.DeleteFunc(paths, func(path string) bool { return host.Hidden(filepath.Base(path)) })
	}
	slices.Sort(paths)
	return slices.Compact(paths), true, nil
}

// pattern returns the pattern of the files that the source's path names, "" when it names one.
func (s *source) pattern() (string, error) {
	if isPattern(s.path) {
		if s.checkpoint == "" || s.isOpen() {
			return s.path, nil
		}
		over, err := s.wouldRead(s.checkpoint)
		if over && err == nil {
			err = fault.New(fault.Usage, "the checkpoint "+s.checkpoint+" is one of the files of "+s.path, "put it elsewhere, or give a pattern that leaves it out")
		}
		return s.path, err
	}
	info, err := s.disk.Stat(s.path)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", openError(err, s.path)
	case err != nil || !info.IsDir:
		return "", nil
	}
	if s.checkpoint != "" {
		if id, err := s.idOf(filepath.Dir(s.checkpoint)); err != nil || id != "" && id == info.ID {
			if err != nil {
				return "", err
			}
			return "", fault.New(fault.Usage, "the checkpoint "+s.checkpoint+" is in the directory "+s.path+", of which all files are read",
				"put it elsewhere, or name the files by a pattern: \""+filepath.Join(s.path, "*.jsonl")+`"`)
		}
	}
	dir := s.path
	if filepath.Separator == '/' { // elsewhere it escapes nothing
		dir = strings.ReplaceAll(dir, `\`, `\\`)
	}
	return filepath.Join(dir, "*"), nil
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
	return nil
}

// verifyListed fails when an opened file is missing from the list, or is in it as another one or too short.
func (s *source) verifyListed(ctx context.Context, list []connector.Partition) error {
	s.mu.Lock()
	opened := s.byPath
	s.mu.Unlock()
	for _, p := range opened {
		for len(list) > 0 && list[0].Topic < p.path {
			list = list[1:]
		}
		listed := len(list) > 0 && list[0].Topic == p.path
		switch {
		case p.until < 0:
			if err := p.inspectAgain(ctx); err != nil {
				return err
			}
		case !listed:
			return gone(p.path)
		case p.packing != plain && list[0].LogID != p.packing.logID(p.packed):
			return repacked(p.path, p.packing.logID(p.packed), list[0].LogID)
		default:
			if err := p.longEnough(list[0].End); err != nil {
				return err
			}
		}
	}
	return nil
}
