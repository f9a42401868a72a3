// Package csvrec is the CSV record format: fields parted by a delimiter (RFC 4180), read into columns and written from
// them.
//
// Reading is strict and projecting. The whole record is validated (its quoting, UTF-8, the number of its fields), and
// only the columns asked for are built. Its words:
//
//   - A dialect is how a file spells records: its delimiter, its quote, the names of its columns, its text for NULL.
//   - A record is the bytes between two line ends that are outside quotes. Quotes open at the beginning of a field only,
//     so that a stray one does not swallow the lines behind it. A line end behind the record, as a message may have, is
//     no part of it.
//   - A field is the text between two delimiters. It is quoted when its first byte is the quote; blanks before a quote
//     are text. Quotes anywhere else but around the field, or within it as the dialect escapes them, are a flaw.
//   - A field that is not quoted and is the dialect's text for NULL is NULL.
//
// The dialect of a file is guessed by Given.Sniff, always to the same from the same bytes.
//
//	d, err := csvrec.Given{}.Sniff([]byte("id;amount\n7;12,50\n"), true) // ';', with a header: id, amount
//	dec := csvrec.Format(d).NewDecoder([]codec.Column{{Path: []string{"id"}, Type: vec.TypeOf(vec.Int64)}})
//	rec := &codec.Records{Data: []byte("7;12,50"), Spans: []vec.Span{{Off: 0, Len: 7}}}
//	out := vec.NewBatch(vec.TypeOf(vec.Int64))
//	bad := dec.Decode(rec, out, nil) // none; out.Cols[0].I64[0] is 7
//
// Writing gives one record a row, which reads back as the same row. Values have the text that JSON output gives them,
// without its quotes; a field is quoted only where it must be.
package csvrec
