package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// units are the rows of each unit of a run; its output is all of them, in order.
var units = [][]string{
	{`{"n":1}`, `{"n":2}`, `{"n":3,"pad":"` + strings.Repeat("x", 90) + `"}`},
	{},
	{`{"n":4}`},
	{`{"n":5,"pad":"` + strings.Repeat("y", 5000) + `"}`, `{"n":6}`, `{"n":7}`, `{"n":8}`},
	{`{"n":9}`, `{"n":10}`},
}

func output(n int) string {
	var b strings.Builder
	for _, u := range units[:n] {
		for _, row := range u {
			b.WriteString(row + "\n")
		}
	}
	return b.String()
}

func rowsOf(values []string) *connector.Rows {
	r := &connector.Rows{First: 1}
	for _, v := range values {
		r.Values = append(r.Values, v...)
		r.ValueEnds = append(r.ValueEnds, uint32(len(r.Values)))
		r.KeyEnds = append(r.KeyEnds, 0)
		r.Times = append(r.Times, 0)
	}
	return r
}

// checkpoint is what a run knows durably, and the head that each of its sinks is given.
type checkpoint struct {
	head  string
	there bool // unit 0
	unit  int
	state []byte
}

// flushed is what the file holds as far as the checkpoint knows.
func (cp *checkpoint) flushed() string {
	if cp.state == nil {
		return ""
	}
	return cp.head + output(cp.unit)
}

const crashPath = "/out/counts.jsonl"

// run is a run of the program: from the checkpoint to the end, or to the first error.
func run(disk host.Disk, cp *checkpoint) error {
	ctx := context.Background()
	opened, err := Kind.NewSink(crashPath, &connector.Options{Disk: disk, Checkpoint: "/out/job.ckpt", Head: []byte(cp.head)})
	if err != nil {
		return err
	}
	s := opened.(*sink)
	s.most = 64
	if err := s.Open(ctx, connector.Resume{Resumed: cp.there, State: cp.state}); err != nil {
		return err
	}
	defer s.Close()
	cp.there = true
	for cp.unit < len(units) {
		if err := s.Write(ctx, rowsOf(units[cp.unit])); err != nil {
			return err
		}
		state, err := s.Flush(ctx)
		if err != nil {
			return err
		}
		cp.state = state
		cp.unit++
	}
	return nil
}

func contentOf(t *testing.T, disk host.Disk, path string) string {
	t.Helper()
	f, err := disk.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	n, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if n > 0 {
		if _, err := f.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
	}
	return string(b)
}

func newDisk(t *testing.T) *host.Mem {
	t.Helper()
	m := host.NewMem()
	if err := m.Mkdir("/out"); err != nil {
		t.Fatal(err)
	}
	return m
}

type aftermath struct {
	name string
	disk *host.Mem
}

// aftermaths are the disks that the next process may find.
func aftermaths(m *host.Mem, seed uint64) []aftermath {
	out := []aftermath{{"kill", m.Kill()}, {"drop", m.Crash(host.Drop)}, {"keep", m.Crash(host.Keep)}}
	for i := range uint64(6) {
		loss := host.Torn(seed*6 + i)
		out = append(out, aftermath{loss.String(), m.Crash(loss)})
	}
	return out
}

// crashAt runs until the k-th call crashes and says whether there was one.
func crashAt(m *host.Mem, cp *checkpoint, k int, after bool) bool {
	d := host.NewFault(m)
	d.Set(host.Plan{At: k, After: after, Crash: true})
	return errors.Is(run(d, cp), host.ErrCrashed) || len(d.Calls()) >= k
}

// reopen checks that Open leaves exactly the flushed rows, on a copy.
func reopen(t *testing.T, where string, m *host.Mem, cp checkpoint) {
	t.Helper()
	disk := m.Kill()
	s, err := Kind.NewSink(crashPath, &connector.Options{Disk: disk, Head: []byte(cp.head)})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(context.Background(), connector.Resume{Resumed: cp.there, State: cp.state}); err != nil {
		t.Fatalf("%s: reopening: %v", where, err)
	}
	if got, want := contentOf(t, disk, crashPath), cp.flushed(); got != want {
		t.Fatalf("%s: reopened with %d bytes, flushed were %d", where, len(got), len(want))
	}
	if got, want := contentOf(t, disk.Crash(host.Drop), crashPath), cp.flushed(); got != want {
		t.Fatalf("%s: the cut is not durable: %d bytes, not %d", where, len(got), len(want))
	}
	s.Close()
}

func TestACrashAtAnyCallLeavesExactlyWhatWasFlushed(t *testing.T) {
	crashes, twice := crashEverywhere(t, checkpoint{}, 9, 4)
	t.Logf("%d crashes, %d second crashes", crashes, twice)
	if crashes < 300 || twice < 5000 {
		t.Fatalf("only %d crashes and %d second ones", crashes, twice)
	}
}

// Wherever runs are killed, the file begins with its head, once.
func TestACrashAtAnyCallLeavesTheHeadOnce(t *testing.T) {
	for _, head := range []string{"n,pad\n", strings.Repeat("a long name,", 20) + "\n"} { // less than what is written at once, and more
		crashes, twice := crashEverywhere(t, checkpoint{head: head}, 3, 1)
		t.Logf("%d crashes, %d second crashes", crashes, twice)
		if crashes < 100 || twice < 1000 {
			t.Fatalf("only %d crashes and %d second ones", crashes, twice)
		}
	}
}

// crashEverywhere crashes runs from a checkpoint at each of their calls, and the runs after them too. It goes through the
// first of the aftermaths, and through second of those of the second crash.
func crashEverywhere(t *testing.T, begin checkpoint, first, second int) (crashes, twice int) {
	t.Helper()
	whole := begin.head + output(len(units))
	for _, after := range []bool{false, true} {
		for k := 1; ; k++ {
			m, cp := newDisk(t), begin
			if !crashAt(m, &cp, k, after) {
				break
			}
			for _, a := range aftermaths(m, uint64(k))[:first] {
				where := fmt.Sprintf("call %d after %v, %s", k, after, a.name)
				crashes++
				reopen(t, where, a.disk, cp)

				// The next run crashes too, at each of its calls.
				for k2 := 1; ; k2++ {
					m2, cp2 := a.disk.Kill(), cp
					if !crashAt(m2, &cp2, k2, after) {
						break
					}
					for _, a2 := range aftermaths(m2, uint64(k*1000+k2))[:second] {
						twice++
						where := fmt.Sprintf("%s; call %d, %s", where, k2, a2.name)
						reopen(t, where, a2.disk, cp2)
						cp3 := cp2
						if err := run(a2.disk, &cp3); err != nil {
							t.Fatalf("%s: resumed: %v", where, err)
						}
						if got := contentOf(t, a2.disk.Crash(host.Drop), crashPath); got != whole {
							t.Fatalf("%s: the durable output has %d bytes, not %d", where, len(got), len(whole))
						}
					}
				}
			}
		}
	}
	return crashes, twice
}

func TestAnErrorMakesTheSinkUnusable(t *testing.T) {
	for k := 1; ; k++ {
		m, cp := newDisk(t), checkpoint{}
		d := host.NewFault(m)
		d.Set(host.Plan{At: k, Ops: []host.Op{host.OpWrite, host.OpSync, host.OpSyncDir, host.OpResolve}, Err: syscall.EIO})
		if err := run(d, &cp); err == nil {
			if k < 8 {
				t.Fatalf("only %d calls", k)
			}
			return
		} else if fault.ClassOf(err) != fault.Sink || err.Error() != "cannot write /out/counts.jsonl: input/output error" {
			t.Fatalf("call %d: %v", k, err)
		}
		if err := run(m.Kill(), &cp); err != nil {
			t.Fatalf("call %d: resumed: %v", k, err)
		}
	}
}

func TestAfterAFailedSyncNothingIsSyncedAgain(t *testing.T) {
	d := host.NewFault(newDisk(t))
	d.Set(host.Plan{At: 1, Ops: []host.Op{host.OpSync}, Err: syscall.EIO})
	s, _ := Kind.NewSink(crashPath, &connector.Options{Disk: d})
	ctx := context.Background()
	if err := s.Open(ctx, connector.Resume{}); err != nil {
		t.Fatal(err)
	}
	s.Write(ctx, rowsOf(units[0]))
	for range 3 {
		if _, err := s.Flush(ctx); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		if err := s.Write(ctx, rowsOf(units[0])); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
	}
	syncs := 0
	for _, c := range d.Calls() {
		if c.Op == host.OpSync {
			syncs++
		}
	}
	if syncs != 1 {
		t.Fatalf("%d syncs", syncs)
	}
}

func TestAFullDiskStopsTheRunAndTheNextGoesOn(t *testing.T) {
	for room := int64(0); room < int64(len(output(len(units)))); room += 37 {
		m, cp := newDisk(t), checkpoint{}
		q := host.NewQuota(m, room)
		err := run(q, &cp)
		var f *fault.Error
		if !errors.As(err, &f) || f.Class != fault.Sink || !errors.Is(err, syscall.ENOSPC) ||
			f.Msg != "disk full while writing /out/counts.jsonl: no space left on device" ||
			f.Try != "free space and start the same command again" {
			t.Fatalf("room %d: %v", room, err)
		}
		q.Free(1 << 20)
		if err := run(q, &cp); err != nil {
			t.Fatalf("room %d: %v", room, err)
		}
		if got := contentOf(t, m.Crash(host.Drop), crashPath); got != output(len(units)) {
			t.Fatalf("room %d: %d bytes", room, len(got))
		}
	}
}

func TestTheStateIsAFunctionOfTheRows(t *testing.T) {
	var want []byte
	for _, most := range []int{1, 50, 6000, 1 << 20} {
		s, _ := Kind.NewSink(crashPath, &connector.Options{Disk: newDisk(t)})
		s.(*sink).most = most
		ctx := context.Background()
		if err := s.Open(ctx, connector.Resume{}); err != nil {
			t.Fatal(err)
		}
		for _, u := range units {
			if err := s.Write(ctx, rowsOf(u)); err != nil {
				t.Fatal(err)
			}
		}
		got, err := s.Flush(ctx)
		if err != nil || want != nil && !bytes.Equal(got, want) {
			t.Fatalf("most %d: %v %x, want %x", most, err, got, want)
		}
		again, _ := s.Flush(ctx)
		if !bytes.Equal(got, again) {
			t.Fatal("a flush without rows changed the state")
		}
		want = got
	}
}
