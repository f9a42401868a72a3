package csvrec

import (
	"bytes"
	"errors"
	"fmt"
)

// sampleRecords is the number of records that a dialect is guessed from.
const sampleRecords = 1000

// delimiters are those that are tried, in the order in which they win.
const delimiters = ",;\t|"

// Sniff guesses what is not given of a file's dialect from its first bytes; whole says that they are all of it. The first
// 1,000 records count, and of a part of a file none that it cuts. The same bytes give the same dialect.
//
// Each delimiter (comma, semicolon, tab, bar) is tried with each quoting (double quotes, doubled or escaped by a
// backslash; single quotes likewise; none), as far as they are not given. A guess is as good as the share of records that
// are flawless and have the most frequent number of fields, which must be more than one and in at least half of the
// records. Of equal ones those come first whose quotes quote something, then those in which more fields look like numbers
// or times (1,5;2,5 is parted by the semicolon), then the order above. When no guess is good the file has one column, and
// the delimiter is the first that is in no record. Whether the first record is a header is said at header; names are made
// unique.
//
// It is an error that there is nothing to guess from, and that the bytes are no text that CSV can be read from; a
// *HeadError, that the first record is unlike the others. Another record that does not fit the guess is no error: it is
// malformed when it is read.
func (g Given) Sniff(sample []byte, whole bool) (Dialect, error) {
	text := bytes.TrimPrefix(sample, []byte(mark))
	before := len(sample) - len(text)
	if err := g.checkText(text, whole); err != nil {
		return Dialect{}, err
	}
	if err := g.checkSep(text, before); err != nil {
		return Dialect{}, err
	}
	candidates := g.candidates(text)
	if !whole {
		text = finished(text, candidates)
	}
	var tried []guess
	for _, d := range candidates {
		tried = append(tried, newGuess(d, sampleOf(text, whole, d)))
	}
	best := pick(tried, g.Delimiter != nil)
	if best.records.list == nil {
		return Dialect{}, fmt.Errorf("no record ends within the first %d bytes, so there is nothing to guess the dialect from; give delimiter, quote and header", len(text))
	}
	d := best.dialect
	if err := g.name(&d, best, before); err != nil {
		return Dialect{}, err
	}
	return d, nil
}

// finished is a sample without what may be the beginning of a record that goes on behind it: from where a quote is open at
// its end, by whichever delimiter. All of it when nothing would be left.
func finished(sample []byte, candidates []Dialect) []byte {
	least := len(sample)
	for _, d := range candidates {
		if d.Quote != candidates[0].Quote || d.Escape != candidates[0].Escape {
			break // the quotes that are likely
		}
		end := 0
		for {
			n := recordEnd(sample[end:], d)
			if n < 0 {
				break
			}
			end += n + 1
		}
		least = min(least, end)
	}
	if least == 0 {
		return sample
	}
	return sample[:least]
}

// name decides on the header and names the columns. before are the bytes before the sample's first record.
func (g Given) name(d *Dialect, best guess, before int) error {
	first, flaw := Fields(*d, best.records.list[0], nil)
	var names []string
	var err error
	if flaw == nil {
		names, err = namesOf(first)
	}
	switch {
	case g.Header != nil:
		d.Header = *g.Header
	case flaw == nil && err == nil && g.named(names):
		d.Header = true
	case flaw == nil && len(first) == best.count:
		d.Header = isHeader(first, best)
	case best.columns():
		return best.headError(len(first), flaw, before)
	}
	if !d.Header {
		d.Names = numberedNames(best.count)
		return nil
	}
	switch {
	case best.columns() && (flaw != nil || len(first) != best.count && best.counts[len(first)] == 1): // it is the only one like it
		return best.headError(len(first), flaw, before)
	case flaw != nil:
		return fmt.Errorf("the header is not CSV: %w", flaw)
	}
	d.Names = names
	return err
}

// isHeader decides by the looks of the fields.
func isHeader(first []Field, best guess) bool {
	h := newHeader(first)
	var fields []Field
	for _, rec := range best.records.list[1:] {
		var err error
		if fields, err = Fields(best.dialect, rec, fields[:0]); err == nil && len(fields) == best.count {
			h.add(fields)
		}
	}
	return h.is()
}

// checkText refuses what is no text of one byte a character, or has no lines.
func (g Given) checkText(sample []byte, whole bool) error {
	if wide := UTF16(sample); wide != "" {
		return errors.New("the file is " + wide + "; convert it first: iconv -f " + wide + " -t UTF-8")
	}
	switch zero := bytes.IndexByte(sample, 0); {
	case len(bytes.Trim(sample, "\r\n")) == 0 && whole:
		return errors.New("the file has no records, so there is nothing to guess its columns from; declare them")
	case zero >= 0 && (g.Delimiter == nil || g.Header == nil):
		return fmt.Errorf("byte %d of the file is zero, so it is no CSV; if it is text in another encoding, convert it first, as with iconv -f UTF-16 -t UTF-8", zero)
	}
	// A line feed at the end may be the sample's.
	if at := bytes.IndexByte(sample, '\r'); at >= 0 && bytes.IndexByte(sample[:len(sample)-1], '\n') < 0 && len(bytes.Trim(sample[at:], "\r\n")) > 0 {
		return errors.New("the lines of the file end with a carriage return alone; convert it first: tr '\\r' '\\n'")
	}
	return nil
}

// UTF16 tells of the first bytes of a file whether they are text in UTF-16, by its name as iconv takes it: UTF-16 with a
// byte order mark, else UTF-16LE or UTF-16BE; "": no.
func UTF16(sample []byte) string {
	if bytes.HasPrefix(sample, []byte{0xFF, 0xFE}) || bytes.HasPrefix(sample, []byte{0xFE, 0xFF}) {
		return "UTF-16"
	}
	// Signs and blanks of ASCII, of which every file of records has some, have one zero byte each.
	var zeros [2]int
	sample = sample[:min(len(sample), 1<<10)&^1]
	for i, c := range sample {
		if c == 0 {
			zeros[i&1]++
		}
	}
	switch enough := max(4, len(sample)/16); {
	case zeros[0] == 0 && zeros[1] >= enough:
		return "UTF-16LE"
	case zeros[1] == 0 && zeros[0] >= enough:
		return "UTF-16BE"
	}
	return ""
}
