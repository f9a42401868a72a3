// Package lines cuts a stream of bytes into the records of JSON Lines: one record a line.
//
// A line ends in "\n" or "\r\n"; neither is part of the record. A line without bytes of its own is no record. A byte
// order mark at offset 0 is passed over. A record's position is the offset of its line. What follows the last newline
// is a record too, unless the Reader is told to wait for the newline: then it is left for a later run.
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
