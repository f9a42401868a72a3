package kafka

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// written is a batch to be encoded: the values of some offsets of first…last.
type written struct {
	first, last int64
	epoch       int32
	attrs       uint16
	producer    int64
	offsets     []int64
	values      []string // as long as offsets; the key is the value's first byte
	control     []byte   // the key of a marker's record
}

func (w written) encode() []byte {
	var body []byte
	for i, o := range w.offsets {
		key, value := []byte(w.values[i])[:min(1, len(w.values[i]))], []byte(w.values[i])
		if w.control != nil {
			key = w.control
		}
		r := []byte{0}
		r = binary.AppendVarint(r, o-w.first) // ms
		r = binary.AppendVarint(r, o-w.first)
		r = append(binary.AppendVarint(r, int64(len(key))), key...)
		r = append(binary.AppendVarint(r, int64(len(value))), value...)
		r = binary.AppendVarint(r, 0)
		body = append(binary.AppendVarint(body, int64(len(r))), r...)
	}
	if c := w.attrs & attrCodec; c != 0 {
		body, _ = compressors()[c].Compress(new(bytes.Buffer), body)
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(w.first))
	b = binary.BigEndian.AppendUint32(b, uint32(batchHeader-lengthEnd+len(body)))
	b = binary.BigEndian.AppendUint32(b, uint32(w.epoch))
	b = append(b, 2, 0, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, w.attrs)
	b = binary.BigEndian.AppendUint32(b, uint32(w.last-w.first))
	b = binary.BigEndian.AppendUint64(b, uint64(1000+w.first))
	b = binary.BigEndian.AppendUint64(b, uint64(1000+w.last))
	b = binary.BigEndian.AppendUint64(b, uint64(w.producer))
	b = append(b, 0, 0, 0, 0, 0, 0)
	b = binary.BigEndian.AppendUint32(b, uint32(len(w.offsets)))
	b = append(b, body...)
	binary.BigEndian.PutUint32(b[17:], crc32.Checksum(b[21:], castagnoli))
	return b
}

// compressors are those of the codec numbers 0 to 4.
var compressors = sync.OnceValue(func() []kgo.Compressor {
	out := []kgo.Compressor{nil}
	for _, c := range []kgo.CompressionCodec{kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression()} {
		z, err := kgo.DefaultCompressor(c)
		if err != nil {
			panic(err)
		}
		out = append(out, z)
	}
	return out
})

func marker(offset, producer int64, commit bool) written {
	kind := byte(markerAbort)
	if commit {
		kind = 1
	}
	return written{first: offset, last: offset, producer: producer, attrs: attrTxn | attrControl, offsets: []int64{offset}, values: []string{""}, control: []byte{0, 0, 0, kind}}
}

// randomLog makes a log as a broker may hold it after transactions and compaction, and its aborted transactions with the
// offsets of their markers.
func randomLog(rng *rand.Rand) (log []written, aborted [][3]int64) {
	open := make(map[int64]int64) // by producer: first offset of its transaction
	at := int64(rng.IntN(5))
	for range 5 + rng.IntN(40) {
		if rng.IntN(6) == 0 {
			at += int64(rng.IntN(20)) // whole batches taken by compaction
		}
		producer := int64(rng.IntN(3)) + 1
		if first, in := open[producer]; in && rng.IntN(2) == 0 {
			commit := rng.IntN(2) == 0
			m := marker(at, producer, commit)
			if !commit {
				aborted = append(aborted, [3]int64{producer, first, at})
			}
			delete(open, producer)
			log, at = append(log, m), at+1
			continue
		}
		w := written{first: at, last: at + int64(rng.IntN(30)), producer: producer, epoch: int32(at / 50), attrs: uint16(rng.IntN(5))}
		if rng.IntN(2) == 0 {
			w.attrs |= attrTxn
			if _, in := open[producer]; !in {
				open[producer] = at
			}
		} else {
			w.producer = -1
		}
		if rng.IntN(4) == 0 {
			w.attrs |= attrLogTime
		}
		for o := w.first; o <= w.last; o++ {
			if rng.IntN(3) > 0 {
				w.offsets = append(w.offsets, o)
				w.values = append(w.values, fmt.Sprintf("value %d", o))
			}
		}
		if len(w.offsets) == 0 {
			w.attrs &^= attrCodec
		}
		log, at = append(log, w), w.last+1
	}
	for producer, first := range open { // a reader is given nothing of open transactions: end them
		log = append(log, marker(at, producer, false))
		aborted = append(aborted, [3]int64{producer, first, at})
		at++
	}
	return log, aborted
}

// abortedIn lists the aborted transactions that a broker tells with the batches from…end, in any order.
func abortedIn(rng *rand.Rand, aborted [][3]int64, from, end int64) []kmsg.FetchResponseTopicPartitionAbortedTransaction {
	var out []kmsg.FetchResponseTopicPartitionAbortedTransaction
	for _, a := range aborted {
		if a[2] >= from && a[1] < end {
			out = append(out, kmsg.FetchResponseTopicPartitionAbortedTransaction{ProducerID: a[0], FirstOffset: a[1]})
		}
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

func TestRandomLogsAreReadAsTheClientLibraryReadsThem(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 1))
		log, aborted := randomLog(rng)
		end := log[len(log)-1].last + 1
		from := rng.Int64N(end)

		var whole []byte
		for _, w := range log {
			if w.last >= from {
				whole = append(whole, w.encode()...)
			}
		}
		fp, next := kgo.ProcessFetchPartition(kgo.ProcessFetchPartitionOpts{Offset: from, IsolationLevel: kgo.ReadCommitted(), Topic: "t"},
			&kmsg.FetchResponseTopicPartition{RecordBatches: whole, AbortedTransactions: abortedIn(rng, aborted, from, end)}, kgo.DefaultDecompressor(), nil)
		if fp.Err != nil || next != end {
			t.Fatalf("seed %d: the library ends at %d with %v, want %d", seed, next, fp.Err, end)
		}
		var want []string
		for _, r := range fp.Records {
			want = append(want, fmt.Sprint(r.Offset, r.Timestamp.UnixMicro(), string(r.Key), string(r.Value)))
		}

		until := int64(-1)
		if rng.IntN(2) == 0 {
			until = from + rng.Int64N(end-from+1)
			want = slices.DeleteFunc(want, func(s string) bool {
				var o int64
				fmt.Sscan(s, &o)
				return o >= until
			})
		}
		if got, at := readLog(t, rng, log, aborted, from, until); !slices.Equal(got, want) {
			t.Fatalf("seed %d, from %d until %d: read\n%v\nwant\n%v", seed, from, until, got, want)
		} else if until >= 0 && at != until || until < 0 && at != end {
			t.Fatalf("seed %d, from %d until %d: reading ends at %d", seed, from, until, at)
		}
	}
}

// readLog gives the log to a part in several answers, the last batch of each sometimes cut, and reads it.
func readLog(t *testing.T, rng *rand.Rand, log []written, aborted [][3]int64, from, until int64) (got []string, at int64) {
	l, err := newLink("kafka://h/t", &connector.Options{}, roleSource)
	if err != nil {
		t.Fatal(err)
	}
	s := openableSource(l, &connector.Options{WantKeys: true})
	p := newPart(s, &connector.Start{From: connector.Position{Offset: from, Epoch: -1}, Until: until})
	s.parts = []*part{p}
	end := log[len(log)-1].last + 1
	for p.fetchAt < end && !p.fetched() {
		var answer []byte
		upper := p.fetchAt
		n := 1 + rng.IntN(6)
		for _, w := range log {
			if w.last >= p.fetchAt && n > 0 {
				answer = append(answer, w.encode()...)
				upper, n = w.last+1, n-1
			} else if n == 0 {
				b := w.encode()
				answer = append(answer, b[:rng.IntN(len(b))]...)
				break
			}
		}
		w := walkBatches(answer, p.fetchAt)
		if w.wrong != "" || w.next != upper {
			t.Fatalf("the headers say %+v, want next %d", w, upper)
		}
		p.push(piece{batches: answer[:w.whole], from: p.fetchAt, next: w.next, epoch: w.epoch, aborts: abortsOf(abortedIn(rng, aborted, p.fetchAt, upper)), size: w.whole})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel() // all is there: nothing may wait
	for {
		c, err := s.Read(ctx, 0)
		if err != nil {
			if fault.ClassOf(err) != fault.Internal {
				t.Fatal(err)
			}
			return got, p.at
		}
		for i := range c.Pos {
			k := c.Keys[i]
			got = append(got, fmt.Sprint(c.Pos[i], c.LogTime[i], string(c.Data[k.Off:k.Off+k.Len]), value(c, i)))
		}
		next, end := c.Next.Offset, c.End
		c.Release()
		if end {
			return got, next
		}
	}
}

func FuzzBatches(f *testing.F) {
	for seed := range uint64(4) {
		log, _ := randomLog(rand.New(rand.NewPCG(seed, 1)))
		var all []byte
		for _, w := range log {
			all = append(all, w.encode()...)
		}
		f.Add(all, int64(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, from int64) {
		if from < 0 || from > 1<<40 {
			return
		}
		w := walkBatches(b, from)
		if w.next < from || w.whole > len(b) {
			t.Fatalf("%+v from %d of %d bytes", w, from, len(b))
		}
		for rest := b[:w.whole]; len(rest) > 0; {
			var one batch
			one, rest = nextBatch(rest)
			body := one.body()
			for ok := true; ok; {
				_, body, ok = readRecord(body)
			}
		}
	})
}

func TestADamagedBatchIsTold(t *testing.T) {
	l, _ := newLink("kafka://h/t", &connector.Options{}, roleSource)
	s := openableSource(l, &connector.Options{})
	p := newPart(s, &connector.Start{From: connector.Position{Offset: 5}, Until: -1})
	s.parts = []*part{p}
	b := written{first: 5, last: 6, offsets: []int64{5, 6}, values: []string{"a", "b"}}.encode()
	b[len(b)-2] ^= 1
	p.push(piece{batches: b, from: 5, next: 7, size: len(b)})
	_, err := s.Read(context.Background(), 0)
	wantError(t, err, fault.Data, "the batch at t/0 position 5 is damaged: its checksum is wrong", "try again; if it stays, repair the topic's replicas")
}

func TestRecordsThatDoNotAscendAreDroppedAndToldOnce(t *testing.T) {
	h := newHeard()
	l, _ := newLink("kafka://h/t", &connector.Options{Logf: h.logf}, roleSource)
	s := openableSource(l, &connector.Options{})
	p := newPart(s, &connector.Start{From: connector.Position{Offset: 5}, Until: 12})
	s.parts = []*part{p}
	var b []byte
	for _, w := range []written{
		{first: 4, last: 7, offsets: []int64{4, 5, 6, 6, 7}, values: []string{"before", "a", "b", "again", "c"}},
		{first: 6, last: 7, offsets: []int64{6, 7}, values: []string{"again", "again"}},
		{first: 7, last: 11, offsets: []int64{7, 8, 11}, values: []string{"again", "d", "e"}},
	} {
		b = append(b, w.encode()...)
	}
	p.push(piece{batches: b, from: 5, next: 12, size: len(b)})
	rows, _ := readToEnd(t, s, 0)
	wantRows(t, rows, []row{{5, "a"}, {6, "b"}, {7, "c"}, {8, "d"}, {11, "e"}})
	if s.drops != 3 || h.text() != "t/0: the broker gave position 6 again where 7 was to come; it is dropped, and so are others like it" {
		t.Errorf("%d drops, logged: %s", s.drops, h.text())
	}
}
