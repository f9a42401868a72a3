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
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, path := range files {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { script(t, path, result) })
	}
}

func script(t *testing.T, path string, result func(t *testing.T, input string) string) {
	var out []string
	for _, block := range strings.Split(strings.TrimRight(read(t, path), "\n"), "\n\n") {
		if strings.HasPrefix(block, "#") {
			out = append(out, block)
			continue
		}
		input, want, _ := strings.Cut(block, "\n----")
		want = strings.TrimPrefix(want, "\n")
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

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
