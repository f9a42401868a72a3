package op

import "ubik/internal/vec"

// joinRow is the fixed part of a stored row. What the query needs of its columns lies in the arena of its block.
type joinRow struct {
	ts   vec.Time
	pos  int64
	part int32
	key  uint32 // in joinKeys
	next uint32 // settled: the next later row of the key and side, or noRow
	meta uint32 // where its bytes begin << 2 | matched << 1 | side
}

func (r *joinRow) side() int      { return int(r.meta & 1) }
func (r *joinRow) matched() bool  { return r.meta&2 != 0 }
func (r *joinRow) off() uint32    { return r.meta >> 2 }
func (r *joinRow) setMatched()    { r.meta |= 2 }
func (r *joinRow) origin() Origin { return Origin{r.part, r.pos} }

const (
	blockBits  = 8
	blockRows  = 1 << blockBits
	blockBytes = 1 << 20 // an arena larger than that takes no more rows
	noRow      = 1<<32 - 1
	fixedBytes = 32 // of a joinRow

	// blocksFree is how many empty blocks are kept at least; more of them while many are in use.
	blocksFree = 32
)

// rowBlock is some rows that come and go together. A row is named by its block's number << blockBits | its place there.
type rowBlock struct {
	n     int
	rows  [blockRows]joinRow
	arena []byte // of each row the bytes, in order
}

// rowPool owns the blocks.
type rowPool struct {
	blocks []*rowBlock // by number; nil: none
	spare  []uint32    // numbers of nil blocks
	free   []uint32    // empty blocks
	bytes  int         // of all blocks
}

func (p *rowPool) row(id uint32) *joinRow { return &p.blocks[id>>blockBits].rows[id&(blockRows-1)] }

// payload is the encoded columns of a row, lent.
func (p *rowPool) payload(id uint32) []byte {
	b, i := p.blocks[id>>blockBits], int(id&(blockRows-1))
	end := uint32(len(b.arena))
	if i+1 < b.n {
		end = b.rows[i+1].off()
	}
	return b.arena[b.rows[i].off():end:end]
}

// touch brings rows and their bytes into the cache: loads of many rows at once are served side by side. It is not
// inlined lest the loads be dropped with their result.
//
//go:noinline
func (p *rowPool) touch(ids []uint32) (sum uint32) {
	for _, id := range ids {
		b := p.blocks[id>>blockBits]
		if off := b.rows[id&(blockRows-1)].off(); off < uint32(len(b.arena)) {
			sum += uint32(b.arena[off])
		}
	}
	return sum
}

// take returns an empty block.
func (p *rowPool) take() uint32 {
	if n := len(p.free); n > 0 {
		id := p.free[n-1]
		p.free = p.free[:n-1]
		return id
	}
	b := &rowBlock{}
	p.bytes += blockRows*fixedBytes + 32
	if n := len(p.spare); n > 0 {
		id := p.spare[n-1]
		p.spare = p.spare[:n-1]
		p.blocks[id] = b
		return id
	}
	if len(p.blocks) == noRow>>blockBits {
		panic("op: more than 4 billion stored rows in one shard")
	}
	p.blocks = append(p.blocks, b)
	return uint32(len(p.blocks) - 1)
}

// give takes a block back. One that is not likely to be needed soon, or whose arena is large, is let go.
func (p *rowPool) give(id uint32) {
	b := p.blocks[id]
	inUse := len(p.blocks) - len(p.spare) - len(p.free)
	if len(p.free) < max(blocksFree, inUse/4) && cap(b.arena) <= blockBytes {
		b.n, b.arena = 0, b.arena[:0]
		p.free = append(p.free, id)
		return
	}
	p.bytes -= blockRows*fixedBytes + 32 + cap(b.arena)
	p.blocks[id] = nil
	p.spare = append(p.spare, id)
}

// full reports whether the block takes no more rows.
func (p *rowPool) full(id uint32) bool {
	b := p.blocks[id]
	return b.n == blockRows || len(b.arena) > blockBytes
}

// open adds a row to the block, with the block's arena to append its bytes to, and returns its id; close must follow.
func (p *rowPool) open(block uint32, r joinRow) (id uint32, b *rowBlock) {
	b = p.blocks[block]
	if len(b.arena) >= 1<<30 {
		panic("op: a stored row begins beyond 1 GiB")
	}
	r.meta = r.meta&3 | uint32(len(b.arena))<<2
	b.rows[b.n] = r
	b.n++
	p.bytes -= cap(b.arena)
	return block<<blockBits | uint32(b.n-1), b
}

func (p *rowPool) close(b *rowBlock) { p.bytes += cap(b.arena) }

// copyTo adds a copy of row id of another block.
func (p *rowPool) copyTo(block uint32, id uint32) uint32 {
	to, b := p.open(block, *p.row(id))
	b.arena = append(b.arena, p.payload(id)...)
	p.close(b)
	return to
}

// ring is the settled rows of one side, in the order of their times.
type ring struct {
	pool   *rowPool
	blocks []uint32
	front  int // rows of the first block that are gone
}

// add copies a row behind the others.
func (g *ring) add(id uint32) uint32 {
	if n := len(g.blocks); n == 0 || g.pool.full(g.blocks[n-1]) {
		g.blocks = append(g.blocks, g.pool.take())
	}
	return g.pool.copyTo(g.blocks[len(g.blocks)-1], id)
}

// first is the row in front, or noRow.
func (g *ring) first() uint32 {
	if len(g.blocks) == 0 || g.front == g.pool.blocks[g.blocks[0]].n {
		return noRow
	}
	return g.blocks[0]<<blockBits | uint32(g.front)
}

// drop removes the row in front. A block with nothing left goes to retired: its rows are not overwritten yet.
func (g *ring) drop(retired []uint32) []uint32 {
	g.front++
	if b := g.blocks[0]; g.front == g.pool.blocks[b].n && (len(g.blocks) > 1 || g.pool.full(b)) {
		g.blocks, g.front = g.blocks[1:], 0
		retired = append(retired, b)
	}
	return retired
}

// each calls f for every row, in order, until it returns false.
func (g *ring) each(f func(id uint32) bool) {
	from := g.front
	for _, b := range g.blocks {
		for i := from; i < g.pool.blocks[b].n; i++ {
			if !f(b<<blockBits | uint32(i)) {
				return
			}
		}
		from = 0
	}
}
