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
