package checkpoint

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"
)

// Unit is one checkpoint.
type Unit struct {
	JobID    [16]byte  // of the job's first unit
	Number   uint64    // of the unit in its job, from 0
	Sections []Section // in the order of the file
	Format   uint32    // the format it was read from; ignored when it is written
	Bytes    int64     // length of the file it was read from; ignored when it is written
}

// Section is a named part of a unit.
type Section struct {
	Name    string // 1 to 255 printable ASCII characters, no space or quote; unique in the unit
	Data    []byte
	Content bool // part of the content
}

// nameMax is the greatest length of a section's name in bytes.
const nameMax = 255

// Section returns the data of a section and whether the unit has it.
func (u *Unit) Section(name string) ([]byte, bool) {
	for i := range u.Sections {
		if u.Sections[i].Name == name {
			return u.Sections[i].Data, true
		}
	}
	return nil, false
}

// ContentHash is the XXH3-128 (most significant byte first) over the content sections in order: of each the length of
// the name (4 bytes, little-endian), the name, the length of the data (8 bytes), the data. Frozen.
func (u *Unit) ContentHash() [16]byte {
	h := xxh3.New128()
	var b []byte
	for i := range u.Sections {
		s := &u.Sections[i]
		if !s.Content {
			continue
		}
		b = binary.LittleEndian.AppendUint32(b[:0], uint32(len(s.Name)))
		b = append(b, s.Name...)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(s.Data)))
		h.Write(b)
		h.Write(s.Data)
	}
	return h.Sum128().Bytes()
}

// check finds what no file may hold.
func (u *Unit) check() error {
	seen := make(map[string]bool, len(u.Sections))
	for i := range u.Sections {
		name := u.Sections[i].Name
		if !validName(name) {
			return fmt.Errorf("section %d: %q is no section name", i+1, name)
		}
		if seen[name] {
			return fmt.Errorf("section %q occurs twice", name)
		}
		seen[name] = true
	}
	return nil
}

func validName(name string) bool {
	if len(name) == 0 || len(name) > nameMax {
		return false
	}
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c > '~' || c == '"' {
			return false
		}
	}
	return true
}
