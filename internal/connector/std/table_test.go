package std

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"ubik/internal/connector"
	"ubik/internal/host"
	"ubik/internal/screen"
	"ubik/internal/vec"
)

func TestATerminalShowsAnAlignedTable(t *testing.T) {
	var out bytes.Buffer
	s := newSinkOn(t, &out, true)
	s.Write(bg, rowsOf(
		`{"merchant":"acme","n":3,"total":12.50,"window":"2026-01-01T00:00:00Z"}`,
		`{"merchant":"größer \"&\" co","n":12,"total":-1.00,"window":null}`,
		`{"merchant":"売上","n":1,"total":0.00,"window":"2026-01-01T00:00:00Z"}`,
		`{"merchant":null,"n":null,"total":null,"window":"2026-01-01T00:00:00Z"}`))
	if out.Len() != 0 {
		t.Fatal("written before the widths are known")
	}
	s.Flush(bg)
	s.Write(bg, rowsOf(
		`{"merchant":"a much longer merchant","n":123456,"total":1.00,"window":"2026-01-01T00:01:00Z"}`,
		`{"merchant":"\u001b[31mred\n\u00e9\ud83d\ude00\\","n":1,"total":1.00,"window":"2026-01-01T00:01:00Z"}`,
		`{"merchant":"short","n":1,"total":1.00,"window":"2026-01-01T00:01:00Z"}`,
		`not ours`))
	const table = `merchant          n  total  window
-------------  ----  -----  --------------------
acme              3  12.50  2026-01-01T00:00:00Z
größer "&" co    12  -1.00  NULL
売上              1   0.00  2026-01-01T00:00:00Z
NULL           NULL   NULL  2026-01-01T00:00:00Z
a much longer merchant  123456   1.00  2026-01-01T00:01:00Z
\u001b[31mred\né😀\     1   1.00  2026-01-01T00:01:00Z
short             1   1.00  2026-01-01T00:01:00Z
not ours
`
	if got := out.String(); got != table {
		t.Fatalf("got\n%s\nwant\n%s", got, table)
	}
	s.Close()
	s.Close()
	if got := out.String(); got != table+"(8 rows)\n" {
		t.Fatalf("at the end\n%s", got)
	}
}

func TestATableWithoutRowsHasAHead(t *testing.T) {
	var out bytes.Buffer
	s := newSinkOn(t, &out, true)
	s.Flush(bg)
	s.Close()
	if want := "merchant  n  total  window\n--------  -  -----  ------\n(0 rows)\n"; out.String() != want {
		t.Fatalf("%q", out.String())
	}
	out.Reset()
	s = newSinkOn(t, &out, true)
	s.Write(bg, rowsOf(`{"merchant":"a","n":1,"total":1.00,"window":"w"}`))
	s.Close()
	if !strings.HasSuffix(out.String(), "(1 row)\n") {
		t.Fatalf("%q", out.String())
	}
}

func TestALongValueIsCutAndTheEndSaysSo(t *testing.T) {
	var out bytes.Buffer
	s := newSinkOn(t, &out, true)
	number := strings.Repeat("7", 70)
	s.Write(bg, rowsOf(
		`{"merchant":"`+strings.Repeat("x", 60)+`","n":1,"total":1,"window":"w"}`,
		`{"merchant":"`+strings.Repeat("y", 61)+`","n":`+number+`,"total":1,"window":"w"}`))
	s.Flush(bg)
	s.Write(bg, rowsOf(`{"merchant":"`+strings.Repeat("売", 31)+`","n":1,"total":1,"window":"w"}`))
	s.Close()
	lines := strings.Split(out.String(), "\n")
	pad := strings.Repeat(" ", 69)
	for i, want := range []string{
		strings.Repeat("x", 60) + "  " + pad + "1      1  w",
		strings.Repeat("y", 59) + "…  " + number + "      1  w",
		strings.Repeat("売", 29) + "…   " + pad + "1      1  w",
		"(3 rows; 2 values cut to 60 columns: write to a file or a pipe to have them whole)",
	} {
		if lines[i+2] != want {
			t.Errorf("line %d\ngot  %s\nwant %s", i, lines[i+2], want)
		}
	}
}

func TestColoursAreForTheRuleAndNull(t *testing.T) {
	var out bytes.Buffer
	s, err := Kind.NewSink("-", &connector.Options{Stdout: &out, Terminal: true, Colours: true, Fields: []vec.Field{{Name: "a", Type: vec.TypeOf(vec.Int64)}, {Name: "b", Type: vec.TypeOf(vec.Varchar)}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(bg, rowsOf(`{"a":null,"b":null}`, `{"a":1,"b":"NULL"}`))
	s.Close()
	if want := "   a  b\n\x1b[2m----  ----\x1b[0m\n\x1b[2mNULL\x1b[0m  \x1b[2mNULL\x1b[0m\n   1  NULL\n(2 rows)\n"; out.String() != want {
		t.Fatalf("%q", out.String())
	}
}

func TestEnoughRowsSettleTheTable(t *testing.T) {
	row := `{"merchant":"a","n":1,"total":1.00,"window":"w"}`
	large := `{"merchant":"a","n":` + strings.Repeat("1", heldMax/4) + `,"total":1.00,"window":"w"}`
	for _, c := range []struct {
		row string
		n   int
	}{{row, rowsMax}, {large, 4}} {
		var out bytes.Buffer
		s := newSinkOn(t, &out, true)
		for i := range c.n {
			if out.Len() > 0 {
				t.Fatalf("written after %d rows", i)
			}
			s.Write(bg, rowsOf(c.row))
		}
		if got := strings.Count(out.String(), "\n"); got != c.n+2 {
			t.Fatalf("%d lines of %d rows", got, c.n)
		}
		s.Write(bg, rowsOf(row, row))
		if got := strings.Count(out.String(), "\n"); got != c.n+4 {
			t.Fatal("a settled table holds rows back")
		}
		s.Close()
	}
	wide := newTable(make([]vec.Field, manyMax/2), false)
	empty := "{" + strings.Repeat(`"":"",`, manyMax/2-1) + `"":""}`
	for range 2 {
		if wide.full() {
			t.Fatal("full too early")
		}
		wide.add([]byte(empty))
	}
	if !wide.full() {
		t.Fatal("too many cells are held")
	}
}

// told is a terminal that tells of each write.
type told struct{ writes chan string }

func (w told) Write(b []byte) (int, error) {
	w.writes <- string(b)
	return len(b), nil
}

func TestQuietSettlesTheTable(t *testing.T) {
	out, clock := told{make(chan string, 10)}, host.NewManual(time.Unix(0, 0))
	s, err := Kind.NewSink("-", &connector.Options{Stdout: out, Terminal: true, Clock: clock, Fields: fields[:1]})
	if err != nil {
		t.Fatal(err)
	}
	s.Write(bg, rowsOf(`{"merchant":"a"}`))
	clock.Advance(quiet - 1)
	s.Write(bg, rowsOf(`{"merchant":"b"}`)) // which begins the wait anew
	clock.Advance(quiet - 1)
	if len(out.writes) > 0 {
		t.Fatal("written too early")
	}
	clock.Advance(1)
	if got := <-out.writes; got != "merchant\n--------\na\nb\n" {
		t.Fatalf("%q", got)
	}
	s.Write(bg, rowsOf(`{"merchant":"c"}`))
	if got := <-out.writes; got != "c\n" {
		t.Fatalf("%q", got)
	}
	s.Close()
	clock.Advance(time.Hour)
	if got := <-out.writes; got != "(3 rows)\n" || len(out.writes) > 0 {
		t.Fatalf("%q", got)
	}
}

// broken is a terminal that is gone.
type broken struct{ tried chan struct{} }

func (b broken) Write([]byte) (int, error) {
	close(b.tried)
	return 0, syscall.EIO
}

func TestAFailureInTheQuietIsToldByTheNextCall(t *testing.T) {
	out, clock := broken{make(chan struct{})}, host.NewManual(time.Unix(0, 0))
	s, _ := Kind.NewSink("-", &connector.Options{Stdout: out, Terminal: true, Clock: clock, Fields: fields[:1]})
	s.Write(bg, rowsOf(`{"merchant":"a"}`))
	clock.Advance(quiet)
	<-out.tried
	if _, err := s.Flush(bg); !errors.Is(err, syscall.EIO) || err.Error() != "cannot write standard output: input/output error" {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal("told twice:", err)
	}
}

// Whatever the rows are and wherever they are cut into writes: no row and no value is lost, and in front of a column that
// fits stands what its width says.
func TestTheTableAgainstItsRows(t *testing.T) {
	const seed = 3
	rnd := rand.New(rand.NewPCG(seed, 0))
	for round := range 300 {
		var out bytes.Buffer
		s := newSinkOn(t, &out, true)
		var want [][]string
		for range rnd.IntN(40) {
			name := strings.Repeat([]string{"a", "é", "売"}[rnd.IntN(3)], rnd.IntN(25))
			n := fmt.Sprint(rnd.Int64() >> rnd.IntN(64))
			want = append(want, []string{name, n})
			s.Write(bg, rowsOf(fmt.Sprintf(`{"merchant":%q,"n":%s,"total":0,"window":"w"}`, name, n)))
			if rnd.IntN(10) == 0 {
				s.Flush(bg)
			}
		}
		s.Close()
		lines := strings.Split(out.String(), "\n")
		if len(lines) != len(want)+4 {
			t.Fatalf("seed %d round %d: %d lines of %d rows", seed, round, len(lines), len(want))
		}
		first := strings.IndexByte(lines[1], ' ') // columns of the first column
		for i, row := range want {
			line := lines[i+2]
			pad := max(0, first-screen.Width(row[0]))
			if rest, ok := strings.CutPrefix(line, row[0]+strings.Repeat(" ", pad)+gap); !ok || strings.Fields(rest)[0] != row[1] || !strings.HasSuffix(line, "      0  w") {
				t.Fatalf("seed %d round %d row %d: %q is shown as %q", seed, round, i, row, line)
			}
		}
	}
}
