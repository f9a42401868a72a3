package checkpoint

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/s2"
	"github.com/zeebo/xxh3"
)

// stored is a section as it lies in the file.
type stored struct {
	name   string
	flags  uint16
	raw    uint64 // length
	stored []byte
}

func headerV1(head []byte, size uint64) error {
	if n := binary.LittleEndian.Uint32(head[12:]); n != headerLength {
		return refuse(Damaged, "header: its length is %d bytes, not %d", n, headerLength)
	}
	total := binary.LittleEndian.Uint64(head[40:])
	switch {
	case total < headerLength+trailerLength:
		return refuse(Damaged, "header: a length of %d bytes cannot be", total)
	case size < total:
		return refuse(Truncated, "truncated at byte %d of %d", size, total)
	case size > total:
		return refuse(Trailing, "%d bytes after its end at byte %d", size-total, total)
	}
	return nil
}

// decodeV1 reads format 1. All checksums are compared before a byte is unpacked; what contradicts itself behind right
// checksums was not written by us, and is refused as well.
func decodeV1(b []byte) (*Unit, error) {
	le := binary.LittleEndian
	total, raw, count := uint64(len(b)), le.Uint64(b[48:]), uint64(le.Uint32(b[72:]))
	body := b[headerLength : total-trailerLength]
	if count > uint64(len(body))/sectionLengthMin {
		return nil, refuse(Damaged, "header: %d sections do not fit in the file", count)
	}
	sections := make([]stored, count)
	rest := body
	for i := range sections {
		var err error
		if rest, err = sections[i].read(rest, i+1); err != nil {
			return nil, err
		}
	}
	if len(rest) > 0 {
		return nil, refuse(Damaged, "%d bytes after the last section", len(rest))
	}
	if xxh3.Hash(b[:total-trailerLength]) != binary.BigEndian.Uint64(b[total-trailerLength:]) {
		return nil, refuse(Damaged, "checksum of the whole file does not match")
	}

	u := &Unit{Number: le.Uint64(b[16:]), Format: 1, Sections: make([]Section, count)}
	copy(u.JobID[:], b[24:40])
	var unpacked uint64
	for i := range sections {
		s := &sections[i]
		data, err := s.unpack()
		if err != nil {
			return nil, err
		}
		unpacked += s.raw
		u.Sections[i] = Section{Name: s.name, Data: data, Content: s.flags&flagContent != 0}
	}
	if unpacked != raw {
		return nil, refuse(Damaged, "the sections hold %d bytes, the header says %d", unpacked, raw)
	}
	if err := u.check(); err != nil {
		return nil, refuse(Damaged, "%v", err)
	}
	if u.ContentHash() != [16]byte(b[56:72]) {
		return nil, refuse(Damaged, "content hash does not match")
	}
	return u, nil
}

// read takes the number-th section off the front of b.
func (s *stored) read(b []byte, number int) (rest []byte, err error) {
	le := binary.LittleEndian
	if len(b) < sectionLengthMin {
		return nil, refuse(Damaged, "section %d: %d bytes are too few", number, len(b))
	}
	nameEnd := sectionFixed + int(le.Uint16(b))
	if len(b) < nameEnd+checksumLength || checksum(b[:nameEnd]) != le.Uint32(b[nameEnd:]) {
		return nil, refuse(Damaged, "section %d: checksum of its header does not match", number)
	}
	s.name = string(b[sectionFixed:nameEnd])
	s.flags = le.Uint16(b[2:])
	s.raw = le.Uint64(b[8:])
	length := le.Uint64(b[16:])
	sum := le.Uint32(b[4:])
	b = b[nameEnd+checksumLength:]
	if s.flags&^flagsKnown != 0 {
		return nil, refuse(Damaged, "section %q: unknown flags %#x", s.name, s.flags)
	}
	if length > uint64(len(b)) {
		return nil, refuse(Damaged, "section %q: its %d bytes do not fit in the file", s.name, length)
	}
	s.stored = b[:length:length]
	if checksum(s.stored) != sum {
		return nil, refuse(Damaged, "section %q: checksum does not match", s.name)
	}
	return b[length:], nil
}

// unpack returns the raw bytes: the stored ones, or new memory of a length that the stored bytes vouch for.
func (s *stored) unpack() ([]byte, error) {
	if s.flags&flagBlocks == 0 {
		if s.raw != uint64(len(s.stored)) {
			return nil, refuse(Damaged, "section %q: it holds %d bytes and says %d", s.name, len(s.stored), s.raw)
		}
		return s.stored, nil
	}
	if s.raw > uint64(len(s.stored))*expansionMax || s.raw > math.MaxInt {
		return nil, refuse(Damaged, "section %q: %d bytes cannot hold %d", s.name, len(s.stored), s.raw)
	}
	data := make([]byte, s.raw)
	in, out := s.stored, data
	for len(out) > 0 {
		dst := out[:min(blockRaw, len(out))]
		out = out[len(dst):]
		if len(in) < blockFixed {
			return nil, refuse(Damaged, "section %q: a block is missing", s.name)
		}
		head := binary.LittleEndian.Uint32(in)
		in = in[blockFixed:]
		length := uint64(head &^ blockIsRaw)
		if length > uint64(len(in)) {
			return nil, refuse(Damaged, "section %q: a block is too long", s.name)
		}
		block := in[:length]
		in = in[length:]
		if head&blockIsRaw != 0 {
			if copy(dst, block) != len(dst) || len(block) != len(dst) {
				return nil, refuse(Damaged, "section %q: a block has the wrong length", s.name)
			}
			continue
		}
		if n, err := s2.DecodedLen(block); err != nil || n != len(dst) {
			return nil, refuse(Damaged, "section %q: a block has the wrong length", s.name)
		}
		if _, err := s2.Decode(dst, block); err != nil {
			return nil, refuse(Damaged, "section %q: a block cannot be unpacked", s.name)
		}
	}
	if len(in) > 0 {
		return nil, refuse(Damaged, "section %q: %d bytes after the last block", s.name, len(in))
	}
	return data, nil
}
