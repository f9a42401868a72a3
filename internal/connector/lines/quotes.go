package lines

import "bytes"

// state is where between quotes the search for a record's end stands.
type state uint8

const (
	outside state = iota // where a quote opens
	inside               // between two quotes
	escaped              // inside, behind the escape character
	closed               // behind a quote that ends a field, or is the first of two; only where fields matter
	text                 // in a field that no quote begins; only where fields matter
)

// endOf returns the index of the line feed that ends the record at buf[from:], or -1 when it is not there yet; what is
// before scan was searched by the call before. A line feed in quotes does not end a record, unless the record is too
// long by then.
func (r *Reader) endOf(buf []byte, from, scan int) int {
	if sure := min(from+r.most(), len(buf)); scan < sure {
		n := -1
		switch e := r.Framing.Escape; {
		case r.Framing.Delimiter != 0:
			n = r.endOfFields(buf[:sure], from, scan)
		case e == 0 || e == r.Framing.Quote:
			n = r.endDoubled(buf[:sure], scan)
		default:
			n = r.endEscaped(buf[:sure], scan)
		}
		if n >= 0 {
			return n
		}
		scan = sure
	}
	// Here is nothing, or what makes the record too long, by whatever it ends.
	n := bytes.IndexByte(buf[scan:], '\n')
	if n < 0 {
		return -1
	}
	r.quotes = outside
	return scan + n
}

// endDoubled searches where quotes escape themselves: an odd number of them is what leaves a line open.
func (r *Reader) endDoubled(buf []byte, scan int) int {
	quote := []byte{r.Framing.Quote}
	for {
		n := bytes.IndexByte(buf[scan:], '\n')
		line := buf[scan:]
		if n >= 0 {
			line = line[:n]
		}
		if bytes.Count(line, quote)%2 != 0 {
			r.quotes ^= inside
		}
		if n < 0 {
			return -1
		}
		scan += n
		if r.quotes == outside {
			return scan
		}
		scan++
	}
}

// endEscaped searches where another character escapes a quote.
func (r *Reader) endEscaped(buf []byte, scan int) int {
	feed := -1 // where the next one is, once it is searched for; len(buf): there is none
	for scan < len(buf) {
		switch r.quotes {
		case outside:
			feed = next(buf, scan, feed, '\n')
			quote := next(buf[:feed], scan, -1, r.Framing.Quote)
			if quote == feed && feed < len(buf) {
				return feed
			}
			if quote < len(buf) {
				r.quotes = inside
			}
			scan = quote + 1
		case inside:
			quote := next(buf, scan, -1, r.Framing.Quote)
			if n := bytes.IndexByte(buf[scan:quote], r.Framing.Escape); n >= 0 {
				r.quotes = escaped
				scan += n + 1
				continue
			}
			if quote < len(buf) {
				r.quotes = outside
			}
			scan = quote + 1
		case escaped:
			r.quotes = inside
			scan++
		}
	}
	return -1
}
