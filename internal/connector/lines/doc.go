// Package lines cuts a stream of bytes into records, one a line.
//
// A line ends in "\n" or "\r\n"; neither is part of the record. A line without bytes of its own is no record. A byte
// order mark at offset 0 is passed over. A record's position is the offset of its line. What follows the last newline
// is a record too, unless the Reader is told to wait for the newline: then it is left for a later run.
//
// With codec.Framing's Quote a line feed between quotes does not end the line. The first of them may stand anywhere or,
// with codec.Framing's Delimiter, only where a field begins; a byte order mark is no part of the first one. A quote
// that nothing closes makes one record of all that follows, up to the longest that is permitted: the first line feed more
// than MaxRecord+4 bytes behind a record's beginning ends it, in quotes or not, and the next record begins outside. So a
// record over the limit is one, where it ends depends on its own bytes alone, and one stray quote does not cost a file.
//
// With codec.Framing's Header the first record is checked and passed over.
//
// The words: an Input gives the bytes, a Reader cuts them into chunks, a Pool lends the memory the chunks live in. A
// Reader remembers only an offset and the hash of all bytes before it, so that ten thousand of them cost little.
//
//	r := lines.NewReader(pool, lines.Options{MaxRecord: 64 << 20, Until: size, Hashed: true})
//	for {
//		c, err := r.Read(ctx, input)
//		…
//		c.Release()
//		if c.End {
//			break
//		}
//	}
package lines
