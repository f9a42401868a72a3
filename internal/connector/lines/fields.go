package lines

import "bytes"

// endOfFields searches where only a quote that begins a field opens. buf[from:] begins the record.
//
// It goes from one quote to the next: outside of them only the byte before a quote tells whether it opens.
func (r *Reader) endOfFields(buf []byte, from, scan int) int {
	if r.off+int64(from) == 0 && scan-from < len(mark) { // the first field begins behind a byte order mark
		scan, r.quotes = from, outside
		switch {
		case bytes.HasPrefix(buf[from:], mark):
			scan += len(mark)
		case bytes.HasPrefix(mark, buf[from:]):
			return -1 // the rest of it may come
		}
	}
	f := &r.Framing
	feed := -1 // where the next one is, once it is searched for; len(buf): there is none
	for scan < len(buf) {
		switch r.quotes {
		case outside, text:
			if buf[scan] == f.Quote && r.quotes == outside { // the usual place of a quote
				r.quotes = inside
				scan++
				continue
			}
			feed = next(buf, scan, feed, '\n')
			quote := next(buf[:feed], scan, -1, f.Quote)
			if quote == feed && feed < len(buf) {
				r.quotes = outside
				return feed
			}
			r.quotes = text
			if quote > scan && buf[quote-1] == f.Delimiter {
				r.quotes = outside
				if quote < len(buf) {
					r.quotes = inside
				}
			}
			scan = quote + 1
		case inside:
			quote := next(buf, scan, -1, f.Quote)
			if f.Escape != f.Quote && f.Escape != 0 {
				if n := bytes.IndexByte(buf[scan:quote], f.Escape); n >= 0 {
					r.quotes = escaped
					scan += n + 1
					continue
				}
			}
			if quote < len(buf) {
				r.quotes = closed
			}
			scan = quote + 1
		case escaped:
			r.quotes = inside
			scan++
		case closed:
			switch c := buf[scan]; {
			case c == '\n':
				r.quotes = outside
				return scan
			case c == f.Delimiter:
				r.quotes = outside
			case c == f.Quote && f.Escape == f.Quote:
				r.quotes = inside
			default:
				r.quotes = text
			}
			scan++
		}
	}
	return -1
}

// next returns where the next c is from scan on, len(buf) if nowhere; known is what it returned for an earlier place.
func next(buf []byte, scan, known int, c byte) int {
	if known >= scan {
		return known
	}
	if n := bytes.IndexByte(buf[scan:], c); n >= 0 {
		return scan + n
	}
	return len(buf)
}
