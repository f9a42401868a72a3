// Package golden compares what comes of something with what is kept of it in testdata, and rewrites that by
// go test -update. A script is cases separated by blank lines, each with its input, a line of dashes, and what is expected:
//
//	# Lines beginning with # between cases are comments.
//
//	expr
//	1+2*a
//	----
//	1 + 2 * a
//
// Only tests may import it, since it defines a flag.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Update tells that expected results are to be rewritten.
var Update = flag.Bool("update", false, "rewrite the expected results in testdata")

// Scripts runs testdata/*.txt, each as a subtest of its name. result gives what comes of the input of a case, which may
// hold no blank line.
func Scripts(t *testing.T, result func(t *testing.T, input string) string) {
	for _, path := range paths(t, "testdata/*.txt") {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { script(t, path, result) })
	}
}

// Inputs returns the inputs of all cases in the scripts that match the pattern, as further texts to test with.
func Inputs(t testing.TB, pattern string) []string {
	t.Helper()
	var inputs []string
	for _, path := range paths(t, pattern) {
		for _, block := range blocks(t, path) {
			if input, _, ok := parts(block); ok {
				inputs = append(inputs, input)
			}
		}
	}
	return inputs
}

func paths(t testing.TB, pattern string) []string {
	t.Helper()
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		t.Fatal("no scripts", err)
	}
	return list
}

func blocks(t testing.TB, path string) []string {
	t.Helper()
	return strings.Split(strings.TrimRight(read(t, path), "\n"), "\n\n")
}

// parts are those of a case; ok is false for a comment.
func parts(block string) (input, want string, ok bool) {
	input, want, _ = strings.Cut(block, "\n----")
	return input, strings.TrimPrefix(want, "\n"), !strings.HasPrefix(block, "#")
}

func script(t *testing.T, path string, result func(t *testing.T, input string) string) {
	var out []string
	for _, block := range blocks(t, path) {
		input, want, ok := parts(block)
		if !ok {
			out = append(out, block)
			continue
		}
		got := result(t, input)
		if got != want && !*Update {
			t.Errorf("%s: %s\n---- got\n%s\n---- want\n%s", path, input, got, want)
		}
		out = append(out, input+"\n----\n"+got)
	}
	if *Update {
		write(t, path, strings.Join(out, "\n\n")+"\n")
	}
}

// File compares got, which came of what is named, with the content of the file.
func File(t *testing.T, of, path, got string) {
	t.Helper()
	if *Update {
		write(t, path, got)
		return
	}
	if want := read(t, path); got != want {
		t.Errorf("%s\ngot\n%swant\n%s", of, got, want)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
