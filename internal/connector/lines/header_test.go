package lines

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"

	"ubik/internal/codec"
)

var withHeader = codec.Framing{Quote: '"', Escape: '"', Header: true}

func TestTheFirstRecordIsTheHeaderAndNoRecord(t *testing.T) {
	for data, want := range map[string]string{
		"a,b\n1,2\n3,4\n":               `a,b [4:"1,2" 8:"3,4"]`,
		"\n\r\n\"a\nx\",b\r\n1,2":       "\"a\nx\",b [12:\"1,2\"]",
		"\xef\xbb\xbfa,b\n\n1,2\n":      `a,b [8:"1,2"]`,
		"a,b":                           `a,b []`,
		"a,b\n":                         `a,b []`,
		"\n\n":                          ` []`,
		"":                              ` []`,
		"a\n" + strings.Repeat("\n", 9): `a []`,
	} {
		var header string
		o := Options{Until: int64(len(data)), Hashed: true, Framing: withHeader, HeaderCheck: func(b []byte) error {
			header += string(b)
			return nil
		}}
		got, next, err := drain(NewReader(NewPool(), o), &memory{data: data, most: 3}, data)
		if err != nil || next != int64(len(data)) || header+" "+fmt.Sprint(got) != want {
			t.Errorf("%q: %v: %s %v to %d, want %s", data, err, header, got, next, want)
		}
	}
}

func TestAWrongHeaderIsReadsError(t *testing.T) {
	wrong := errors.New("wrong")
	for _, data := range []string{"a\n1\n", "a"} {
		o := Options{Until: int64(len(data)), Framing: withHeader, HeaderCheck: func([]byte) error { return wrong }}
		r := NewReader(NewPool(), o)
		for range 2 {
			_, err := r.Read(context.Background(), &memory{data: data, most: 100})
			var h *HeaderError
			if !errors.As(err, &h) || !errors.Is(err, wrong) || r.Position().Offset != 0 {
				t.Fatal(err)
			}
		}
	}
}

func TestARunResumedBeforeTheHeaderPassesIt(t *testing.T) {
	const data = "\n\na,b\n1,2\n"
	for _, still := range []bool{true, false} {
		var h xxh3.Hasher
		h.WriteString(data[:2])
		r := NewReader(NewPool(), Options{Until: int64(len(data)), Hashed: true, Tail: 2, Framing: withHeader})
		r.Resume(2, &h, []byte(data[:2]), still)
		want := `[2:"a,b" 6:"1,2"]`
		if still {
			want = `[6:"1,2"]`
		}
		if got, _, err := drain(r, &memory{data: data, most: 4}, data); err != nil || fmt.Sprint(got) != want {
			t.Fatalf("%v: %v, want %s", err, got, want)
		}
	}
}

func TestFirstReadsNoFurtherThanItMust(t *testing.T) {
	long := strings.Repeat("c,", 40_000)
	for _, c := range []struct {
		data  string
		wait  bool
		until int64
		want  string
		found bool
	}{
		{"a,b\n" + strings.Repeat("1,2\n", 100_000), false, -1, "a,b", true},
		{long + "\n1\n", false, -1, long, true},
		{"a,b", false, -1, "a,b", true},
		{"a,b", true, -1, "", false},
		{"\"a\n", true, -1, "", false},
		{"\n\na,b\n", false, 2, "", false},
		{"\n\na,b\n", false, 6, "a,b", true},
		{"", false, -1, "", false},
	} {
		got := ""
		in := &once{memory{data: c.data, most: 1 << 20}}
		found, err := First(context.Background(), in, Options{Until: c.until, Wait: c.wait, Framing: withHeader, HeaderCheck: func(b []byte) error {
			got = string(b)
			return nil
		}})
		if err != nil || found != c.found || got != c.want || in.got > int64(2*len(c.want)+2*headerBytes) {
			t.Errorf("%.20q: %v %v %.20q, read to %d", c.data, err, found, got, in.got)
		}
	}
	_, err := First(context.Background(), &memory{data: long, most: 9000}, Options{Until: -1, MaxRecord: 100})
	if err == nil || err.Error() != "it is longer than the longest record that is permitted" {
		t.Fatal(err)
	}
}
