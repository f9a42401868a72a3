package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/codec"
	"ubik/internal/connector"
)

// record is a record as a test sees it; a huge one has the value "HUGE".
type record struct {
	pos   int64
	value string
}

func (r record) String() string { return fmt.Sprintf("%d:%q", r.pos, r.value) }

// naive is the plainest reading of the rules: the records of data and the offset where a later run goes on.
func naive(data string, maxRecord int, wait bool) (out []record, next int64) {
	at := int64(0)
	for len(data) > 0 {
		line, rest, whole := strings.Cut(data, "\n")
		size := int64(len(data) - len(rest))
		if !whole && wait {
			break
		}
		if at == 0 {
			line = strings.TrimPrefix(line, "\xef\xbb\xbf")
		}
		line = strings.TrimSuffix(line, "\r")
		if len(line) > maxRecord {
			out = append(out, record{at, "HUGE"})
		} else if line != "" {
			out = append(out, record{at, line})
		}
		at += size
		data = rest
	}
	return out, at
}

// memory is an input that gives at most most bytes a call, and fails every fail-th of the first
// 20 calls (0: never).
type memory struct {
	data  string
	most  int
	fail  int
	calls int
	got   int64 // the end of what was given
}

var errInput = errors.New("input failed")

func (m *memory) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	m.calls++
	if m.fail > 0 && m.calls <= 20 && m.calls%m.fail == 0 {
		return 0, errInput
	}
	if len(p) == 0 {
		return 0, errors.New("asked for nothing")
	}
	if off >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), m.most)], m.data[off:])
	m.got = off + int64(n)
	return n, nil
}

// once refuses to give a byte twice.
type once struct{ memory }

func (o *once) ReadAt(ctx context.Context, p []byte, off int64) (int, error) {
	if off != o.got {
		return 0, fmt.Errorf("read at %d instead of %d", off, o.got)
	}
	return o.memory.ReadAt(ctx, p, off)
}

func sum(data string) [16]byte { return xxh3.HashString128(data).Bytes() }

// drain reads to the end and checks what holds for every chunk.
func drain(r *Reader, in Input, data string) ([]record, int64, error) {
	var out []record
	for {
		c, err := r.Read(context.Background(), in)
		if err == errInput {
			continue
		}
		if err != nil {
			return nil, 0, err
		}
		if len(c.Spans) == 0 && !c.End {
			return nil, 0, errors.New("a chunk without records that is not the end")
		}
		if len(c.Spans) > r.pool.records+1 || len(c.Spans) != len(c.Pos) {
			return nil, 0, fmt.Errorf("%d spans, %d positions", len(c.Spans), len(c.Pos))
		}
		if r.Hashed && c.Next.Hash != sum(data[:c.Next.Offset]) {
			return nil, 0, fmt.Errorf("hash at %d is wrong", c.Next.Offset)
		}
		for i, s := range c.Spans {
			if at := c.At(i); at.Offset != c.Pos[i] || r.Hashed && at.Hash != sum(data[:at.Offset]) {
				return nil, 0, fmt.Errorf("At(%d) is wrong", i)
			}
			if s.Len == codec.HugeLen {
				out = append(out, record{c.Pos[i], "HUGE"})
			} else {
				out = append(out, record{c.Pos[i], string(c.Data[s.Off : s.Off+s.Len])})
			}
		}
		// A decoder may write behind the bytes; nothing that follows may suffer.
		c.Data = append(c.Data, "scribble"...)
		next, end := c.Next.Offset, c.End
		// At the end of an input that may grow, a line that is too long may have been passed in part.
		if at := r.Seen(); at < next || at > next && !(end && r.Wait) || string(r.Tail()) != data[max(0, at-int64(r.Options.Tail)):at] {
			return nil, 0, fmt.Errorf("at %d, seen to %d, the tail is %q", next, at, r.Tail())
		}
		if next != r.Position().Offset {
			return nil, 0, errors.New("Next is not the reader's position")
		}
		c.Release()
		if end {
			return out, next, nil
		}
	}
}

// ways reads data in every way with a chunk size and compares with the naive reading.
func ways(data string, f codec.Framing, size, records, most, maxRecord, fail int) error {
	pool := NewPool()
	pool.bytes, pool.records = size, records
	for _, wait := range []bool{false, true} {
		want, wantNext := naive(data, maxRecord, wait)
		if f.Quote != 0 {
			want, wantNext = naiveQuoted(data, f, maxRecord, wait)
		}
		header := ""
		if f.Header && len(want) > 0 {
			header, want = want[0].value, want[1:]
		} else if f.Header && wait && int64(len(data))-wantNext > int64(maxRecord)+4 {
			header = "HUGE" // though it is not whole
		}
		for _, known := range []bool{false, true} {
			for _, keep := range []bool{false, true} {
				passed := ""
				o := Options{
					MaxRecord: maxRecord, Until: -1, Wait: wait, Keep: keep, Hashed: true, Tail: 3, Framing: f,
					HeaderCheck: func(b []byte) error { passed += string(b); return nil },
				}
				in := memory{data: data, most: most, fail: fail}
				if known {
					o.Until = int64(len(data))
					in.data += "more\nthan there was"
				}
				var input Input = &in
				if keep {
					input = &once{in}
				}
				got, next, err := drain(NewReader(pool, o), input, data)
				if header == "HUGE" {
					if err == nil || err.Error() != "it is longer than the longest record that is permitted" {
						return fmt.Errorf("%q %+v size %d: %v, for a header that is too long", data, f, size, err)
					}
					continue
				}
				if err == nil && passed != header {
					err = fmt.Errorf("header %q, want %q", passed, header)
				}
				if err != nil || next != wantNext || fmt.Sprint(got) != fmt.Sprint(want) {
					return fmt.Errorf("%q %+v size %d records %d most %d max %d fail %d wait %v known %v keep %v: %v\n got %d %v\nwant %d %v",
						data, f, size, records, most, maxRecord, fail, wait, known, keep, err, next, got, wantNext, want)
				}
			}
		}
	}
	return nil
}

func TestLinesAreThoseOfANaiveSplitterAtEveryChunkSize(t *testing.T) {
	const seed = 0x6c696e65
	rnd := rand.New(rand.NewPCG(seed, 1))
	for round := range 250 {
		alphabet := []string{"\n\na", "\r\nab", "\n\r\x00\xff", "\n\rabcdefgh", "\xef\xbb\xbf\r\na"}[rnd.IntN(5)]
		data := make([]byte, rnd.IntN(40))
		for i := range data {
			data[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		text := string(data)
		if rnd.IntN(3) == 0 {
			text = "\xef\xbb\xbf" + text
		}
		for size := 1; size <= len(text)+2; size++ {
			f := codec.Framing{Header: rnd.IntN(4) == 0}
			err := ways(text, f, size, 1+rnd.IntN(5), 1+rnd.IntN(9), 1+rnd.IntN(12), []int{0, 2, 3}[rnd.IntN(3)])
			if err != nil {
				t.Fatalf("seed %#x round %d: %v", seed, round, err)
			}
		}
	}
}

func TestShapesAtTheRealChunkSize(t *testing.T) {
	long := strings.Repeat("x", 20<<20)
	for name, data := range map[string]string{
		"empty file":          "",
		"byte order mark":     "\xef\xbb\xbf",
		"mark and line":       "\xef\xbb\xbf{}\n{}\n",
		"mark later":          "{}\n\xef\xbb\xbf{}\n",
		"crlf":                "{\"a\":1}\r\n\r\n{\"a\":2}\r\n",
		"only newlines":       strings.Repeat("\n", 700_000),
		"only crlf":           strings.Repeat("\r\n", 400_000),
		"no final newline":    "{}\n{}",
		"nul bytes":           "\x00\n\x00\x00\r\n\x00",
		"short lines":         strings.Repeat("1\n", 300_000),
		"20 MB line":          "{}\n" + long + "\n{}\n{}",
		"20 MB line, last":    "{}\n" + long,
		"too long":            "{}\n" + long + long + "\n{}\n",
		"too long, last":      "{}\n" + long + long,
		"too long, and again": long + long + "\r\n" + long + long + "\n1\n",
		"exactly the longest": long + strings.Repeat("x", 10<<20) + "\r\n1\n",
		"one byte more":       long + strings.Repeat("x", 10<<20) + "x\r\n1\n",
		"a chunk to the byte": strings.Repeat(strings.Repeat("y", 1023)+"\n", 512),
	} {
		t.Run(name, func(t *testing.T) {
			want, wantNext := naive(data, 30<<20, false)
			for _, keep := range []bool{false, true} {
				r := NewReader(NewPool(), Options{MaxRecord: 30 << 20, Until: int64(len(data)), Keep: keep, Hashed: true})
				got, next, err := same(r, &once{memory{data: data, most: 100_000}}, keep, data)
				if err != nil || next != wantNext || len(got) != len(want) {
					t.Fatalf("keep %v: %v: %d records to %d, want %d to %d", keep, err, len(got), next, len(want), wantNext)
				}
				for i := range got {
					if got[i] != want[i] {
						t.Fatalf("keep %v: record %d differs", keep, i)
					}
				}
			}
		})
	}
}

// same drains without the checks that take long on large data.
func same(r *Reader, in *once, keep bool, data string) (out []record, next int64, err error) {
	var input Input = in
	if !keep {
		input = &in.memory
	}
	for {
		c, err := r.Read(context.Background(), input)
		if err != nil {
			return nil, 0, err
		}
		if len(c.Spans) > chunkRecords+1 || len(c.Data) > chunkBytes && len(c.Spans) > 1 && c.Spans[0].Len < chunkBytes/2 {
			return nil, 0, fmt.Errorf("chunk of %d records, %d bytes", len(c.Spans), len(c.Data))
		}
		for i, s := range c.Spans {
			v := "HUGE"
			if s.Len != codec.HugeLen {
				v = string(c.Data[s.Off : s.Off+s.Len])
			}
			out = append(out, record{c.Pos[i], v})
		}
		end, next := c.End, c.Next
		c.Release()
		if end {
			if next.Hash != sum(data[:next.Offset]) {
				return nil, 0, errors.New("the last hash is wrong")
			}
			return out, next.Offset, nil
		}
	}
}

func TestAResumedReaderGoesOnAsIfNeverStopped(t *testing.T) {
	data := strings.Repeat("{\"n\":1}\n\r\n{\"n\":22}\r\n", 50) + "{}"
	all, _ := naive(data, 100, false)
	for i, rec := range all {
		var h xxh3.Hasher
		h.WriteString(data[:rec.pos])
		r := NewReader(NewPool(), Options{Until: int64(len(data)), Hashed: true})
		r.Resume(rec.pos, &h, nil, false)
		got, _, err := drain(r, &memory{data: data, most: 7}, data)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(all[i:]) {
			t.Fatalf("from %d: %v: %v", rec.pos, err, got)
		}
	}
}

func TestAStreamDeliversWhatIsThereBeforeItWaits(t *testing.T) {
	in := &once{memory{data: "{\"a\":1}\n{\"a\":2}\n{\"a\"", most: 12}}
	r := NewReader(NewPool(), Options{Until: -1, Keep: true})
	for _, want := range []int64{8, 16} {
		c, err := r.Read(context.Background(), in)
		if err != nil || c.End || c.Next.Offset != want || len(c.Spans) != 1 {
			t.Fatalf("%v %+v", err, c)
		}
		if in.got > want+12 {
			t.Fatalf("read to %d before delivering %d", in.got, want)
		}
		c.Release()
	}
}

func TestTheEndCanBeReadAgain(t *testing.T) {
	r := NewReader(NewPool(), Options{Until: 3, Hashed: true})
	for range 3 {
		c, err := r.Read(context.Background(), &memory{data: "{}\n", most: 9})
		if err != nil || !c.End || c.Next.Offset != 3 {
			t.Fatalf("%v %+v", err, c)
		}
		c.Release()
	}
}

func TestReadingAllocatesNothingPerChunk(t *testing.T) {
	data := strings.Repeat(strings.Repeat("z", 199)+"\n", 20_000)
	pool, in := NewPool(), &memory{data: data, most: 1 << 20}
	var c *connector.Chunk
	read := func() {
		r := NewReader(pool, Options{Until: int64(len(data)), Hashed: true})
		for {
			c, _ = r.Read(context.Background(), in)
			end := c.End
			c.Release()
			if end {
				return
			}
		}
	}
	read()
	if n := testing.AllocsPerRun(5, read); n > 2 {
		t.Fatalf("%v allocations for 16 chunks", n)
	}
}

func TestADecodersLargerBufferIsKept(t *testing.T) {
	pool := NewPool()
	r := NewReader(pool, Options{Until: 3})
	c, _ := r.Read(context.Background(), &memory{data: "{}\n", most: 9})
	c.Data = append(c.Data, bytes.Repeat([]byte{'u'}, 400<<10)...)
	c.Release()
	if b := pool.get(); len(b.buf) < 400<<10 {
		t.Fatalf("the buffer has %d bytes", len(b.buf))
	}
}

func BenchmarkRead(b *testing.B) {
	data := strings.Repeat(strings.Repeat("z", 238)+"\n", 40_000)
	pool, in := NewPool(), &memory{data: data, most: 1 << 20}
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		r := NewReader(pool, Options{Until: int64(len(data)), Hashed: true})
		for end := false; !end; {
			c, _ := r.Read(context.Background(), in)
			end = c.End
			c.Release()
		}
	}
}
