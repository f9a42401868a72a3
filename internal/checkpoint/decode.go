package checkpoint

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// format reads one format there has been.
type format struct {
	// header checks the header, whose checksum is right, against the length of the file.
	header func(head []byte, size uint64) error
	// decode reads a whole file whose header has passed.
	decode func(b []byte) (*Unit, error)
}

// formats has every format there has been; the newest is formatNewest.
var formats = map[uint32]format{
	1: {headerV1, decodeV1},
}

// Decode reads a unit from the bytes of a file. Any bytes give a unit or a *Refused. The unit's sections may share
// memory with b, which must not change while they are used. It is for tests; a Store reads its file.
func Decode(b []byte) (*Unit, error) {
	f, err := inspect(b, uint64(len(b)))
	if err != nil {
		return nil, err
	}
	return f.decode(b)
}

// inspect checks the header of a file of size bytes, of which head holds at least the first headerLengthMax.
func inspect(head []byte, size uint64) (format, error) {
	if size == 0 {
		return format{}, refuse(Truncated, "the file is empty")
	}
	if !bytes.HasPrefix(head, []byte(magic)) {
		if strings.HasPrefix(magic, string(head)) {
			return format{}, refuse(Truncated, "truncated at byte %d, inside the header", size)
		}
		return format{}, refuse(Foreign, "not a Ubik checkpoint")
	}
	if size < headerFrozen {
		return format{}, refuse(Truncated, "truncated at byte %d, inside the header", size)
	}
	version := binary.LittleEndian.Uint32(head[8:])
	length := binary.LittleEndian.Uint32(head[12:])
	if length < headerFrozen+checksumLength || length > headerLengthMax {
		return format{}, refuse(Damaged, "header: its length of %d bytes cannot be", length)
	}
	if size < uint64(length) {
		return format{}, refuse(Truncated, "truncated at byte %d, inside the header", size)
	}
	end := length - checksumLength
	if checksum(head[:end]) != binary.LittleEndian.Uint32(head[end:]) {
		return format{}, refuse(Damaged, "header: checksum does not match")
	}
	if version > formatNewest {
		return format{}, refuse(Newer, "written by a newer Ubik (format %d, this one reads up to %d)", version, formatNewest)
	}
	f, ok := formats[version]
	if !ok {
		return format{}, refuse(Damaged, "header: there is no format %d", version)
	}
	return f, f.header(head, size)
}
