package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestACheckpointDamagedInAnyByteIsRefusedAndLeftAsItIs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("txns.jsonl", `{"merchant":"a","amount":1,"event_time":"2026-01-01T00:00:10Z"}`+"\n"+`{"merchant":"b","amount":2,"event_time":"2026-01-01T00:00:20Z"}`+"\n")
	args := []string{"--quiet", "--from", "txns.jsonl", "--schema", schema, "--to", "out.jsonl", "--keep-open", "--resume", "txns.ckpt", headline}
	if _, said, code := runIn(t, dir, args...); code != 0 {
		t.Fatalf("exit code %d: %s", code, said)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "txns.ckpt"))
	if err != nil {
		t.Fatal(err)
	}
	refusal := regexp.MustCompile(`^ubik: checkpoint txns\.ckpt: .+; (put back an intact copy of it; the file is left as it is|name another file; this one is left as it is|use that Ubik; the file is left as it is)\n$`)
	try := func(what string, b []byte) {
		write("txns.ckpt", string(b))
		_, said, code := runIn(t, dir, args...)
		if code != 6 || !refusal.MatchString(said) {
			t.Errorf("%s: exit code %d: %s", what, code, said)
		}
		if after, err := os.ReadFile(filepath.Join(dir, "txns.ckpt")); err != nil || !bytes.Equal(after, b) {
			t.Errorf("%s: the checkpoint was changed (%v)", what, err)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for at := 0; at < len(whole); at += 1 + len(whole)/240 {
		b := bytes.Clone(whole)
		bit := rng.IntN(8)
		b[at] ^= 1 << bit
		try(fmt.Sprintf("bit %d of byte %d", bit, at), b)
	}
	for at := 0; at < len(whole); at += 1 + len(whole)/60 {
		try(fmt.Sprintf("cut to %d bytes", at), whole[:at])
	}
	try("one byte more", append(bytes.Clone(whole), 0))
	try("twice", append(bytes.Clone(whole), whole...))

	write("txns.ckpt", string(whole))
	if _, said, code := runIn(t, dir, args...); code != 0 {
		t.Errorf("the intact copy: exit code %d: %s", code, said)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("left over: %s", strings.Join(left, ", "))
	}
}
