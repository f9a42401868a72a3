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
// since the files in it would be left out. And it knows AnyDepth.
func glob(pattern string) ([]string, error) {
	if _, err := filepath.Match(pattern, ""); err != nil {
		return nil, err
	}
	if filepath.Separator == '/' {
		return anyDepthAtEnd(pattern, globIn)
	}
	// Here there are volumes, and no escapes.
	if slices.Contains(strings.Split(filepath.ToSlash(pattern), "/"), AnyDepth) {
		return nil, &fs.PathError{Op: "glob", Path: pattern, Err: errors.ErrUnsupported}
	}
	names, err := filepath.Glob(pattern)
	slices.Sort(names)
	return names, err
}

// anyDepthAtEnd finds the names, each once and sorted, by means of a function to which AnyDepth is any number of
// directories wherever it stands.
func anyDepthAtEnd(pattern string, in func(pattern string) ([]string, error)) (names []string, err error) {
	trimmed := strings.TrimRight(pattern, "/")
	switch {
	case trimmed[strings.LastIndexByte(trimmed, '/')+1:] != AnyDepth:
		names, err = in(pattern)
	case trimmed != pattern:
		names, err = in(trimmed)
		for i := range names {
			names[i] = filepath.Clean(names[i]) // "" is the working directory
		}
	default:
		names, err = in(pattern + "/*")
		names = slices.DeleteFunc(names, func(name string) bool { return Hidden(filepath.Base(name)) })
	}
	slices.Sort(names)
	return slices.Compact(names), err
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
	if base == AnyDepth {
		return below(folders)
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
	d, err := openFolder(folder)
	if d == nil || err != nil {
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

// below returns those of the names that are directories, and all directories below them, each once. Links are followed
// by name only: one that leads upwards would never end.
func below(folders []string) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	for len(folders) > 0 {
		folder := folders[len(folders)-1]
		folders = folders[:len(folders)-1]
		if seen[folder] {
			continue
		}
		seen[folder] = true
		found, isFolder, err := foldersIn(folder)
		if err != nil {
			return nil, err
		}
		if isFolder {
			all = append(all, folder)
			folders = append(folders, found...)
		}
	}
	return all, nil
}

// foldersIn returns the directories in one, but for links and those whose names begin with a dot.
func foldersIn(folder string) (folders []string, isFolder bool, err error) {
	d, err := openFolder(folder)
	if d == nil || err != nil {
		return nil, false, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return nil, false, err
	}
	for _, entry := range entries {
		if entry.IsDir() && !Hidden(entry.Name()) {
			folders = append(folders, filepath.Join(folder, entry.Name()))
		}
	}
	return folders, true, nil
}

// openFolder opens a directory, "" being the working directory; there is no file and no error when there is none of the
// name.
func openFolder(name string) (*os.File, error) {
	if name == "" {
		name = "."
	}
	info, err := os.Stat(name)
	if absent(err) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d, err := os.Open(name)
	if absent(err) { // by now
		return nil, nil
	}
	return d, err
}

// Hidden reports whether a name, without a directory, is none of those that one means by naming its directory.
func Hidden(name string) bool { return strings.HasPrefix(name, ".") }

// absent reports whether an error says that there is nothing of a name.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

func hasMeta(pattern string) bool { return strings.ContainsAny(pattern, `*?[\`) }
