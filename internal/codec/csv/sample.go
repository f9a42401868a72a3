package csvrec

import "bytes"

// records are the first ones of a file, as one dialect frames them.
type records struct {
	list   [][]byte // without line ends, none of them empty
	starts []int    // where they begin in the sample
	tail   []byte   // a beginning of the next one, when the sample cuts it
}

// sampleOf frames the first records of a sample.
func sampleOf(sample []byte, whole bool, d Dialect) records {
	var r records
	all := len(sample)
	for len(sample) > 0 && len(r.list) < sampleRecords {
		n := recordEnd(sample, d)
		if n < 0 {
			if !whole {
				r.tail = sample
				return r
			}
			n = len(sample)
		}
		rec := bytes.TrimSuffix(sample[:n], []byte{'\r'})
		if len(rec) > 0 {
			r.list = append(r.list, rec)
			r.starts = append(r.starts, all-len(sample))
		}
		sample = sample[min(n+1, len(sample)):]
	}
	return r
}

// recordEnd returns the offset of the line feed that ends the first record of data, −1 without one: as files are framed,
// a quote opens at the beginning of a field only, and what is wrong behind it ends no record.
func recordEnd(data []byte, d Dialect) int {
	if d.Quote == 0 {
		return bytes.IndexByte(data, '\n')
	}
	for p := 0; p < len(data); { // where a field begins
		if data[p] == d.Quote {
			for p++; p < len(data); p++ {
				if data[p] == d.Escape && (d.Escape != d.Quote || p+1 < len(data) && data[p+1] == d.Quote) {
					p++
				} else if data[p] == d.Quote {
					break
				}
			}
			p++
		}
		for p < len(data) && data[p] != d.Delimiter && data[p] != '\n' {
			p++
		}
		if p < len(data) && data[p] == '\n' {
			return p
		}
		p++
	}
	return -1
}

// guess is a dialect with what it makes of the records.
type guess struct {
	dialect Dialect
	records records
	total   int         // records judged
	flawed  int         // of them, those with bad quoting
	quoting int         // of the flawless, those with a quoted field
	count   int         // the most frequent number of fields of the flawless, one of several: that of the earliest record
	good    int         // the flawless with that number
	looked  int         // what typed returned, −1 when it has not been called
	counts  map[int]int // of the flawless, how many have each number of fields
}

func newGuess(d Dialect, r records) guess {
	g := guess{dialect: d, records: r, total: len(r.list), count: 1, looked: -1, counts: map[int]int{}}
	s := newSyntax(d)
	var order []int // of the counts, by their first record
	for _, rec := range r.list {
		n, _, f := s.split(rec, 0, len(rec), nil)
		if f != sound {
			g.flawed++
			continue
		}
		if s.quotesIn(rec) {
			g.quoting++
		}
		if g.counts[n]++; g.counts[n] == 1 {
			order = append(order, n)
		}
	}
	// A quote that opens by mistake may swallow the rest of the sample: its flaw is seen though the record has no end.
	if len(r.tail) > 0 {
		if _, _, f := s.split(r.tail, 0, len(r.tail), nil); f != sound && f != flawOpen {
			g.total++
			g.flawed++
		}
	}
	for _, n := range order {
		if g.counts[n] > g.good {
			g.count, g.good = n, g.counts[n]
		}
	}
	return g
}

// quotesIn reports whether a flawless record has a quoted field.
func (s *syntax) quotesIn(rec []byte) bool {
	return s.quotes && bytes.IndexByte(rec, s.quote) >= 0
}

// inUse reports whether the quotes of the guess are rather quotes than text.
func (g *guess) inUse() bool { return g.quoting > g.flawed }

// columns reports whether the guess parts records into columns.
func (g *guess) columns() bool { return g.count > 1 && 2*g.good >= g.total }

// pick returns the best guess, of equal ones the first. Where none parts the records into columns they are one, unless the
// delimiter is given.
func pick(tried []guess, given bool) guess {
	best := -1
	for i := range tried {
		if best < 0 || better(&tried[i], &tried[best]) {
			best = i
		}
	}
	g := tried[best]
	if !g.columns() && !given {
		g.count = 1
	}
	return g
}

// better reports whether a is a better guess than b.
func better(a, b *guess) bool {
	if a.columns() != b.columns() {
		return a.columns()
	}
	if a.inUse() != b.inUse() {
		return a.inUse()
	}
	if x, y := a.share(), b.share(); x != y {
		return x > y
	}
	return a.columns() && a.typed() > b.typed()
}

// share is the part of the records that fit, in millionths: of columns those with their number, else those of one field.
func (g *guess) share() int {
	if g.total == 0 || g.count > 1 && !g.columns() {
		return 0
	}
	return g.good * 1_000_000 / g.total
}

// typedFields is the number of fields that are looked at, to the end of their record.
const typedFields = 2000

// typed is the part of the first fields, in millionths, that look like a value of another type than text.
func (g *guess) typed() int {
	if g.looked >= 0 {
		return g.looked
	}
	typed, all := 0, 0
	var fields []Field
	for _, rec := range g.records.list {
		if all >= typedFields {
			break
		}
		var err error
		if fields, err = Fields(g.dialect, rec, fields[:0]); err != nil || len(fields) != g.count {
			continue
		}
		for _, f := range fields {
			all++
			if l := f.looks(); l != lookText && l != lookEmpty {
				typed++
			}
		}
	}
	g.looked = typed * 1_000_000 / max(all, 1)
	return g.looked
}
