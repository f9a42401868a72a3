package kafka

import (
	"encoding/binary"
	"hash/crc32"
)

// A record batch as it lies in the log (format 2, big endian):
//
//	 0  int64  first offset          23  int32  last offset, from the first
//	 8  int32  length behind here    27  int64  first timestamp, ms
//	12  int32  leader epoch          35  int64  largest timestamp, ms
//	16  int8   format: 2             43  int64  producer id
//	17  uint32 crc32c of 21…         51  int16  producer epoch
//	21  int16  attributes            53  int32  first sequence
//	                                 57  int32  number of records
//	61  records, compressed together as attributes say
//
// Compaction takes records out but keeps the first and the last offset; a batch may be left without records.
const (
	batchHeader = 61
	lengthEnd   = 12

	attrCodec     = 0x07
	attrLogTime   = 0x08 // the largest timestamp is every record's: the broker's clock
	attrTxn       = 0x10
	attrControl   = 0x20
	markerAbort   = 0
	markerKeySize = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// batch is one whole record batch, header included.
type batch []byte

func (b batch) first() int64    { return int64(binary.BigEndian.Uint64(b)) }
func (b batch) last() int64     { return b.first() + int64(int32(binary.BigEndian.Uint32(b[23:]))) }
func (b batch) epoch() int32    { return int32(binary.BigEndian.Uint32(b[12:])) }
func (b batch) attrs() uint16   { return binary.BigEndian.Uint16(b[21:]) }
func (b batch) firstMs() int64  { return int64(binary.BigEndian.Uint64(b[27:])) }
func (b batch) maxMs() int64    { return int64(binary.BigEndian.Uint64(b[35:])) }
func (b batch) producer() int64 { return int64(binary.BigEndian.Uint64(b[43:])) }
func (b batch) records() int32  { return int32(binary.BigEndian.Uint32(b[57:])) }
func (b batch) body() []byte    { return b[batchHeader:] }

func (b batch) intact() bool {
	return crc32.Checksum(b[21:], castagnoli) == binary.BigEndian.Uint32(b[17:])
}

// walk is what the headers of the batches of one answer say.
type walk struct {
	whole int    // bytes up to the end of the last whole batch
	next  int64  // the position behind it, or where the walk began
	epoch int32  // leader epoch of it, or -1
	wrong string // what makes the bytes after whole unreadable, if anything
}

// walkBatches reads the headers in b, the answer to a fetch at position from. A broker cuts an answer by bytes, so the
// last batch may be incomplete; it is left out.
func walkBatches(b []byte, from int64) walk {
	w := walk{next: from, epoch: -1}
	for len(b)-w.whole > 16 {
		rest := b[w.whole:]
		length := int64(int32(binary.BigEndian.Uint32(rest[8:])))
		if length < batchHeader-lengthEnd {
			if rest[16] >= 2 || length < 0 {
				w.wrong = "its length is impossible"
				return w
			}
		}
		if rest[16] != 2 {
			w.wrong = "it is in a format that only brokers before 0.11 wrote"
			return w
		}
		if int64(len(rest)) < length+lengthEnd {
			return w
		}
		one := batch(rest[:length+lengthEnd])
		if one.last() < one.first() || one.first() < 0 {
			w.wrong = "its offsets are impossible"
			return w
		}
		w.whole += len(one)
		if one.last() >= w.next {
			w.next = one.last() + 1
			w.epoch = one.epoch()
		}
	}
	return w
}

// nextBatch splits the first batch off b, whose batches walkBatches found whole.
func nextBatch(b []byte) (batch, []byte) {
	n := lengthEnd + int(binary.BigEndian.Uint32(b[8:]))
	return batch(b[:n:n]), b[n:]
}

// record is one record of a batch: key and value point into the batch's decompressed bytes; nil is none.
type record struct {
	offsetDelta int64
	msDelta     int64
	key, value  []byte
}

// readRecord splits the first record off b:
//
//	varint length | int8 attributes | varint ms from the first | varint offset from the first
//	varint key length, -1 none | key | varint value length, -1 none | value | varint headers …
//
// The headers are passed over. ok is false when the bytes are not that.
func readRecord(b []byte) (r record, rest []byte, ok bool) {
	length, n := binary.Varint(b)
	if n <= 0 || length < 1 || length > int64(len(b)-n) {
		return r, nil, false
	}
	b, rest = b[n:n+int(length)], b[n+int(length):]
	b = b[1:]
	if r.msDelta, n = binary.Varint(b); n <= 0 {
		return r, nil, false
	}
	b = b[n:]
	if r.offsetDelta, n = binary.Varint(b); n <= 0 || r.offsetDelta < 0 {
		return r, nil, false
	}
	if r.key, b, ok = readBytes(b[n:]); !ok {
		return r, nil, false
	}
	if r.value, _, ok = readBytes(b); !ok {
		return r, nil, false
	}
	return r, rest, true
}

func readBytes(b []byte) (v, rest []byte, ok bool) {
	length, n := binary.Varint(b)
	if n <= 0 || length > int64(len(b)-n) {
		return nil, nil, false
	}
	if length < 0 {
		return nil, b[n:], true
	}
	end := n + int(length)
	return b[n:end:end], b[end:], true
}
