package checkpoint

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"ubik/internal/host"
)

func TestASecondRunIsRefused(t *testing.T) {
	for _, start := range []uint64{0, 1} {
		m := saved(t, start, 0)
		s, _ := open(t, m)
		for n := start; n < start+3; n++ {
			_, _, err := Open(m, path)
			r := mustRefuse(t, err, "second run")
			if want := "checkpoint /jobs/txns.ckpt: another run uses it; stop the other run, or give this one a file of its own"; r.Error() != want {
				t.Fatalf("got %s, want %s", r, want)
			}
			if r.Cause != Locked || !errors.Is(err, host.ErrLocked) {
				t.Fatal(r.Cause)
			}
			check(t, s.Save(numbered(n)))
		}
		check(t, s.Close())
		if _, u := open(t, m); u.Number != start+2 {
			t.Fatal(u.Number)
		}
	}
}

func TestARunThatFailedToSaveStillKeepsOthersOut(t *testing.T) {
	d := host.NewFault(saved(t, 2, 0))
	s, _ := open(t, d)
	d.Set(host.Plan{At: 1, Ops: []host.Op{host.OpSyncDir}, Err: errors.New("EIO")})
	if s.Save(numbered(2)) == nil {
		t.Fatal("saved")
	}
	if _, _, err := Open(d, path); !errors.Is(err, host.ErrLocked) {
		t.Fatal(err)
	}
	check(t, s.Close())
	open(t, d)
}

// TestTwoRunsNeverShareACheckpoint lets another run act in full before each single call of a run that opens, saves and
// saves again. However they meet, at most one goes on, and its unit is the last one saved.
func TestTwoRunsNeverShareACheckpoint(t *testing.T) {
	// What the other run, already open, does in the meantime: save, and close (or not).
	acts := []string{"", "s", "ss", "c", "sc", "ssc"}
	meetings := 0
	for _, start := range []uint64{0, 2} {
		for _, act := range acts {
			for at, met := 1, true; met; at++ {
				when := fmt.Sprintf("from unit %d, %q before call %d", start, act, at)
				m := saved(t, start, 0)
				other, _ := open(t, m)
				last := int64(start) - 1
				d := host.NewFault(m)
				met = false
				d.Set(host.Plan{At: at, Hook: func() {
					met = true
					for _, do := range act {
						if do == 'c' {
							check(t, other.Close())
							continue
						}
						last++
						if err := other.Save(numbered(uint64(last))); err != nil {
							t.Fatalf("%s: the first run fails: %v", when, err)
						}
					}
				}})
				s, u, err := Open(d, path)
				closed := met && strings.HasSuffix(act, "c")
				if err != nil && !errors.Is(err, host.ErrLocked) {
					t.Fatalf("%s: %v", when, err)
				}
				if err == nil {
					if !closed {
						t.Fatalf("%s: two runs own it", when)
					}
					if u == nil && last >= 0 || u != nil && int64(u.Number) != last {
						t.Fatalf("%s: it goes on from another unit than %d", when, last)
					}
					last++
					check(t, s.Save(numbered(uint64(last))))
					check(t, s.Close())
				} else if !closed {
					last++
					if err := other.Save(numbered(uint64(last))); err != nil {
						t.Fatalf("%s: the first run fails after the second came: %v", when, err)
					}
				}
				if got := holds(t, m, path, when); got != last {
					t.Fatalf("%s: unit %d, not %d", when, got, last)
				}
				meetings++
			}
		}
	}
	t.Logf("%d meetings", meetings)
}

// TestAnOpeningRunDoesNotDisturbTheOneThatSaves lets a second run try to open before each call of a first one.
func TestAnOpeningRunDoesNotDisturbTheOneThatSaves(t *testing.T) {
	for _, start := range []uint64{0, 2} {
		for at, met := 1, true; met; at++ {
			when := fmt.Sprintf("from unit %d, before call %d", start, at)
			m := saved(t, start, 0)
			d := host.NewFault(m)
			s, _ := open(t, d)
			met = false
			d.Set(host.Plan{At: at, Hook: func() {
				met = true
				if second, _, err := Open(m, path); !errors.Is(err, host.ErrLocked) {
					t.Fatalf("%s: %v, %v", when, second, err)
				}
			}})
			for n := start; n < start+2; n++ {
				if err := s.Save(numbered(n)); err != nil {
					t.Fatalf("%s: %v", when, err)
				}
			}
			if got := holds(t, m, path, when); got != int64(start+1) {
				t.Fatalf("%s: unit %d", when, got)
			}
		}
	}
}

// TestALateSecondRunIsPushedAside has a run that found the path free long ago hold the lock of the first run's next
// temporary file for a moment.
func TestALateSecondRunIsPushedAside(t *testing.T) {
	m := saved(t, 1, 0)
	d := host.NewFault(m)
	s, _ := open(t, d)
	var late host.File
	d.Set(host.Plan{At: 1, Ops: []host.Op{host.OpLock}, Hook: func() {
		var err error
		late, err = m.OpenRW(temporary(path), mode)
		check(t, err)
		check(t, late.Lock())
	}})
	check(t, s.Save(numbered(1)))
	if late == nil || holds(t, m, path, "after") != 1 {
		t.Fatal("it did not come to pass")
	}
}

func TestAFilePutThereByOthersIsNotReplaced(t *testing.T) {
	put := func(m *host.Mem, name string) {
		f, err := m.OpenRW(name, mode)
		check(t, err)
		_, err = f.Write(encoded(t, numbered(9)))
		check(t, err)
		check(t, f.Close())
	}
	m := folderOnMem(t)
	s, _ := open(t, m)
	put(m, path)
	err := s.Save(numbered(0))
	if want := "checkpoint /jobs/txns.ckpt: unit 0 was not saved and the file is as it was: another file has appeared there; look at the disk and start again"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := holds(t, m, path, "first"); got != 9 {
		t.Error(got)
	}

	m = saved(t, 2, 0)
	s, _ = open(t, m)
	put(m, "/jobs/other")
	check(t, m.Rename("/jobs/other", path))
	err = s.Save(numbered(2))
	if want := "checkpoint /jobs/txns.ckpt: unit 2 was not saved and the file is as it was: /jobs/txns.ckpt was replaced or removed while this run used it; look at the disk and start again"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := holds(t, m, path, "later"); got != 9 {
		t.Error(got)
	}
}

func TestAFailedFirstRunDoesNotTakeTheNextOnesFileAway(t *testing.T) {
	m := folderOnMem(t)
	d := host.NewFault(m)
	failed, _ := open(t, d)
	d.Set(host.Plan{At: 1, Ops: []host.Op{host.OpSync}, Err: errors.New("EIO")})
	if failed.Save(numbered(0)) == nil {
		t.Fatal("saved")
	}
	next, _ := open(t, m)
	check(t, failed.Close())
	check(t, next.Save(numbered(0)))
	if _, _, err := Open(m, path); !errors.Is(err, host.ErrLocked) {
		t.Fatal(err)
	}
}
