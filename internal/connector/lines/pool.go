package lines

import (
	"sync"

	"github.com/zeebo/xxh3"

	"ubik/internal/connector"
	"ubik/internal/vec"
)

const (
	chunkBytes   = 256 << 10 // a chunk's bytes, but for one longer line
	chunkRecords = 4096      // a chunk's records
	spare        = 64 << 10  // room behind the bytes, where a decoder puts unescaped text
	keptMax      = 1 << 20   // a larger buffer is left to the collector
	blocksMax    = 64        // blocks that wait for their next use
)

// Pool lends the memory of chunks and takes it back at their Release. Safe for concurrent use.
type Pool struct {
	bytes   int // of a chunk
	records int // of a chunk

	mu   sync.Mutex
	free []*block
}

// NewPool returns an empty pool.
func NewPool() *Pool { return &Pool{bytes: chunkBytes, records: chunkRecords} }

// block is the memory of one chunk.
type block struct {
	chunk   connector.Chunk
	pool    *Pool
	recycle func()                         // b.release, bound once
	at      func(i int) connector.Position // b.position, bound once

	buf   []byte // all of it may be written; the input's bytes from the reader's offset on are buf[:have]
	have  int
	spans []vec.Span
	pos   []int64

	start  int64       // the offset of buf[0]
	before xxh3.Hasher // of all bytes before start
	hashed bool
}

func (p *Pool) get() *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		b := p.free[n-1]
		p.free = p.free[:n-1]
		return b
	}
	b := &block{pool: p, buf: make([]byte, p.bytes+spare)}
	b.recycle, b.at = b.release, b.position
	return b
}

// fill makes p the bytes of a block without any.
func (b *block) fill(p []byte) {
	if len(p) > len(b.buf)-spare {
		b.buf = make([]byte, len(p)+spare)
	}
	b.have = copy(b.buf, p)
}

// put takes back a block that no chunk uses.
func (p *Pool) put(b *block) {
	b.have, b.spans, b.pos = 0, b.spans[:0], b.pos[:0]
	if len(b.buf) > keptMax {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < blocksMax {
		p.free = append(p.free, b)
	}
}

// release ends the chunk. Where the decoder had to move the bytes to a larger buffer, that one is kept: the next chunk
// is likely to need it too.
func (b *block) release() {
	if d := b.chunk.Data; cap(d) > len(b.buf) {
		b.buf = d[:cap(d)]
	}
	b.chunk = connector.Chunk{}
	b.pool.put(b)
}

// position is the chunk's At.
func (b *block) position(i int) connector.Position {
	at := connector.Position{Offset: b.pos[i], Epoch: -1}
	if b.hashed {
		h := b.before
		h.Write(b.chunk.Data[:at.Offset-b.start])
		at.Hash = h.Sum128().Bytes()
	}
	return at
}
