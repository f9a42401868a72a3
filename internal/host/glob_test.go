package host_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"ubik/internal/host"
)

func TestAPatternMatchesWhatTheStandardLibraryFinds(t *testing.T) {
	t.Chdir(t.TempDir())
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"a", "b", "a.json", "b.json", "ab", ".a", "a*b", "é"}
	for range 60 {
		path := parts[rng.IntN(len(parts))]
		for range rng.IntN(3) {
			path = filepath.Join(path, parts[rng.IntN(len(parts))])
		}
		if rng.IntN(3) == 0 {
			os.MkdirAll(path, 0o755)
			continue
		}
		os.MkdirAll(filepath.Dir(path), 0o755)
		if f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
			f.Close()
		}
	}
	os.Symlink("nowhere", "dangling")
	os.Symlink("a", "link")
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	pieces := []string{"*", "a", "a*", "?", "[ab]*", "*.json", "link", `a\*b`, "none", "*l*", "."}
	for range 2000 {
		pattern := pieces[rng.IntN(len(pieces))]
		for range rng.IntN(3) {
			pattern += "/" + pieces[rng.IntN(len(pieces))]
		}
		switch rng.IntN(4) {
		case 0:
			pattern = here + "/" + pattern
		case 1:
			pattern = "./" + pattern
		}
		want, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(want)
		if got, err := host.OS.Glob(pattern); err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d: %s: %q, %v, want %q", seed, pattern, got, err, want)
		}
	}
	if got, err := host.OS.Glob("/*"); err != nil || len(got) == 0 {
		t.Fatal(got, err)
	}
}

// A directory that cannot be looked into may hold files that match: they must not be left out in silence.
func TestAPatternIsNotMatchedPastADirectoryThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "a.json"), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("circle", filepath.Join(dir, "circle")); err != nil {
		t.Fatal(err)
	}
	var at *fs.PathError
	if _, err := host.OS.Glob(dir + "/*/*.json"); !errors.Is(err, syscall.ELOOP) || !errors.As(err, &at) || at.Path != dir+"/circle" {
		t.Fatal(err)
	}
	if os.Getuid() == 0 {
		return // root may read every directory
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "two"), 0o755) }) // or it cannot be removed
	if err := errors.Join(os.Remove(filepath.Join(dir, "circle")), os.Chmod(filepath.Join(dir, "two"), 0)); err != nil {
		t.Fatal(err)
	}
	if _, err := host.OS.Glob(dir + "/*/*.json"); !errors.Is(err, fs.ErrPermission) {
		t.Fatal(err)
	}
}
