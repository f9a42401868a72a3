package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ubik/internal/ubiktest/broker"
)

// ubik is the path of the built program.
var ubik string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ubik-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	ubik = filepath.Join(dir, "ubik")
	build := exec.Command("go", "build", "-o", ubik, "./cmd/ubik")
	build.Dir = filepath.Join("..", "..")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is released
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the program: %v\n%s", err, out)
		return 1
	}
	return broker.Run(m)
}

// seedEnv names the variable that gives the seed of all drawing, where a run is to be tried again.
const seedEnv = "UBIK_TEST_SEED"

// drawSeed gives the seed of a test and prints it.
func drawSeed(t *testing.T) uint64 {
	t.Helper()
	seed := rand.Uint64() >> 16
	if text := os.Getenv(seedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s=%s: %v", seedEnv, text, err)
		}
	}
	t.Logf("seed %d (%s=%d draws the same again)", seed, seedEnv, seed)
	return seed
}

// pollEvery is the time between two looks at something that is waited for.
const pollEvery = 3 * time.Millisecond

// eventually waits until something holds, at most for a time.
func eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("waited %v in vain: %s", within, what)
		}
		<-again.C
	}
}
