package kafka

import (
	"math"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/vec"
)

// Bounds of a chunk; one larger record is a chunk of its own.
const (
	chunkBytes      = 256 << 10
	chunkBytesFirst = 16 << 10
	chunkRecords    = 4096
)

// slab is the memory of one chunk, reused after Release.
type slab struct {
	chunk   connector.Chunk
	keys    []vec.Span
	epochs  []epochMark // where the epoch of the record before is another than that of the one before that
	recycle func()
	at      func(i int) connector.Position
}

// epochMark says that before record first, and the records behind it up to the next mark, is one of this leader epoch.
type epochMark struct {
	first int
	epoch int32
}

// keptBytes is the largest arena kept for reuse, so that one huge record does not stay for ever.
const keptBytes = 4 * chunkBytes

var slabs sync.Pool

func newSlab() *slab {
	s := &slab{}
	s.chunk.Data = make([]byte, 0, chunkBytesFirst) // it grows: of many partitions each may bring little
	s.recycle = func() {
		if cap(s.chunk.Data) > keptBytes {
			s.chunk.Data = make([]byte, 0, chunkBytesFirst)
		}
		slabs.Put(s)
	}
	s.at = s.position
	return s
}

// takeSlab returns an empty slab.
func takeSlab() *slab {
	s, ok := slabs.Get().(*slab)
	if !ok {
		s = newSlab()
	}
	c := &s.chunk
	*c = connector.Chunk{
		Records: codec.Records{Data: c.Data[:0], Spans: c.Spans[:0]},
		Pos:     c.Pos[:0],
		LogTime: c.LogTime[:0],
		At:      s.at,
		Recycle: s.recycle,
	}
	s.keys, s.epochs = s.keys[:0], s.epochs[:0]
	return s
}

// full reports whether a record more would be too much.
func (s *slab) full() bool {
	return len(s.chunk.Pos) >= chunkRecords || len(s.chunk.Data) >= chunkBytes
}

// fits reports whether n bytes more stay within the chunk's bound; an empty slab takes any record.
func (s *slab) fits(n int) bool {
	return len(s.chunk.Pos) == 0 || len(s.chunk.Data)+n <= chunkBytes
}

// position is the chunk's At.
func (s *slab) position(i int) connector.Position {
	p := connector.Position{Offset: s.chunk.Pos[i], Epoch: -1}
	for _, m := range s.epochs {
		if m.first <= i {
			p.Epoch = m.epoch
		}
	}
	return p
}

// add copies a record. before is the leader epoch of the one before it.
func (s *slab) add(offset, ms int64, before int32, key, value []byte, wantKey bool, maxRecord int) {
	c := &s.chunk
	if n := len(s.epochs); n == 0 || s.epochs[n-1].epoch != before {
		s.epochs = append(s.epochs, epochMark{len(c.Pos), before})
	}
	c.Pos = append(c.Pos, offset)
	c.LogTime = append(c.LogTime, micros(ms))
	c.Spans = append(c.Spans, s.put(value, maxRecord))
	if wantKey {
		s.keys = append(s.keys, s.put(key, maxRecord))
		c.Keys = s.keys
	}
}

func (s *slab) put(b []byte, maxRecord int) vec.Span {
	c := &s.chunk
	at := uint32(len(c.Data))
	switch {
	case b == nil:
		return vec.Span{Off: at, Len: codec.NullLen}
	case maxRecord > 0 && len(b) > maxRecord:
		return vec.Span{Off: at, Len: codec.HugeLen}
	}
	c.Data = append(c.Data, b...)
	return vec.Span{Off: at, Len: uint32(len(b))}
}

// micros turns ms since 1970 into µs; what an int64 cannot hold stays at its edge. −1 is how a record says that it has
// no timestamp.
func micros(ms int64) int64 {
	if ms == -1 {
		return connector.NoTime
	}
	return max(math.MinInt64/1000, min(math.MaxInt64/1000, ms)) * 1000
}

// plainBytes keeps the buffers that batches are decompressed into.
type plainBytes struct{ pool sync.Pool }

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (p *plainBytes) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	if b, ok := p.pool.Get().(*[]byte); ok {
		return (*b)[:0]
	}
	return make([]byte, 0, 4*len(compressed))
}

// PutDecompressBytes implements kgo.PoolDecompressBytes.
func (p *plainBytes) PutDecompressBytes(b []byte) {
	if cap(b) > 0 && cap(b) <= 16<<20 {
		p.pool.Put(&b)
	}
}
