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

// Sniff guesses a file's dialect from its first bytes; whole says that they are all of it. The first 1,000 records
// count, and of a part of a file none that it cuts. The same bytes give the same dialect.
//
// Each delimiter (comma, semicolon, tab, bar) is tried with each quoting (double quotes, doubled or escaped by a
// backslash; single quotes likewise; none). A guess is as good as the share of records that are flawless and have the
// most frequent number of fields, which must be more than one and in at least half of the records. Of equal ones those
// come first whose quotes quote something, then those in which more fields look like numbers or times (1,5;2,5 is parted
// by the semicolon), then the order above. When no guess is good the file has one column, and the delimiter is the
// first that is in no record. Whether the first record is a header is said at header; names are made unique.
//
// It is an error that there is nothing to guess from, and that the bytes are no text that CSV can be read from; a
// record that does not fit the guess is not: it is malformed when it is read.
func Sniff(sample []byte, whole bool) (Dialect, error) {
	sample = bytes.TrimPrefix(sample, []byte(mark))
	if err := checkText(sample, whole); err != nil {
		return Dialect{}, err
	}
	if !whole {
		sample = finished(sample)
	}
	var tried []guess
	for _, q := range []Dialect{{Quote: '"', Escape: '"'}, {Quote: '"', Escape: '\\'}, {Quote: '\'', Escape: '\''}, {Quote: '\'', Escape: '\\'}, {}} {
		if q.Quote != 0 && len(tried) > 0 && (bytes.IndexByte(sample, q.Quote) < 0 || q.Escape == '\\' && bytes.IndexByte(sample, '\\') < 0) {
			continue // as good as another that is tried
		}
		for _, c := range []byte(delimiters) {
			d := q
			d.Delimiter = c
			tried = append(tried, newGuess(d, sampleOf(sample, whole, d)))
		}
	}
	best := pick(tried)
	if best.records.list == nil {
		return Dialect{}, fmt.Errorf("no record ends within the first %d bytes, so there is nothing to guess the dialect from; give delimiter, quote and header", len(sample))
	}
	d := best.dialect
	if err := name(&d, best); err != nil {
		return Dialect{}, err
	}
	return d, nil
}

// finished is a sample without what may be the beginning of a record that goes on behind it: from where a quote is open at
// its end, by whichever delimiter. All of it when nothing would be left.
func finished(sample []byte) []byte {
	least := len(sample)
	for _, c := range []byte(delimiters) {
		d := Dialect{Delimiter: c, Quote: '"', Escape: '"'}
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

// name decides on the header and names the columns.
func name(d *Dialect, g guess) error {
	first, err := Fields(*d, g.records.list[0], nil)
	if err != nil || len(first) != g.count {
		d.Names = numberedNames(g.count)
		return nil
	}
	h := newHeader(first)
	var fields []Field
	for _, rec := range g.records.list[1:] {
		if fields, err = Fields(*d, rec, fields[:0]); err == nil && len(fields) == g.count {
			h.add(fields)
		}
	}
	if !h.is() {
		d.Names = numberedNames(g.count)
		return nil
	}
	d.Header = true
	d.Names, err = namesOf(first)
	return err
}

// checkText refuses what is no text of one byte a character, or has no lines.
func checkText(sample []byte, whole bool) error {
	switch {
	case len(bytes.Trim(sample, "\r\n")) == 0 && whole:
		return errors.New("the file has no records, so there is nothing to guess its columns from; declare them")
	case bytes.HasPrefix(sample, []byte{0xFF, 0xFE}) || bytes.HasPrefix(sample, []byte{0xFE, 0xFF}):
		return errors.New("the file is UTF-16; convert it first: iconv -f UTF-16 -t UTF-8")
	case bytes.IndexByte(sample, 0) >= 0:
		return fmt.Errorf("byte %d of the file is zero, so it is no CSV; if it is UTF-16, convert it first: iconv -f UTF-16 -t UTF-8", bytes.IndexByte(sample, 0))
	}
	if at := bytes.IndexByte(sample, '\r'); at >= 0 && bytes.IndexByte(sample, '\n') < 0 && len(bytes.Trim(sample[at:], "\r")) > 0 {
		return errors.New("the lines of the file end with a carriage return alone; convert it first: tr '\\r' '\\n'")
	}
	return nil
}
