package op

// pageStore is the memory of stored rows and of their keys: pages that hold cells one behind the other. All pages but
// those of one large cell are of one size, so that whatever gives a page back makes room for anything else, and nothing
// is copied to grow. No pointer lies in a page: the collector never looks inside.
//
// A cell is a number of granules long. Its address is its page's number << pageBits | its first granule's place there.
type pageStore struct {
	pages   []page   // by number
	unused  []uint32 // numbers without a page
	free    []uint32 // empty pages
	retired []uint32 // pages whose cells are gone, though what they held may still be read
	bytes   int      // of all pages
	most    int      // pages; 0: as many as there are addresses for
}

type page struct {
	b    []byte
	fill int // bytes used
}

const (
	granule   = 4 // bytes
	pageBits  = 12
	pageBytes = granule << pageBits
	largeCell = pageBytes / 4        // a larger one has a page of its own length for itself
	pagesMost = 1<<(32-pageBits) - 1 // noCell lies behind
	noCell    = 1<<32 - 1

	touchNear = 32 // bytes into a cell that the next line of the cache begins at the latest, as a rule

	// pagesFree is how many empty pages are kept at least; more of them while many are in use.
	pagesFree = 32
)

// cell returns the page from a cell's first byte on, lent.
func (s *pageStore) cell(addr uint32) []byte {
	return s.pages[addr>>pageBits].b[addr%(1<<pageBits)*granule:]
}

func (s *pageStore) inUse() int { return len(s.pages) - len(s.unused) - len(s.free) }

// limit is how many pages there may be.
func (s *pageStore) limit() int {
	if s.most > 0 {
		return s.most
	}
	return pagesMost
}

// short reports whether hardly any address is left that a page could have: the rest is for moving cells about.
func (s *pageStore) short() bool { return s.inUse() > s.limit()-s.limit()/64 }

// holds reports whether there are addresses for a copy of so many pages.
func (s *pageStore) holds(pages int) bool { return s.inUse()+pages < s.limit() }

// take returns an empty page with room for a cell of so many bytes.
func (s *pageStore) take(size int) uint32 {
	if n := len(s.free); n > 0 && size <= largeCell {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		return id
	}
	if size <= largeCell {
		size = pageBytes
	}
	s.bytes += size
	fresh := page{b: make([]byte, size)}
	if n := len(s.unused); n > 0 {
		id := s.unused[n-1]
		s.unused = s.unused[:n-1]
		s.pages[id] = fresh
		return id
	}
	if len(s.pages) == s.limit() {
		panic("op: more than 16 GiB stored in one shard")
	}
	s.pages = append(s.pages, fresh)
	return uint32(len(s.pages) - 1)
}

// give takes a page back. One that is not likely to be needed soon, or is of one large cell, is let go.
func (s *pageStore) give(id uint32) {
	p := &s.pages[id]
	if p.fill = 0; len(p.b) == pageBytes && len(s.free) < max(pagesFree, s.inUse()/16) {
		s.free = append(s.free, id)
		return
	}
	s.bytes -= len(p.b)
	p.b = nil
	s.unused = append(s.unused, id)
}

// retire takes a page back at the next recycle.
func (s *pageStore) retire(id uint32) { s.retired = append(s.retired, id) }

func (s *pageStore) recycle() {
	for _, id := range s.retired {
		s.give(id)
	}
	s.retired = s.retired[:0]
}

// room makes a cell of so many bytes, whole granules, behind the others of a list of pages.
func (s *pageStore) room(list *[]uint32, size int) (addr uint32, cell []byte) {
	if n := len(*list); n > 0 {
		id := (*list)[n-1]
		if p := &s.pages[id]; p.fill+size <= len(p.b) {
			return p.take(id, size)
		}
	}
	id := s.take(size)
	*list = append(*list, id)
	return s.pages[id].take(id, size)
}

func (p *page) take(id uint32, size int) (addr uint32, cell []byte) {
	at := p.fill
	p.fill += size
	return id<<pageBits | uint32(at/granule), p.b[at:p.fill:p.fill]
}

// rows calls f for the rows of a page from a byte on, in order, until it returns false.
func (s *pageStore) rows(id uint32, from int, f func(addr uint32, r joinRow) bool) bool {
	p := &s.pages[id]
	for at := from; at < p.fill; {
		r := joinRow(p.b[at:])
		if !f(id<<pageBits|uint32(at/granule), r) {
			return false
		}
		at += r.size()
	}
	return true
}

// touch brings cells into the cache: loads of many at once are served side by side. It is not inlined lest the loads be
// dropped with their result.
//
//go:noinline
func (s *pageStore) touch(addrs []uint32) (sum uint32) {
	for _, addr := range addrs {
		sum += touched(s.cell(addr))
	}
	return sum
}

// touched reads a cell of a usual length.
func touched(cell []byte) uint32 { return uint32(cell[0]) + uint32(cell[min(touchNear, len(cell)-1)]) }

// padded appends zeros up to a whole granule.
func padded(b []byte) []byte {
	for len(b)%granule != 0 {
		b = append(b, 0)
	}
	return b
}

// giveAll gives the pages of a list back.
func (s *pageStore) giveAll(list *[]uint32) {
	for _, id := range *list {
		s.give(id)
	}
	*list = (*list)[:0]
}
