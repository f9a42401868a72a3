package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestAProfileIsWrittenAlsoOfARunThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cpu.pprof")
	t.Setenv(profileEnv, path)
	broken := errors.New("broken")
	if err := profiled(func() error { return broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	if profile, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(profile, []byte{0x1f, 0x8b}) {
		t.Errorf("no gzipped profile: %d bytes, %v", len(profile), err)
	}
}

func TestWithoutTheVariableThereIsNoProfile(t *testing.T) {
	t.Setenv(profileEnv, "")
	if err := profiled(func() error { return nil }); err != nil {
		t.Error(err)
	}
}
