package std

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/vec"
)

func rowsOf(values ...string) *connector.Rows {
	r := &connector.Rows{First: 1}
	for _, v := range values {
		r.Values = append(r.Values, v...)
		r.ValueEnds = append(r.ValueEnds, uint32(len(r.Values)))
	}
	return r
}

var fields = []vec.Field{
	{Name: "merchant", Type: vec.TypeOf(vec.Varchar)},
	{Name: "n", Type: vec.TypeOf(vec.Int64)},
	{Name: "total", Type: vec.DecimalType(18, 2)},
	{Name: "window", Type: vec.TypeOf(vec.Timestamp)},
}

func newSinkOn(t *testing.T, out interface{ Write([]byte) (int, error) }, terminal bool) connector.Sink {
	t.Helper()
	s, err := Kind.NewSink("-", &connector.Options{Stdout: out, Terminal: terminal, Fields: fields})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(bg, connector.Resume{}); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRowsAreLinesOfJSONAtTheFlush(t *testing.T) {
	var out bytes.Buffer
	s := newSinkOn(t, &out, false)
	s.Write(bg, rowsOf(`{"a":1}`, `{"a":2}`))
	if out.Len() != 0 {
		t.Fatal("written before the flush")
	}
	if state, err := s.Flush(bg); err != nil || state != nil {
		t.Fatal(state, err)
	}
	if out.String() != "{\"a\":1}\n{\"a\":2}\n" {
		t.Fatalf("%q", out.String())
	}
	s.Write(bg, rowsOf(strings.Repeat("x", bufferBytes)))
	if out.Len() < bufferBytes {
		t.Fatal("a full buffer is not written")
	}
	s.Write(bg, rowsOf(`{"a":3}`))
	if err := s.Close(); err != nil || !strings.HasSuffix(out.String(), "x\n{\"a\":3}\n") {
		t.Fatal(err)
	}
}

func TestAClosedPipeIsAQuietFault(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close()
	s := newSinkOn(t, w, false)
	s.Write(bg, rowsOf(`{}`))
	_, err = s.Flush(bg)
	var f *fault.Error
	if !errors.Is(err, syscall.EPIPE) || !errors.As(err, &f) || f.Class != fault.Sink || f.Try != "" ||
		f.Msg != "standard output was closed by its reader" {
		t.Fatal(err)
	}
	if again := s.Write(bg, rowsOf(`{}`)); again != err {
		t.Fatal(again)
	}
	if err := s.Close(); err != nil {
		t.Fatal("told twice:", err)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestAFullDiskUnderStandardOutput(t *testing.T) {
	s := newSinkOn(t, full{}, false)
	s.Write(bg, rowsOf(`{}`))
	_, err := s.Flush(bg)
	var f *fault.Error
	if !errors.As(err, &f) || f.Msg != "disk full while writing standard output: no space left on device" ||
		f.Try != "free space and start the same command again" {
		t.Fatal(err)
	}
}

func TestTheHookIsCalledAfterEachRow(t *testing.T) {
	calls := 0
	s, _ := Kind.NewSink("-", &connector.Options{Stdout: &bytes.Buffer{}, Fault: func(string) { calls++ }})
	s.Write(bg, rowsOf(`{}`, `{}`))
	if calls != 2 {
		t.Fatal(calls)
	}
}

// value makes a random JSON value.
func value(rnd *rand.Rand, depth int) any {
	switch k := rnd.IntN(7); {
	case k == 0:
		return nil
	case k == 1:
		return rnd.IntN(2) == 0
	case k == 2:
		return rnd.IntN(1000) - 500
	case k == 3 && depth > 0:
		return []any{value(rnd, depth-1), value(rnd, depth-1)}
	case k == 4 && depth > 0:
		return map[string]any{"k{,\"": value(rnd, depth-1)}
	}
	var b strings.Builder
	for range rnd.IntN(8) {
		b.WriteRune([]rune("ab\"\\/{}[],:\n\t\x01é😀 ")[rnd.IntN(17)])
	}
	return b.String()
}

func TestTheScannerReadsWhatTheStandardLibraryWrites(t *testing.T) {
	const seed = 77
	rnd := rand.New(rand.NewPCG(seed, 0))
	for round := range 20_000 {
		var row []byte
		var want []string
		for i := range rnd.IntN(5) {
			v := value(rnd, 2)
			raw, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, ",{"[min(1, max(0, 1-i))])
			row = fmt.Appendf(row, `"c%d":%s`, i, raw)
			switch v := v.(type) {
			case nil:
				want = append(want, "NULL")
			case string:
				want = append(want, v)
			default:
				want = append(want, string(raw))
			}
		}
		if row == nil {
			row = []byte{'{'}
		}
		row = append(row, '}')
		var got []string
		s := scanner{in: row}
		for s.next() {
			text, null := s.text()
			if null != (text == "NULL" && string(s.value) == "null") {
				t.Fatalf("seed %d round %d: %s is null: %v", seed, round, s.value, null)
			}
			got = append(got, text)
		}
		if !s.done() || fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("seed %d round %d: %s\n got %q\nwant %q", seed, round, row, got, want)
		}
		for n := range row { // no beginning of a row is taken for a whole one
			s := scanner{in: row[:n]}
			for s.next() {
			}
			if s.done() {
				t.Fatalf("seed %d: %q is taken for a whole object", seed, row[:n])
			}
		}
	}
}

func TestStandardOutputBeginsWithItsHead(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		s, err := Kind.NewSink("-", &connector.Options{Stdout: &out, Head: []byte("merchant,n\n"), Terminal: terminal, Fields: fields[:2]})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil || !terminal && out.Len() > 0 {
			t.Fatalf("before it is opened: %q, %v", out.String(), err)
		}
	}
	for rows, want := range map[string]string{"": "merchant,n\n", `a,1`: "merchant,n\na,1\n"} {
		var out bytes.Buffer
		s, err := Kind.NewSink("-", &connector.Options{Stdout: &out, Head: []byte("merchant,n\n")})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Open(bg, connector.Resume{}); err != nil {
			t.Fatal(err)
		}
		if rows != "" {
			s.Write(bg, rowsOf(rows))
		}
		if _, err := s.Flush(bg); err != nil || out.String() != want {
			t.Errorf("%q: %q, %v", rows, out.String(), err)
		}
		s.Close()
		if out.String() != want {
			t.Errorf("%q: at the end %q", rows, out.String())
		}
	}
	var out bytes.Buffer
	s, err := Kind.NewSink("-", &connector.Options{Stdout: &out, Head: []byte("no table has it\n"), Terminal: true, Fields: fields[:1]})
	if err != nil {
		t.Fatal(err)
	}
	s.Open(bg, connector.Resume{})
	s.Write(bg, rowsOf(`{"merchant":"a"}`))
	s.Close()
	if want := "merchant\n--------\na\n(1 row)\n"; out.String() != want {
		t.Errorf("a table: %q", out.String())
	}
}
