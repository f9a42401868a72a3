package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The checkpoint's own files are in the pattern: that is told before they are taken for records.
func TestACheckpointAmongTheFilesIsRefusedBeforeColumnsAreFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "d", "k.jsonl"), []byte(`{"n":1}`+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"d/**": "ubik: the checkpoint d/x.ckpt is one of the files of d/**; put it elsewhere, or give a pattern that leaves it out\n",
		"d":    "ubik: the checkpoint d/x.ckpt is in the directory d, of which all files are read; put it elsewhere, or name the files by a pattern: \"d/*.jsonl\"\n",
	} {
		out, said, code := runIn(t, dir, "--resume", "d/x.ckpt", "SELECT n FROM '"+path+"'")
		if code != 2 || out != "" || said != want {
			t.Errorf("%s: exit code %d, %q, %q", path, code, out, said)
		}
	}
}
