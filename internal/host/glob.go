package host

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// glob is filepath.Glob but for what it passes over in silence: a directory or name that cannot be looked at is an error,
// since the files in it would be left out.
func glob(pattern string) ([]string, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, err
	}
	in := globIn
	if filepath.Separator != '/' { // volumes, and no escapes
		in = filepath.Glob
	}
	names, err := in(pattern)
	slices.Sort(names)
	return names, err
}

func globIn(pattern string) ([]string, error) {
	if !hasMeta(pattern) {
		_, err := os.Lstat(pattern)
		if absent(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return []string{pattern}, nil
	}
	dir, base := filepath.Split(pattern)
	folders := []string{dir}
	if trimmed := strings.TrimRight(dir, "/"); trimmed != "" {
		folders[0] = trimmed
		if hasMeta(trimmed) {
			var err error
			if folders, err = globIn(trimmed); err != nil {
				return nil, err
			}
		}
	}
	var names []string
	for _, folder := range folders {
		found, err := matching(folder, base)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return names, nil
}

// matching returns the names of a directory's entries that match; none of what is no directory.
func matching(folder, base string) ([]string, error) {
	at := folder
	if at == "" {
		at = "."
	}
	info, err := os.Stat(at)
	if absent(err) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, entry := range entries {
		ok, err := filepath.Match(base, entry)
		if err != nil {
			return nil, err
		}
		if ok {
			names = append(names, filepath.Join(folder, entry))
		}
	}
	return names, nil
}

// absent reports whether an error says that there is nothing of a name.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func hasMeta(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }
