package csvrec

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"ubik/internal/codec"
	"ubik/internal/expr"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// The decoder once more, byte by byte, in the plainest way.

// naiveFields splits a record by a machine of four states. It returns the fields with what was quoted, and false for
// bad quoting.
func naiveFields(d Dialect, rec string) (fields []string, quoted []bool, ok bool) {
	const (
		begin = iota
		bare
		within
		behind
	)
	state, text, isQuoted := begin, "", false
	end := func() {
		fields, quoted = append(fields, text), append(quoted, isQuoted)
		state, text, isQuoted = begin, "", false
	}
	for i := 0; i < len(rec); i++ {
		c := rec[i]
		switch {
		case state == within && c == d.Escape && d.Escape != d.Quote:
			if i++; i == len(rec) || rec[i] != d.Quote && rec[i] != d.Escape {
				return nil, nil, false
			}
			text += rec[i : i+1]
		case state == within && c == d.Quote:
			state = behind
		case state == within:
			text += rec[i : i+1]
		case c == d.Delimiter:
			end()
		case state == behind && c == d.Quote && d.Escape == d.Quote:
			text += rec[i : i+1]
			state = within
		case state == begin && c == d.Quote && d.Quote != 0:
			state, isQuoted = within, true
		case state == behind || c == '\r' || c == '\n' || c == d.Quote && d.Quote != 0:
			return nil, nil, false
		default:
			text += rec[i : i+1]
			state = bare
		}
	}
	if state == within {
		return nil, nil, false
	}
	end()
	return fields, quoted, true
}

// naiveRow returns the record's values as shown, or false when it is malformed.
func naiveRow(d Dialect, rec string, cols []codec.Column) (row []string, ok bool) {
	if cut, ok := strings.CutSuffix(rec, "\n"); ok {
		rec = strings.TrimSuffix(cut, "\r")
	}
	fields, quoted, ok := naiveFields(d, rec)
	if rec == "" || !ok || len(fields) != len(d.Names) || !utf8.ValidString(rec) {
		return nil, false
	}
	for _, c := range cols {
		i := slices.Index(d.Names, c.Path[0])
		text := fields[i]
		switch keeps := c.Type.Kind == vec.Varchar || c.Type.Kind == vec.Blob; {
		case !quoted[i] && text == d.Null, text == "" && !keeps:
			row = append(row, "NULL")
			continue
		case c.Type.Kind == vec.Varchar:
			row = append(row, strconv.Quote(text))
			continue
		case c.Type.IsJSON():
			if first := strings.TrimLeft(text, " \t\r\n") + " "; c.Type.Kind == vec.List && first[0] != '[' {
				return nil, false
			}
			if !json.Valid([]byte(text)) {
				return nil, false
			}
			row = append(row, strconv.Quote(text))
			continue
		case c.Type.Kind == vec.Blob:
			b, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				return nil, false
			}
			row = append(row, strconv.Quote(string(b)))
			continue
		}
		v := vec.NewVector(c.Type)
		v.Resize(1)
		if expr.CastText(v, 0, []byte(text)) != "" {
			return nil, false
		}
		row = append(row, cells.Text(v, 0))
	}
	return row, true
}

var everyType = []vec.Type{
	vec.TypeOf(vec.Varchar), vec.TypeOf(vec.Int64), vec.TypeOf(vec.Int8), vec.TypeOf(vec.Int16), vec.TypeOf(vec.Int32), vec.TypeOf(vec.HugeInt),
	vec.DecimalType(6, 2), vec.DecimalType(38, 3), vec.TypeOf(vec.Double), vec.TypeOf(vec.Bool), vec.TypeOf(vec.Timestamp), vec.TypeOf(vec.TimestampTZ),
	vec.TypeOf(vec.Date), vec.TypeOf(vec.TimeOfDay), vec.TypeOf(vec.Interval), vec.TypeOf(vec.Blob), vec.TypeOf(vec.JSON),
	listType,
}

var listType = vec.Type{Kind: vec.List, Fields: []vec.Field{{Type: vec.TypeOf(vec.Int64)}}}

var valueTexts = []string{
	"", "", "", "x", "12", "-7", "+3", "1.5", "-0.004", ".5", "5.", "1e3", "9999999999999999", "123456789012345678", "-9223372036854775808", "9223372036854775808",
	"true", "FALSE", "t", "2026-01-02", "2026-01-02 03:04:05", "2026-01-02T03:04:05.678Z", "03:04:05", "1 day", "NaN", "-inf", "AP8K", "{}", "[1, 2]", "nul", "null",
	"NA", " 4 ", "a\"b", "\"", "\\", "a,b", "é", "\xff", "line\nbreak", "line\r\nbreak", "a longer text, without much", "0.1234567890123456", "128", "-128", "--1", "1.2.3",
}

// randomRecord writes fields mostly well and sometimes not.
func randomRecord(rng *rand.Rand, d Dialect, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(d.Delimiter)
		}
		text := valueTexts[rng.IntN(len(valueTexts))]
		if d.Quote == 0 || rng.IntN(12) > 0 && !strings.ContainsAny(text, "\"\n\r'"+string(rune(d.Delimiter))) && rng.IntN(3) > 0 {
			b.WriteString(text)
			continue
		}
		b.WriteByte(d.Quote)
		for k := range len(text) {
			if (text[k] == d.Quote || text[k] == d.Escape) && rng.IntN(20) > 0 {
				b.WriteByte(d.Escape)
			}
			b.WriteByte(text[k])
		}
		b.WriteByte(d.Quote)
	}
	return b.String() + []string{"", "", "", "", "\n", "\r\n", "x", "\r"}[rng.IntN(8)]
}

func TestRandomRecordsReadAsTheNaiveDecoderReadsThem(t *testing.T) {
	dialects := []Dialect{
		{Delimiter: ',', Quote: '"', Escape: '"'},
		{Delimiter: ';', Quote: '"', Escape: '"', Null: "NA"},
		{Delimiter: '\t', Quote: '\'', Escape: '\''},
		{Delimiter: '|', Quote: '"', Escape: '\\', Null: "null"},
		{Delimiter: ','},
	}
	rows, good := 0, 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 2))
		d := dialects[rng.IntN(len(dialects))]
		n := 1 + rng.IntN(6)
		d.Names = numberedNames(n)
		var cols []codec.Column
		for range rng.IntN(4) {
			typ := everyType[0]
			if rng.IntN(2) == 0 {
				typ = everyType[rng.IntN(len(everyType))]
			}
			cols = append(cols, codec.Column{Path: []string{d.Names[rng.IntN(n)]}, Type: typ})
		}
		recs := make([][]byte, 20)
		for i := range recs {
			fields := n
			if rng.IntN(30) == 0 {
				fields = 1 + rng.IntN(7)
			}
			recs[i] = []byte(randomRecord(rng, d, fields))
		}
		r := cells.Chunk(recs...)
		if rng.IntN(2) == 0 {
			r.Data = r.Data[:len(r.Data)-1] // the last record ends with the chunk
		}
		for i, got := range cells.Decode(newDecoder(d, cols), cols, r) {
			want, ok := naiveRow(d, string(recs[i]), cols)
			rows++
			if bad := len(got) == 1 && strings.HasPrefix(got[0], "! ") || len(got) == 1 && strings.HasPrefix(got[0], "!:"); bad == ok || ok && !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s: %q as %v\n got  %q\n want %q, %v", seed, d, recs[i], typesOf(cols), got, want, ok)
			}
			if ok {
				good++
			}
		}
	}
	if good*4 < rows {
		t.Errorf("only %d of %d records are rows", good, rows)
	}
}

func typesOf(cols []codec.Column) string {
	var s []string
	for _, c := range cols {
		s = append(s, fmt.Sprintf("%s %s", c.Path[0], c.Type))
	}
	return strings.Join(s, ", ")
}
