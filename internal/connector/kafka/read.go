package kafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/connector"
)

// Read implements connector.Source.
func (s *source) Read(ctx context.Context, index int) (*connector.Chunk, error) {
	if index < 0 || index >= len(s.parts) {
		panic(fmt.Sprintf("kafka: Read of partition %d of %d", index, len(s.parts)))
	}
	p := s.parts[index]
	from := p.at
	for {
		if err := s.failure(); err != nil {
			return nil, err
		}
		sl := takeSlab()
		if err := p.fill(sl); err != nil {
			sl.recycle()
			return nil, s.fail(err)
		}
		end := p.until >= 0 && p.at >= p.until
		if end || p.at > from {
			c := &sl.chunk
			c.Next = connector.Position{Offset: p.at, Epoch: p.atEpoch}
			c.End = end
			return c, nil
		}
		sl.recycle() // many may wait for long
		select {
		case <-p.wake:
		case <-s.failedSignal:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// fill copies records into the slab until it is full, the end is reached, or nothing more has been fetched.
func (p *part) fill(sl *slab) error {
	for !sl.full() {
		switch {
		case p.until >= 0 && p.at >= p.until:
			p.closeBatch()
			p.rest = nil
			p.take()
			return nil
		case p.left > 0:
			if full, err := p.records(sl); full || err != nil {
				return err
			}
		case len(p.rest) > 0:
			p.open, p.rest = nextBatch(p.rest)
			if err := p.openBatch(); err != nil {
				return err
			}
		default:
			p.moveTo(p.cur.next, p.cur.epoch)
			if !p.take() {
				return nil
			}
		}
	}
	return nil
}

// moveTo sets where reading continues, if that is ahead; a bounded part goes no further than its end.
func (p *part) moveTo(next int64, epoch int32) {
	if p.until >= 0 {
		next = min(next, p.until)
	}
	if next > p.at {
		p.at = next
		if epoch >= 0 {
			p.atEpoch = epoch
		}
	}
}

// take ends the current piece and begins the next one of the queue, if there is one.
func (p *part) take() bool {
	s := p.source
	s.mu.Lock()
	defer s.mu.Unlock()
	p.queued -= p.cur.size
	s.queued -= p.cur.size
	p.cur = piece{}
	p.waiting = len(p.queue) == 0
	if p.waiting {
		s.wakeFetcher(p.leader)
		return false
	}
	p.cur = p.queue[0]
	p.queue[0] = piece{}
	p.queue = p.queue[1:]
	p.reads++
	p.rest = p.cur.batches
	s.wakeFetcher(p.leader)
	return true
}

// openBatch begins the batch p.open, or passes it when nothing of it is to be read.
func (p *part) openBatch() error {
	b := p.open
	if !b.intact() {
		return p.source.link.damaged(p.id, b.first(), "its checksum is wrong")
	}
	switch {
	case b.last() < p.at:
		if b.last() >= p.cur.from {
			p.source.dropped(p.id, b.last(), p.at)
		}
		return nil
	case b.attrs()&attrControl != 0:
		p.cur.aborts.marker(b)
	case p.cur.aborts.drops(b):
	case b.records() < 0:
		return p.source.link.damaged(p.id, b.first(), "its number of records is negative")
	case b.records() > 0:
		return p.unpack()
	}
	p.moveTo(b.last()+1, b.epoch())
	return nil
}

func (p *part) unpack() error {
	b := p.open
	p.plain, p.left = b.body(), b.records()
	if c := kgo.CompressionCodecType(b.attrs() & attrCodec); c != kgo.CodecNone {
		plain, err := p.source.decompressor.Decompress(p.plain, c)
		if err != nil {
			return p.source.link.damaged(p.id, b.first(), err.Error())
		}
		p.plain, p.buffer = plain, plain
	}
	return nil
}

// closeBatch gives back what the open batch was decompressed into.
func (p *part) closeBatch() {
	if p.buffer != nil {
		p.source.plain.PutDecompressBytes(p.buffer)
	}
	p.plain, p.buffer, p.open, p.left = nil, nil, nil, 0
}

// records copies records of the open batch into the slab. full reports that the slab takes no more.
func (p *part) records(sl *slab) (full bool, err error) {
	b := p.open
	first, ms, epoch := b.first(), b.firstMs(), b.epoch()
	logTime := b.attrs()&attrLogTime != 0
	for p.left > 0 {
		if sl.full() {
			return true, nil
		}
		r, rest, ok := readRecord(p.plain)
		if !ok {
			return false, p.source.link.damaged(p.id, first, "a record cannot be read")
		}
		offset := first + r.offsetDelta
		if offset < p.at {
			if offset >= p.cur.from { // not merely the beginning of the batch that holds the position asked for
				p.source.dropped(p.id, offset, p.at)
			}
			p.plain, p.left = rest, p.left-1
			continue
		}
		if p.until >= 0 && offset >= p.until {
			p.moveTo(offset, epoch)
			return false, nil
		}
		if !sl.fits(len(r.value) + len(r.key)) {
			return true, nil
		}
		at := b.maxMs()
		if !logTime {
			at = ms + r.msDelta
		}
		sl.add(offset, at, p.atEpoch, r.key, r.value, p.source.wantKeys, p.source.maxRecord)
		p.plain, p.left = rest, p.left-1
		p.moveTo(offset+1, epoch)
	}
	last := b.last()
	p.closeBatch()
	p.moveTo(last+1, epoch)
	return false, nil
}
