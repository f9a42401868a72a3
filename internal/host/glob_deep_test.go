package host_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/host"
)

// deepest is how many names the longest path has that the dumb matcher is asked about: as many as a pattern of the test
// can lead down.
const deepest = 7

// everything is each path below a directory, also through links, as long as it has no more than deepest names.
func everything(t *testing.T, root string) (paths []string) {
	t.Helper()
	var below func(at string, levels int)
	below = func(at string, levels int) {
		start := filepath.Join(root, at)
		err := filepath.WalkDir(start+"/.", func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil || rel == "." || filepath.Clean(path) == start {
				return err
			}
			if strings.Count(rel, "/") >= deepest {
				return fs.SkipDir
			}
			paths = append(paths, rel)
			if info, err := os.Stat(path); err == nil && info.IsDir() && d.Type()&fs.ModeSymlink != 0 && levels > 0 {
				below(rel, levels-1)
			}
			return nil
		})
		if err != nil && err != fs.SkipDir {
			t.Fatal(err)
		}
	}
	below("", deepest)
	return paths
}

// matches tells for one path, of which names before at were matched, whether the rest of the pattern is the rest of it.
func matches(root string, pattern, path []string, at int) bool {
	if len(pattern) == 0 || at == len(path) {
		return len(pattern) == 0 && at == len(path)
	}
	name := path[at]
	if pattern[0] != "**" {
		ok, _ := filepath.Match(pattern[0], name)
		return ok && matches(root, pattern[1:], path, at+1)
	}
	last := at == len(path)-1
	if len(pattern) == 1 && last {
		return name[0] != '.'
	}
	if len(pattern) > 1 && matches(root, pattern[1:], path, at) {
		return true
	}
	info, err := os.Lstat(filepath.Join(root, filepath.Join(path[:at+1]...)))
	return err == nil && info.IsDir() && name[0] != '.' && matches(root, pattern, path, at+1)
}

func TestDirectoriesOfAnyDepthAreThoseThatANaiveWalkFinds(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"a", "b", "a.json", "b.json", ".a", "ab", "[a]", "é"}
	pieces := []string{"**", "**", "**", "*", "a", "a*", "?", "[ab]*", "*.json", "up", "l*", ".a", `\[a\]`, "none"}
	found := 0
	for range 20 {
		root := t.TempDir()
		mem := host.NewMem()
		if err := mem.Mkdir(root); err != nil {
			t.Fatal(err)
		}
		for range 14 {
			path := root
			for range 1 + rng.IntN(3) {
				path = filepath.Join(path, parts[rng.IntN(len(parts))])
			}
			if rng.IntN(3) == 0 {
				os.MkdirAll(path, 0o755)
				mem.Mkdir(path)
				continue
			}
			os.MkdirAll(filepath.Dir(path), 0o755)
			mem.Mkdir(filepath.Dir(path))
			for _, disk := range []host.Disk{host.OS, mem} {
				if f, err := disk.OpenRW(path, 0o644); err == nil {
					f.Close()
				}
			}
		}
		for name, target := range map[string]string{"a/up": "..", "link": "b", "lost": "nowhere", "b/l.json": "../a.json"} {
			if _, err := os.Stat(filepath.Dir(filepath.Join(root, name))); err == nil {
				os.Symlink(target, filepath.Join(root, name))
				mem.Symlink(target, filepath.Join(root, name))
			}
		}
		all := everything(t, root)
		for range 100 {
			pattern := []string{pieces[rng.IntN(len(pieces))]}
			for range rng.IntN(4) {
				pattern = append(pattern, pieces[rng.IntN(len(pieces))])
			}
			var want []string
			for _, path := range all {
				if matches(root, pattern, strings.Split(path, "/"), 0) {
					want = append(want, filepath.Join(root, path))
				}
			}
			slices.Sort(want)
			found += len(want)
			for name, disk := range map[string]host.Disk{"OS": host.OS, "Mem": mem} {
				got, err := disk.Glob(root + "/" + strings.Join(pattern, "/"))
				if err != nil || !slices.Equal(got, want) {
					t.Fatalf("seed %d: %s of %q: %s: %q, %v, want %q", seed, name, all, strings.Join(pattern, "/"), got, err, want)
				}
			}
		}
	}
	if found < 1000 {
		t.Fatalf("seed %d: the patterns match no more than %d paths", seed, found)
	}
}

func TestDirectoriesOfAnyDepthStartAnywhere(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("a/b", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1.json", "a/2.json", "a/b/3.json"} {
		if err := os.WriteFile(name, nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]string{
		"**/*.json": "1.json a/2.json a/b/3.json", "./**/*.json": "1.json a/2.json a/b/3.json", "a/../**/3*": "a/b/3.json",
		"**": "1.json a a/2.json a/b a/b/3.json", "**/**/b/**": "a/b/3.json", "a//**//*.json": "a/2.json a/b/3.json",
		"**/": ". a a/b", "a/**/": "a a/b", "*/**/": "a a/b", "1.json/**/*": "", "none/**": "",
	} {
		if got, err := host.OS.Glob(pattern); err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v, want %s", pattern, got, err, want)
		}
	}
}

// What cannot be looked into at any depth is told, as for other patterns.
func TestNoDirectoryOfAnyDepthIsLeftOutInSilence(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for range 18 { // longer than a path may be
		name := strings.Repeat("d", 250)
		if err := os.Mkdir(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chdir(name); err != nil {
			t.Fatal(err)
		}
	}
	var at *fs.PathError
	if _, err := host.OS.Glob(dir + "/**/*.json"); !errors.Is(err, syscall.ENAMETOOLONG) || !errors.As(err, &at) || !strings.HasPrefix(at.Path, dir) {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		return // root may read every directory
	}
	dir = t.TempDir()
	if err := errors.Join(os.MkdirAll(dir+"/a/shut", 0o755), os.Chmod(dir+"/a/shut", 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := host.OS.Glob(dir + "/**/*.json"); !errors.Is(err, fs.ErrPermission) || !errors.As(err, &at) || at.Path != dir+"/a/shut" {
		t.Fatal(err)
	}
}
