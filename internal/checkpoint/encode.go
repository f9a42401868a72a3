package checkpoint

import (
	"encoding/binary"
	"hash/crc32"

	"github.com/klauspost/compress/s2"
	"github.com/zeebo/xxh3"
)

// Encode returns the bytes of a unit in pieces, to be written one after the other. Large incompressible sections are
// not copied: pieces may share their memory, so the unit must not change until they are written. It fails only for
// section names that are not allowed or occur twice. It is for tests; a Store keeps its memory from unit to unit.
func Encode(u *Unit) ([][]byte, error) {
	return new(encoder).encode(u)
}

const (
	// Chunks double from the first, which is enough for a small unit, to the greatest length.
	chunkFirst = 16 << 10
	chunkMax   = 1 << 20
	// aliasMin is the length from which raw bytes become a piece of their own instead of being copied.
	aliasMin = 32 << 10
	// compressMin is the length below which compressing is not tried.
	compressMin = 64
)

// encoder makes the pieces in memory it keeps from unit to unit.
type encoder struct {
	pieces [][]byte
	piece  []byte   // the piece being filled, at the end of a chunk's used part
	chunks [][]byte // all memory owned, each from its start
	used   int      // chunks[:used] hold pieces of this unit
}

func (e *encoder) encode(u *Unit) ([][]byte, error) {
	if err := u.check(); err != nil {
		return nil, err
	}
	e.release()
	header := e.extend(headerLength)
	var raw uint64
	for i := range u.Sections {
		e.section(&u.Sections[i])
		raw += uint64(len(u.Sections[i].Data))
	}
	trailer := e.extend(trailerLength)
	e.flush()

	var total uint64
	for _, p := range e.pieces {
		total += uint64(len(p))
	}
	content := u.ContentHash()
	le := binary.LittleEndian
	copy(header, magic)
	le.PutUint32(header[8:], formatNewest)
	le.PutUint32(header[12:], headerLength)
	le.PutUint64(header[16:], u.Number)
	copy(header[24:40], u.JobID[:])
	le.PutUint64(header[40:], total)
	le.PutUint64(header[48:], raw)
	copy(header[56:72], content[:])
	le.PutUint32(header[72:], uint32(len(u.Sections)))
	le.PutUint32(header[76:], checksum(header[:76]))

	var whole xxh3.Hasher
	for i, p := range e.pieces {
		if i == len(e.pieces)-1 {
			p = p[:len(p)-trailerLength]
		}
		whole.Write(p)
	}
	binary.BigEndian.PutUint64(trailer, whole.Sum64())
	return e.pieces, nil
}

// release forgets the pieces, so that what they shared with a unit can be freed, and keeps the chunks.
func (e *encoder) release() {
	clear(e.pieces)
	e.pieces, e.piece, e.used = e.pieces[:0], nil, 0
}

func (e *encoder) section(s *Section) {
	header := e.extend(sectionFixed + len(s.Name) + checksumLength)
	flags := uint16(0)
	if s.Content {
		flags |= flagContent
	}
	stored, sum, ok := e.blocks(s.Data)
	if ok {
		flags |= flagBlocks
	} else {
		stored, sum = uint64(len(s.Data)), checksum(s.Data)
		e.add(s.Data)
	}
	le := binary.LittleEndian
	le.PutUint16(header[0:], uint16(len(s.Name)))
	le.PutUint16(header[2:], flags)
	le.PutUint32(header[4:], sum)
	le.PutUint64(header[8:], uint64(len(s.Data)))
	le.PutUint64(header[16:], stored)
	end := sectionFixed + copy(header[sectionFixed:], s.Name)
	le.PutUint32(header[end:], checksum(header[:end]))
}

// blocks adds data as blocks and returns their stored length and checksum, or adds nothing when the first block shows
// that compressing is not worth it.
func (e *encoder) blocks(data []byte) (stored uint64, sum uint32, ok bool) {
	if len(data) < compressMin {
		return 0, 0, false
	}
	for first := true; len(data) > 0; first = false {
		raw := data[:min(blockRaw, len(data))]
		data = data[len(raw):]
		e.reserve(blockFixed + s2.MaxEncodedLen(len(raw)))
		start := len(e.piece)
		head := e.extend(blockFixed)
		packed := s2.Encode(e.piece[len(e.piece):cap(e.piece)], raw)
		switch worthIt := len(packed) < len(raw)-len(raw)/16; {
		case worthIt:
			e.piece = e.piece[:len(e.piece)+len(packed)]
			binary.LittleEndian.PutUint32(head, uint32(len(packed)))
			sum = crc32.Update(sum, castagnoli, e.piece[start:])
			stored += uint64(blockFixed + len(packed))
		case first:
			e.piece = e.piece[:start]
			return 0, 0, false
		default:
			binary.LittleEndian.PutUint32(head, uint32(len(raw))|blockIsRaw)
			sum = crc32.Update(sum, castagnoli, head)
			sum = crc32.Update(sum, castagnoli, raw)
			e.add(raw)
			stored += uint64(blockFixed + len(raw))
		}
	}
	return stored, sum, true
}

// reserve makes room for n bytes in the piece being filled, which may begin a new one.
func (e *encoder) reserve(n int) {
	if cap(e.piece)-len(e.piece) >= n {
		return
	}
	e.flush()
	for e.used < len(e.chunks) {
		e.used++
		if c := e.chunks[e.used-1]; cap(c) >= n {
			e.piece = c
			return
		}
	}
	size := min(chunkFirst<<min(len(e.chunks), 16), chunkMax)
	e.piece = make([]byte, 0, max(size, n))
	e.chunks = append(e.chunks, e.piece)
	e.used++
}

// extend adds n bytes, to be filled by the caller before the pieces are used.
func (e *encoder) extend(n int) []byte {
	e.reserve(n)
	e.piece = e.piece[:len(e.piece)+n]
	return e.piece[len(e.piece)-n:]
}

// add adds bytes, by copy when there are few.
func (e *encoder) add(b []byte) {
	if len(b) < aliasMin {
		copy(e.extend(len(b)), b)
		return
	}
	e.flush()
	e.pieces = append(e.pieces, b)
}

// flush ends the piece being filled; the next one goes on in the rest of its chunk.
func (e *encoder) flush() {
	if len(e.piece) > 0 {
		e.pieces = append(e.pieces, e.piece)
		e.piece = e.piece[len(e.piece):]
	}
}
