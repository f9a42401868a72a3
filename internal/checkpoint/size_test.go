package checkpoint

import (
	"testing"

	"ubik/internal/host"
)

func TestTheSizeIsThatOfTheFile(t *testing.T) {
	disk := host.NewMem()
	s, _, err := Open(disk, "/job.ckpt")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.Size() != 0 {
		t.Errorf("before anything is saved the size is %d", s.Size())
	}
	for _, n := range []int{1, 100_000} {
		if err := s.Save(&Unit{Sections: []Section{{Name: "zeros", Data: make([]byte, n)}}}); err != nil {
			t.Fatal(err)
		}
		info, err := disk.Stat("/job.ckpt")
		if err != nil || s.Size() != info.Size {
			t.Errorf("of %d bytes the size is %d, the file's %d, %v", n, s.Size(), info.Size, err)
		}
	}
}

// opening is a disk on which something happens before a file is opened.
type opening struct {
	host.Disk
	before func()
}

func (d opening) Open(name string) (host.File, error) {
	d.before()
	return d.Disk.Open(name)
}

func TestTheSizeIsThatOfTheUnitWhenAnotherIsSavedMeanwhile(t *testing.T) {
	m := folderOnMem(t)
	first, _ := open(t, m)
	check(t, first.Save(&Unit{}))
	saved := false
	disk := opening{m, func() {
		if !saved {
			saved = true
			check(t, first.Save(numbered(1)))
			check(t, first.Close())
		}
	}}
	second, u, err := Open(disk, path)
	check(t, err)
	defer second.Close()
	info, err := m.Stat(path)
	check(t, err)
	if !saved || !sameUnit(u, numbered(1)) || second.Size() != info.Size || u.Bytes != info.Size {
		t.Errorf("the size is %d and %d, the file's %d", second.Size(), u.Bytes, info.Size)
	}
}
