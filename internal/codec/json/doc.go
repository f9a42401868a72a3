// Package jsonrec is the JSON record format: one object a record, read into columns and written from them.
//
// Reading is strict and projecting. The whole record is validated (RFC 8259, valid UTF-8, no lone surrogates, at most
// 512 levels, an object on top), and only the columns asked for are built. Its words:
//
//   - A node is a name on a path that some column reads; nodes form a tree, the root is the record.
//   - A flaw is what makes a record not JSON; a value error is JSON of a wrong kind or range for its column.
//   - A shape is what the records seen so far have in common: the bytes between their values (names, quotes, colons,
//     commas, braces, white space) and what to do with each value. Shapes form a tree of edges, see shape.go.
//
// A record that has a known shape is read by comparing those bytes eight at a time and scanning only its values. Every
// other record is read by the general parser, which also is the only one that rejects. Both give the same columns.
//
//	dec := jsonrec.Format.NewDecoder([]codec.Column{{Path: []string{"a", "b"}, Type: vec.TypeOf(vec.Int64)}})
//	rec := &codec.Records{Data: []byte(`{"a":{"b":7}}`), Spans: []vec.Span{{Off: 0, Len: 13}}}
//	out := vec.NewBatch(vec.TypeOf(vec.Int64))
//	bad := dec.Decode(rec, out, nil) // none; out.Cols[0].I64[0] is 7
//
// Writing gives one object a row in the order of the columns, without spaces, which reads back as the same row.
package jsonrec
