package lines

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/codec"
)

// naiveQuoted is the plainest reading of the rules with quotes: a byte at a time.
func naiveQuoted(data string, f codec.Framing, maxRecord int, wait bool) (out []record, next int64) {
	add := func(from, to int) {
		text := data[from:to]
		if from == 0 {
			text = strings.TrimPrefix(text, "\xef\xbb\xbf")
		}
		text = strings.TrimSuffix(text, "\r")
		if len(text) > maxRecord {
			out = append(out, record{int64(from), "HUGE"})
		} else if text != "" {
			out = append(out, record{int64(from), text})
		}
	}
	start, in, esc := 0, false, false
	// opens tells whether a quote at i opens, closed whether the byte before i closed one.
	opens, closed := true, false
	for i := range len(data) {
		c := data[i]
		if i == 3 && data[:3] == "\xef\xbb\xbf" {
			opens = true
		}
		wasClosed := closed
		closed = false
		switch {
		case c == '\n' && (!in || i-start > maxRecord+4):
			add(start, i)
			start, in, esc, opens = i+1, false, false, true
			continue
		case esc:
			esc = false
		case in && f.Escape != 0 && f.Escape != f.Quote && c == f.Escape:
			esc = true
		case in && c == f.Quote:
			in, closed = false, true
		case c == f.Quote && (opens || f.Delimiter == 0 || wasClosed && f.Escape == f.Quote):
			in = true
		}
		opens = c == f.Delimiter && !in
	}
	if wait {
		return out, int64(start)
	}
	if start < len(data) {
		add(start, len(data))
	}
	return out, int64(len(data))
}

var framings = []codec.Framing{
	{Quote: '"', Escape: '"'},
	{Quote: '"', Escape: '\\'},
	{Quote: '"'},
	{Quote: '\'', Escape: '\''},
	{Quote: '"', Escape: '"', Header: true},
	{Quote: '"', Escape: '\\', Header: true},
	{Quote: '"', Escape: '"', Delimiter: ','},
	{Quote: '"', Escape: '\\', Delimiter: ','},
	{Quote: '"', Delimiter: 'a'},
	{Quote: '"', Escape: '"', Delimiter: ',', Header: true},
}

func TestQuotedRecordsAreThoseOfANaiveReaderAtEveryChunkSize(t *testing.T) {
	const seed = 0x71756f74
	rnd := rand.New(rand.NewPCG(seed, 1))
	for round := range 200 {
		alphabet := []string{"\"\n", "\"\"\n\nab,", "\"\\\n,\r", "\"\\\\\n", "'\"\n\\abc", "\"\r\n\r\nabcdefghij", "\xef\xbb\xbf\"\n", "\",\n", "\"\",,a\\\n"}[rnd.IntN(9)]
		data := make([]byte, rnd.IntN(45))
		for i := range data {
			data[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		text := string(data)
		if rnd.IntN(4) == 0 {
			text = "\xef\xbb\xbf" + text
		}
		f := framings[rnd.IntN(len(framings))]
		if rnd.IntN(3) == 0 && f.Delimiter == 0 {
			f.Delimiter = ','
		}
		for size := 1; size <= len(text)+2; size++ {
			err := ways(text, f, size, 1+rnd.IntN(5), 1+rnd.IntN(9), 1+rnd.IntN(14), []int{0, 2, 3}[rnd.IntN(3)])
			if err != nil {
				t.Fatalf("seed %#x round %d: %v", seed, round, err)
			}
		}
	}
}

func FuzzQuotedRecordsAreThoseOfANaiveReader(f *testing.F) {
	for i, text := range []string{
		"a,b\n1,\"x\ny\"\n", "a\r\n\"1\"\"\n\"\r\n", "\"\\\"\n\\\\\"\n2\n", "\xef\xbb\xbf\"h\"\n\n\n1\n", "5\" pipe\nnever closed\n\n", "\"\\", "",
		"\xef\xbb\xbf\"h\"\"\n\",5\" pipe\n,\"x\n\"\n", "a,b\"\n\"c\\\"\n\"x\",\"\n", "\"a\"b,\"\n\"\n", "\"\"\"\n\"\"\n\"\n",
	} {
		f.Add(text, uint8(i), uint8(3+i), uint8(2), uint8(40), uint8(i))
	}
	f.Fuzz(func(t *testing.T, text string, framing, size, most, maxRecord, fail uint8) {
		if len(text) > 1000 {
			return
		}
		fr := framings[int(framing)%len(framings)]
		if err := ways(text, fr, 1+int(size), 1+int(size)%5, 1+int(most), 1+int(maxRecord), int(fail%4)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestQuotedShapesAtTheRealChunkSize(t *testing.T) {
	doubled, slashed := framings[0], framings[1]
	fields := codec.Framing{Quote: '"', Escape: '"', Delimiter: ','}
	slashedFields := codec.Framing{Quote: '"', Escape: '\\', Delimiter: ','}
	field := `"` + strings.Repeat("text, in \"\"quotes\"\"\r\n", 30_000) + `"`
	for name, c := range map[string]struct {
		f    codec.Framing
		data string
	}{
		"lines in quotes":       {doubled, strings.Repeat("1,\"a\nb\",2\n", 200_000)},
		"fields beyond a chunk": {doubled, "a,b\n" + field + ",1\r\n" + field + ",2\n3,4\n"},
		"never closed":          {doubled, "a,b\n1,\"2\n" + strings.Repeat("3,4\n", 300_000)},
		"escaped":               {slashed, strings.Repeat("1,\"a\\\"\n\\\\\",2\n", 150_000)},
		"escapes beyond":        {slashed, "\"" + strings.Repeat("\\\"\\\\\n", 300_000) + "\"\n1\n"},
		"fields in quotes":      {fields, strings.Repeat("1,\"a\nb\",2\n5\" pipe,\n", 100_000)},
		"no quotes":             {fields, strings.Repeat("1,a b,2,\n", 60_000)},
		"quoted beyond a chunk": {fields, "a,b\n" + field + ",1\r\n" + field + ",2\n3,4\n"},
		"escaped fields":        {slashedFields, strings.Repeat("1,\"a\\\"\n\\\\\",2\n\\\",\n", 40_000)},
		"too long, in a field":  {fields, "1\n\"" + strings.Repeat("x\n", 3<<20) + "\"\n2,\"3\n4\"\n"},
		"too long, in quotes":   {doubled, "1\n\"" + strings.Repeat("x\n", 3<<20) + "\"\n2,\"3\n4\"\n"},
		"too long, never ended": {slashed, "1\n\"" + strings.Repeat("x", 5<<20)},
	} {
		t.Run(name, func(t *testing.T) {
			const most = 4 << 20
			want, wantNext := naiveQuoted(c.data, c.f, most, false)
			for _, keep := range []bool{false, true} {
				r := NewReader(NewPool(), Options{MaxRecord: most, Until: int64(len(c.data)), Keep: keep, Hashed: true, Framing: c.f})
				got, next, err := same(r, &once{memory{data: c.data, most: 100_000}}, keep, c.data)
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

func TestARecordOverTheLimitEndsAtALineFeedWhateverItsQuotesSay(t *testing.T) {
	data := "\"" + strings.Repeat("1,2\n", 5) + "3,4\n\"5\n6\"\n"
	r := NewReader(NewPool(), Options{MaxRecord: 10, Until: int64(len(data)), Framing: framings[0]})
	got, _, err := drain(r, &memory{data: data, most: 1000}, data)
	// The first line feed at 15 bytes or more behind the record's beginning is the one at 16.
	if want := `[0:"HUGE" 17:"1,2" 21:"3,4" 25:"\"5\n6\""]`; err != nil || fmt.Sprint(got) != want {
		t.Fatalf("%v: %v, want %s", err, got, want)
	}
}

func TestOnlyAQuoteThatBeginsAFieldOpens(t *testing.T) {
	f := codec.Framing{Quote: '"', Escape: '"', Delimiter: ','}
	for data, want := range map[string]string{
		"1,\"fine\"\n3,not \"fine\n4,\"x\ny\"\n":   `[0:"1,\"fine\"" 9:"3,not \"fine" 21:"4,\"x\ny\""]`,
		"5\" pipe\n6\" pipe\n":                     `[0:"5\" pipe" 8:"6\" pipe"]`,
		"\"a\" \"b\n\"c\"\"d\",\"\n":               `[0:"\"a\" \"b" 7:"\"c\"\"d\",\"\n"]`,
		" \"a\nb\"\n":                              `[0:" \"a" 4:"b\""]`,
		"\"a,\"\"b\n,\"\"\",\"c\nd\",\r\ne":        `[0:"\"a,\"\"b\n,\"\"\",\"c\nd\"," 20:"e"]`,
		"\xef\xbb\xbf\"a\nb\"\n\xef\xbb\xbf\"c\nd": "[0:\"\\\"a\\nb\\\"\" 9:\"\\ufeff\\\"c\" 15:\"d\"]",
	} {
		r := NewReader(NewPool(), Options{Until: int64(len(data)), Framing: f})
		if got, _, err := drain(r, &memory{data: data, most: 1}, data); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%q: %v: %v\nwant %s", data, err, got, want)
		}
	}
}

func TestQuotedReadingAllocatesNothingPerChunk(t *testing.T) {
	data := strings.Repeat("1,\"some text\",\"and, more \"\"of\"\" it\n\",2\n", 100_000)
	pool, in := NewPool(), &memory{data: data, most: 1 << 20}
	f := framings[0]
	read := func() {
		r := NewReader(pool, Options{Until: int64(len(data)), Hashed: true, Framing: f})
		for end := false; !end; {
			c, _ := r.Read(context.Background(), in)
			end = c.End
			c.Release()
		}
	}
	for range 2 {
		read()
		if n := testing.AllocsPerRun(5, read); n > 2 {
			t.Fatalf("%+v: %v allocations for 16 chunks", f, n)
		}
		f.Delimiter = ','
	}
}

func BenchmarkReadQuoted(b *testing.B) {
	data := strings.Repeat("123456,\"2026-01-01 00:00:00\",\"a merchant's name\",12.50,\"EUR\",some more text\n", 120_000)
	for i, f := range []codec.Framing{{Quote: '"', Escape: '"'}, {Quote: '"', Escape: '\\'}, {Quote: '"', Escape: '"', Delimiter: ','}, {Quote: '"', Escape: '\\', Delimiter: ','}} {
		b.Run([]string{"doubled", "escaped", "fields", "escaped fields"}[i], func(b *testing.B) {
			pool, in := NewPool(), &memory{data: data, most: 1 << 20}
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r := NewReader(pool, Options{Until: int64(len(data)), Framing: f})
				for end := false; !end; {
					c, _ := r.Read(context.Background(), in)
					end = c.End
					c.Release()
				}
			}
		})
	}
}
