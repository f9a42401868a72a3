package checkpoint

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// state looks like group tables: keys that share a beginning, hashes, small counts.
func state(n int) []byte {
	rnd := rand.New(rand.NewPCG(1, 1))
	var b []byte
	for i := 0; len(b) < n; i++ {
		b = append(b, "merchant-"...)
		b = binary.BigEndian.AppendUint32(b, uint32(i))
		b = binary.LittleEndian.AppendUint64(b, rnd.Uint64())
		b = binary.LittleEndian.AppendUint64(b, uint64(rnd.IntN(1000)))
		b = binary.LittleEndian.AppendUint64(b, uint64(rnd.IntN(1_000_000)))
	}
	return b[:n]
}

func BenchmarkEncode(b *testing.B) {
	u := &Unit{Sections: []Section{{Name: "ops", Data: state(32 << 20), Content: true}}}
	var e encoder
	b.SetBytes(int64(len(u.Sections[0].Data)))
	for b.Loop() {
		pieces, err := e.encode(u)
		if err != nil {
			b.Fatal(err)
		}
		n := 0
		for _, p := range pieces {
			n += len(p)
		}
		b.ReportMetric(float64(len(u.Sections[0].Data))/float64(n), "shrunk")
	}
}

func BenchmarkDecode(b *testing.B) {
	u := &Unit{Sections: []Section{{Name: "ops", Data: state(32 << 20), Content: true}}}
	pieces, err := Encode(u)
	if err != nil {
		b.Fatal(err)
	}
	file := bytes.Join(pieces, nil)
	b.SetBytes(int64(len(u.Sections[0].Data)))
	for b.Loop() {
		if _, err := Decode(file); err != nil {
			b.Fatal(err)
		}
	}
}
