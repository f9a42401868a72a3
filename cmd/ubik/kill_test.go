package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ubik/internal/checkpoint"
	"ubik/internal/connector/file"
	"ubik/internal/host"
	"ubik/internal/runner"
)

// killPhases are where a run kills itself when asked to, and how often at most it is to have passed there before; 0: it
// is killed from outside.
var killPhases = map[string]int{"sink write": 8000, "written": 4, "synced": 4, "renamed": 4, "dirsynced": 4, atRandom: 0}

const atRandom = "at a random moment"

// UBIK_TEST_SEED=N repeats the kills of a seed as far as the machine lets it.
func killSeed(t *testing.T) uint64 {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("UBIK_TEST_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	t.Logf("seed %d", seed)
	return seed
}

func TestAKilledRunOverFilesLeavesWhatAnUninterruptedOneLeaves(t *testing.T) {
	t.Parallel()
	f := loadFixture(t)
	k := &killer{t: t, f: f, rng: rand.New(rand.NewPCG(killSeed(t), 0)), kills: map[string]int{}}
	for jobs := 0; !k.enough(); jobs++ {
		if jobs == 20 {
			t.Fatalf("after %d jobs the kills are only %v", jobs, k.kills)
		}
		k.job()
	}
	total := 0
	for _, n := range k.kills {
		total += n
	}
	t.Logf("%d kills %v, %d lives that ended by themselves, %d bytes of output cut back", total, k.kills, k.ended, k.cut)
	if k.cut == 0 {
		t.Error("no kill left output that had to be cut back: they prove little")
	}
}

type killer struct {
	t     *testing.T
	f     *fixture
	rng   *rand.Rand
	kills map[string]int
	ended int
	cut   int64
}

// phase is the one with the fewest kills.
func (k *killer) phase() string {
	return slices.MinFunc(slices.Sorted(maps.Keys(killPhases)), func(a, b string) int { return k.kills[a] - k.kills[b] })
}

func (k *killer) enough() bool { return k.kills[k.phase()] >= 3 }

// job runs one job to its end, killing it on the way, and compares.
func (k *killer) job() {
	dir := k.t.TempDir()
	out, ckpt := filepath.Join(dir, "out.jsonl"), filepath.Join(dir, "txns.ckpt")
	for life := 0; ; life++ {
		if life == 100 {
			k.t.Fatal("the job does not end")
		}
		phase, env, target := k.phase(), "", uint64(0)
		if most := killPhases[phase]; most > 0 {
			env = fmt.Sprintf("%s=%s:%d", killEnv, phase, 1+k.rng.IntN(most))
		} else {
			if u := progress(ckpt); u != nil {
				target = u.Read()
			}
			target += k.rng.Uint64N(fixtureRecords / 4)
		}
		killed := k.life(dir, ckpt, env, target)
		written, err := os.ReadFile(out)
		if err != nil && !os.IsNotExist(err) {
			k.t.Fatal(err)
		}
		if !bytes.HasPrefix(k.f.want, written) {
			k.t.Fatalf("after a kill (%s) the output is not how the uninterrupted run's begins", phase)
		}
		if !killed {
			k.ended++
			break
		}
		k.kills[phase]++
		k.cut += int64(len(written)) - durable(k.t, ckpt)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		k.t.Fatal(err)
	}
	if !bytes.Equal(got, k.f.want) {
		k.t.Fatalf("the output has %d bytes, the uninterrupted run's %d, or they differ", len(got), len(k.f.want))
	}
	unit, u := readCheckpoint(k.t, ckpt)
	for i := range u.Partitions {
		if a, b := u.Partitions[i].Clocks[0].Ledger, k.f.unit.Partitions[i].Clocks[0].Ledger; !reflect.DeepEqual(a, b) {
			k.t.Errorf("the ledger of %s is %+v, the uninterrupted run's %+v", u.Partitions[i].Topic, a, b)
		}
	}
	if h := unit.ContentHash(); h != k.f.hash {
		k.t.Errorf("the content hash is %x, the uninterrupted run's %x", h, k.f.hash)
	}
}

// life runs the program until it is killed, by itself at a phase or from here once the checkpoint has come to target
// records, or until it ends. It reports whether it was killed.
func (k *killer) life(dir, ckpt, env string, target uint64) bool {
	workers := []string{"1", "2", "3", "16"}[k.rng.IntN(4)]
	var said strings.Builder
	cmd := exec.Command(binary, k.f.args("--to", "out.jsonl", "--resume", "txns.ckpt", "--quiet", "--workers", workers)...)
	cmd.Dir, cmd.Stderr, cmd.Env = dir, &said, append(os.Environ(), env)
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for {
		select {
		case <-ended:
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if status.Signaled() && status.Signal() == syscall.SIGKILL {
				return true
			}
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				k.t.Fatalf("exit code %d: %s", code, said.String())
			}
			return false
		case <-poll.C:
			if env != "" {
				continue
			}
			if u := progress(ckpt); u != nil && u.Read() >= target {
				cmd.Process.Kill() // an error means that it has ended
				env = "killed"
			}
		}
	}
}

// durable is the length of the output that the checkpoint knows.
func durable(t *testing.T, path string) int64 {
	u := progress(path)
	if u == nil || u.Sink == nil {
		return 0
	}
	s, err := file.ParseState(u.Sink)
	if err != nil {
		t.Fatal(err)
	}
	return s.Length
}

// progress is the unit that the checkpoint holds now, nil when there is none yet.
func progress(path string) *runner.Unit {
	c, err := checkpoint.Read(host.OS, path)
	if err != nil {
		return nil
	}
	u, err := runner.ReadUnit(c)
	if err != nil {
		return nil
	}
	return u
}
