package checkpoint

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"ubik/internal/host"
)

// situation is a disk before a Save, and the number of the unit to be saved.
type situation struct {
	name string
	disk func(t testing.TB) *host.Mem
	next uint64
	keep int
}

var situations = []situation{
	{"first", folderOnMem, 0, 0},
	{"first over a leftover", func(t testing.TB) *host.Mem {
		m := folderOnMem(t)
		d := host.NewFault(m)
		s, _ := open(t, d)
		d.Set(host.Plan{At: 1, Ops: []host.Op{host.OpSync}, Crash: true})
		if s.Save(numbered(0)) == nil {
			t.Fatal("saved on a crashed disk")
		}
		return m.Kill()
	}, 0, 0},
	{"later", func(t testing.TB) *host.Mem { return saved(t, 3, 0) }, 3, 0},
	{"keeping one", func(t testing.TB) *host.Mem { return saved(t, 3, 1) }, 3, 1},
	{"keeping three", func(t testing.TB) *host.Mem { return saved(t, 5, 3) }, 5, 3},
}

// TestACrashAtAnyCallLeavesTheOldOrTheNewUnitWhole ends the process before each call of Open and Save, loses power in
// every way then, and goes on from what is left.
func TestACrashAtAnyCallLeavesTheOldOrTheNewUnitWhole(t *testing.T) {
	instants := 0
	for _, c := range situations {
		before := c.disk(t)
		old := int64(c.next) - 1
		for at, done := 1, false; !done; at++ {
			m := before.Kill()
			d := host.NewFault(m)
			d.Set(host.Plan{At: at, Crash: true})
			s, _, err := Open(d, path)
			if err == nil {
				s.Keep = c.keep
				err = s.Save(numbered(c.next))
			}
			done = err == nil
			if !done && !errors.Is(err, host.ErrCrashed) {
				t.Fatalf("%s, call %d: %v", c.name, at, err)
			}
			killed := m.Kill()
			when := fmt.Sprintf("%s, call %d", c.name, at)
			after := holds(t, killed, path, when+", killed")
			if after != old && after != int64(c.next) || done && after != int64(c.next) {
				t.Fatalf("%s, killed: unit %d", when, after)
			}
			goOn(t, killed.Kill(), c, when+", killed")
			for _, loss := range losses() {
				instants++
				when := fmt.Sprintf("%s, %v", when, loss)
				lost := m.Crash(loss)
				got := holds(t, lost, path, when)
				if got != old && got != int64(c.next) || done && got != int64(c.next) {
					t.Fatalf("%s: unit %d", when, got)
				}
				for i := 1; i <= c.keep; i++ {
					if kept := holds(t, lost, fmt.Sprint(path, ".", i), when); kept > old {
						t.Fatalf("%s: kept %d is unit %d", when, i, kept)
					}
				}
				goOn(t, lost, c, when)

				// What a run went on from, no later power loss takes back.
				next := killed.Kill()
				if _, _, err := Open(next, path); err != nil {
					t.Fatalf("%s, killed: %v", when, err)
				}
				if got := holds(t, next.Crash(loss), path, when); got != after {
					t.Fatalf("%s: a run went on from unit %d, and then there was unit %d", when, after, got)
				}
			}
		}
	}
	t.Logf("%d instants", instants)
}

// goOn starts a run on what is left, which saves two units.
func goOn(t *testing.T, m *host.Mem, c situation, when string) {
	t.Helper()
	s, _, err := Open(m, path)
	if err != nil {
		t.Fatalf("%s: next run: %v", when, err)
	}
	s.Keep = c.keep
	for n := c.next + 1; n <= c.next+2; n++ {
		if err := s.Save(numbered(n)); err != nil {
			t.Fatalf("%s: next run: %v", when, err)
		}
	}
	if got := holds(t, m.Crash(host.Drop), path, when); got != int64(c.next+2) {
		t.Fatalf("%s: next run: unit %d", when, got)
	}
}

// TestAnErrorAtAnyCallEndsTheStoreAndKeepsTheOldUnit fails each call of Save, before or after its effect.
func TestAnErrorAtAnyCallEndsTheStoreAndKeepsTheOldUnit(t *testing.T) {
	for _, c := range situations {
		before := c.disk(t)
		for _, plan := range []host.Plan{
			{Err: syscall.EIO}, {Err: syscall.ENOSPC}, {Err: syscall.EIO, After: true},
		} {
			for plan.At = 1; ; plan.At++ {
				m := before.Kill()
				d := host.NewFault(m)
				s, _ := open(t, d)
				s.Keep = c.keep
				d.Set(plan)
				err := s.Save(numbered(c.next))
				if err == nil {
					if n := len(d.Calls()); n != plan.At-1 {
						t.Fatalf("%s, %+v: the error of one of %d calls is lost", c.name, plan, n)
					}
					break
				}
				when := fmt.Sprintf("%s, %+v", c.name, plan)
				var failed *SaveError
				if !errors.As(err, &failed) || !errors.Is(err, plan.Err) || failed.Number != c.next {
					t.Fatalf("%s: %v", when, err)
				}
				calls := len(d.Calls())
				if again := s.Save(numbered(c.next + 1)); again != err || len(d.Calls()) != calls {
					t.Fatalf("%s: tried again: %v", when, again)
				}
				got := holds(t, m, path, when)
				switch {
				case failed.Renamed && got == int64(c.next):
				case !failed.Renamed && got == int64(c.next)-1:
				case plan.After && got == int64(c.next): // the rename itself, which claims to have failed
				default:
					t.Fatalf("%s: unit %d, %v", when, got, err)
				}
				d.Set(host.Plan{})
				check(t, s.Close())
				goOn(t, m, c, when)
			}
		}
	}
}

// TestAFullDiskKeepsTheOldUnitUntilSpaceIsFreed gives Save room for every number of bytes that is too small.
func TestAFullDiskKeepsTheOldUnitUntilSpaceIsFreed(t *testing.T) {
	for _, c := range situations {
		before := c.disk(t)
		need := int64(len(encoded(t, numbered(c.next))))
		for room := int64(0); ; room = min(need, room+1+room/7) {
			m := before.Kill()
			q := host.NewQuota(m, room)
			if leftover, err := m.Stat(temporary(path)); err == nil {
				q.Free(-leftover.Size) // Open gives it back
			}
			s, _ := open(t, q)
			s.Keep = c.keep
			err := s.Save(numbered(c.next))
			if room == need {
				check(t, err)
				break
			}
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("%s, %d of %d bytes: %v", c.name, room, need, err)
			}
			when := fmt.Sprintf("%s, %d of %d bytes", c.name, room, need)
			if got := holds(t, m, path, when); got != int64(c.next)-1 {
				t.Fatalf("%s: unit %d", when, got)
			}
			if _, err := m.Stat(temporary(path)); err == nil {
				t.Fatalf("%s: the half-written file fills the disk", when)
			}
			check(t, s.Close())
			goOn(t, m, c, when)
		}
	}
}

func TestSaveErrorsSayWhatIsOnDisk(t *testing.T) {
	for _, c := range []struct {
		plan host.Plan
		want string
	}{
		{host.Plan{At: 1, Ops: []host.Op{host.OpWrite}, Err: syscall.ENOSPC},
			"checkpoint /jobs/txns.ckpt: unit 2 was not saved and the file is as it was: write /jobs/txns.ckpt.tmp: no space left on device; free some space and start again"},
		{host.Plan{At: 1, Ops: []host.Op{host.OpSync}, Err: syscall.EIO},
			"checkpoint /jobs/txns.ckpt: unit 2 was not saved and the file is as it was: sync /jobs/txns.ckpt.tmp: input/output error; look at the disk and start again"},
		{host.Plan{At: 1, Ops: []host.Op{host.OpSyncDir}, Err: syscall.EIO},
			"checkpoint /jobs/txns.ckpt: unit 2 was saved but may not outlast a power loss: syncdir /jobs: input/output error; look at the disk and start again"},
	} {
		d := host.NewFault(saved(t, 2, 0))
		s, _ := open(t, d)
		d.Set(c.plan)
		if err := s.Save(numbered(2)); err == nil || err.Error() != c.want {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestACopyIsDurableBeforeARunGoesOnFromIt copies a checkpoint as a user does, without syncing anything.
func TestACopyIsDurableBeforeARunGoesOnFromIt(t *testing.T) {
	m := folderOnMem(t)
	f, err := m.OpenRW(path, mode)
	check(t, err)
	_, err = f.Write(encoded(t, numbered(4)))
	check(t, err)
	check(t, f.Close())
	open(t, m)
	if got := holds(t, m.Crash(host.Drop), path, "power lost"); got != 4 {
		t.Fatal(got)
	}
}
