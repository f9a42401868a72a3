package file

import (
	"path/filepath"
	"slices"
	"strings"

	"ubik/internal/fault"
	"ubik/internal/host"
)

// isPattern reports whether a path names files by a pattern.
func isPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// checkPattern fails for a pattern that is none, or not the one that was meant.
func checkPattern(path string) error {
	if !isPattern(path) {
		return nil
	}
	names := elements(path)
	for _, name := range names { // each by itself: what stands behind the first that does not match is not looked at
		if _, err := filepath.Match(name, ""); err != nil {
			return fault.New(fault.Usage, "the pattern "+path+" is not complete",
				`close the [ of a set, or put \ before a [ that belongs to the name`)
		}
	}
	at := slices.IndexFunc(names, func(name string) bool { return name != host.AnyDepth && singleStars(name) != name })
	if at < 0 {
		return nil
	}
	odd := names[at]
	for i, name := range names {
		if name != host.AnyDepth {
			names[i] = singleStars(name)
		}
	}
	one := strings.Join(names, "/")
	names[at] = host.AnyDepth + "/" + names[at]
	return fault.New(fault.Usage, "the pattern "+path+" has ** in the name "+odd+", where it does not stand for directories",
		"write "+strings.Join(names, "/")+" for files at any depth, or "+one)
}

func elements(path string) []string { return strings.Split(filepath.ToSlash(path), "/") }

// isDeep reports whether a path is a pattern of files at any depth.
func isDeep(path string) bool { return slices.Contains(elements(path), host.AnyDepth) }

// singleStars replaces each run of stars by one, but for those that are escaped or in a set.
func singleStars(name string) string {
	var out []byte
	inSet, star := false, false
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c == '*' && star {
			continue
		}
		star = c == '*' && !inSet
		out = append(out, c)
		switch {
		case c == '\\' && filepath.Separator == '/' && i+1 < len(name):
			i++
			out = append(out, name[i])
		case c == '[':
			inSet = true
		case c == ']':
			inSet = false
		}
	}
	return string(out)
}

// wouldRead reports whether the source, a pattern, reads a file of this path, or would once it is there.
func (s *source) wouldRead(path string) (bool, error) {
	dir, base := filepath.Dir(s.path), filepath.Base(s.path)
	if base == host.AnyDepth {
		if host.Hidden(filepath.Base(path)) {
			return false, nil
		}
		dir, base = s.path, "*"
	}
	if match, err := filepath.Match(base, filepath.Base(path)); !match || err != nil {
		return false, err
	}
	folder, err := s.idOf(filepath.Dir(path))
	if err != nil || folder == "" {
		return false, err
	}
	folders := []string{dir}
	if isPattern(dir) {
		if filepath.Base(dir) == host.AnyDepth {
			dir += "/"
		}
		if folders, err = s.disk.Glob(dir); err != nil {
			return false, globError(err, s.path)
		}
	}
	for _, dir := range folders {
		if id, err := s.idOf(dir); err != nil || id == folder {
			return err == nil, err
		}
	}
	return false, nil
}
