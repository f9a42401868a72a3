package csvrec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/ubiktest/golden"
	"ubik/internal/vec"
)

// TestFilesAsTheyCome sniffs and reads every file of testdata. Beside each one lies what is expected: the dialect, the
// names, and each record's fields, NULL or a text in quotes, or '!' and what is wrong with it.
func TestFilesAsTheyCome(t *testing.T) {
	paths := corpus(t)
	if len(paths) < 40 {
		t.Fatalf("%d files", len(paths))
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, path, path+".golden", described(data))
	}
}

func corpus(t testing.TB) []string {
	all, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, path := range all {
		if filepath.Ext(path) != ".golden" && !strings.HasPrefix(filepath.Base(path), ".") {
			paths = append(paths, path)
		}
	}
	return paths
}

// described is what Sniff makes of a file, and a decoder of its records.
func described(data []byte) string {
	d, err := Sniff(data, true)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d)
	for i, name := range d.Names {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Quote(name))
	}
	b.WriteByte('\n')
	var cols []codec.Column
	for _, name := range d.Names {
		cols = append(cols, codec.Column{Path: []string{name}, Type: vec.TypeOf(vec.Varchar)})
	}
	for _, row := range cells.Decode(newDecoder(d, cols), cols, cells.Chunk(framed(d, data)...)) {
		b.WriteString(strings.Join(row, " ") + "\n")
	}
	return b.String()
}

// framed are the records of a whole file, without its header.
func framed(d Dialect, data []byte) [][]byte {
	data = bytes.TrimPrefix(data, []byte(mark))
	var list [][]byte
	for len(data) > 0 {
		n := recordEnd(data, d)
		if n < 0 {
			n = len(data)
		}
		if rec := bytes.TrimSuffix(data[:n], []byte{'\r'}); len(rec) > 0 {
			list = append(list, rec)
		}
		data = data[min(n+1, len(data)):]
	}
	if d.Header {
		list = list[1:]
	}
	return list
}
