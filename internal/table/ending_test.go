package table

import (
	"os"
	"path/filepath"
	"testing"

	"ubik/internal/catalog"
	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/host"
)

func TestTheFormatOfADirectoryIsThatOfItsFiles(t *testing.T) {
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{"a.csv", "b.csv.gz"}, "csv"}, {[]string{"a.tsv"}, "tsv"}, {[]string{"a.csv", "b.jsonl"}, ""}, {[]string{"a.log", "b.txt"}, "raw"}, {[]string{"a", "b"}, ""},
	} {
		dir := t.TempDir()
		for _, name := range c.files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("x\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := &Resolver{Clock: host.Wall, Options: connector.Options{Disk: host.OS, MaxRecord: 1 << 20}}
		got := &Table{Table: &catalog.Table{Name: "t", Kind: &file.Kind, URL: dir}}
		if err := r.byEnding(t.Context(), got); err != nil || got.Table.Format != c.want {
			t.Errorf("%v: format %q, want %q (%v)", c.files, got.Table.Format, c.want, err)
		}
	}
}
