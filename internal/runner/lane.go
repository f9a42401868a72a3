package runner

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"

	"ubik/internal/connector"
)

// lane is a sequence of output rows with its own numbers and chain.
type lane struct {
	name   string
	number uint64 // rows that have left
	chain  [16]byte
	buf    []byte
}

// take numbers the rows and adds each to the chain:
//
//	chain' = XXH3-128( chain ‖ timestamp ‖ uvarint key length ‖ key ‖ value )      timestamp: 8 bytes, little-endian
func (l *lane) take(r *connector.Rows) {
	r.Lane, r.First = l.name, l.number+1
	for i := 0; i < r.Len(); i++ {
		key := r.Key(i)
		b := append(l.buf[:0], l.chain[:]...)
		b = binary.LittleEndian.AppendUint64(b, uint64(r.Times[i]))
		b = binary.AppendUvarint(b, uint64(len(key)))
		b = append(append(b, key...), r.Value(i)...)
		l.chain = xxh3.Hash128(b).Bytes()
		l.buf = b
	}
	l.number += uint64(r.Len())
}
