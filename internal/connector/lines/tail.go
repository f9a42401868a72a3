package lines

// Seen is how far the reader has come: its position or, in the middle of a record that is too long, a later offset.
func (r *Reader) Seen() int64 { return r.off + r.skipped }

// Tail returns the last bytes before Seen, at most Options.Tail of them; lent until the next Read.
func (r *Reader) Tail() []byte { return r.tail }

// remember adds to the tail the bytes that follow it.
func (r *Reader) remember(p []byte) {
	if len(p) >= r.Options.Tail {
		r.tail = append(r.tail[:0], p[len(p)-r.Options.Tail:]...)
		return
	}
	if n := len(r.tail) + len(p) - r.Options.Tail; n > 0 {
		r.tail = r.tail[:copy(r.tail, r.tail[n:])]
	}
	r.tail = append(r.tail, p...)
}
