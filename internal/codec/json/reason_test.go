package jsonrec

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/ubiktest/golden"
	"ubik/internal/vec"
)

// TestReasons runs testdata/records.txt: a record in Go quotes, and behind it the row or, with '!', field and reason.
func TestReasons(t *testing.T) {
	const path = "testdata/records.txt"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	cols := []codec.Column{
		{Path: []string{"a"}, Type: vec.TypeOf(vec.Varchar)},
		{Path: []string{"n"}, Type: vec.TypeOf(vec.Int64)},
		{Path: []string{"y"}, Type: vec.TypeOf(vec.Int8)},
		{Path: []string{"d"}, Type: vec.DecimalType(6, 2)},
		{Path: []string{"f"}, Type: vec.TypeOf(vec.Double)},
		{Path: []string{"b"}, Type: vec.TypeOf(vec.Bool)},
		{Path: []string{"t"}, Type: vec.TypeOf(vec.Timestamp)},
		{Path: []string{"day"}, Type: vec.TypeOf(vec.Date)},
		{Path: []string{"iv"}, Type: vec.TypeOf(vec.Interval)},
		{Path: []string{"blob"}, Type: vec.TypeOf(vec.Blob)},
		{Path: []string{"j"}, Type: vec.TypeOf(vec.JSON)},
		{Path: []string{"l"}, Type: listType},
		{Path: []string{"m"}, Type: mapType},
		{Path: []string{"s"}, Type: structType},
		{Path: []string{"o", "x"}, Type: vec.TypeOf(vec.Varchar)},
		{Path: []string{"o", "p", "y"}, Type: vec.TypeOf(vec.Int32)},
	}
	result := func(rec string) string {
		r := &codec.Records{Data: []byte(rec), Spans: []vec.Span{{Off: 0, Len: uint32(len(rec))}}}
		switch rec {
		case "NullLen":
			r = &codec.Records{Spans: []vec.Span{{Len: codec.NullLen}}}
		case "HugeLen":
			r = &codec.Records{Spans: []vec.Span{{Len: codec.HugeLen}}}
		}
		out := cells.Batch(cols)
		if bad := newDecoder(cols).Decode(r, out, nil); bad != nil {
			return cells.Malformed(bad[0])
		}
		var row []string
		for i, c := range cols {
			if !out.Cols[i].IsNull(0) {
				row = append(row, strings.Join(c.Path, ".")+"="+cells.Text(out.Cols[i], 0))
			}
		}
		return strings.TrimRight("= "+strings.Join(row, " "), " ")
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	var rewritten []string
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		rewritten = append(rewritten, line)
		if line == "" || line[0] != '`' && line[0] != '"' {
			continue
		}
		rec, err := strconv.Unquote(line)
		if err != nil {
			t.Fatalf("%s:%d: %v", path, i+1, err)
		}
		got := result(rec)
		rewritten = append(rewritten, got)
		want := ""
		if i+1 < len(lines) && lines[i+1] != "" && strings.Contains("!=", lines[i+1][:1]) {
			i++
			want = lines[i]
		}
		if got != want && !*golden.Update {
			t.Errorf("%s:%d: %s\n got  %s\n want %s", path, i+1, line, got, want)
		}
	}
	if *golden.Update {
		if err := os.WriteFile(path, []byte(strings.Join(rewritten, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDepthIsLimitedOnEveryPath(t *testing.T) {
	deep := func(open, close string, n int) string { return strings.Repeat(open, n) + strings.Repeat(close, n) }
	path := make([]string, 600)
	for i := range path {
		path[i] = "a"
	}
	below := []codec.Column{{Path: path, Type: vec.TypeOf(vec.Varchar)}}
	raw := []codec.Column{{Path: path[:1], Type: vec.TypeOf(vec.JSON)}}
	for _, c := range []struct {
		name, fits, tooDeep string
		cols                []codec.Column
	}{
		{"array not used", `{"z":` + deep("[", "]", 511) + `}`, `{"z":` + deep("[", "]", 512) + `}`, raw},
		{"array used", `{"a":` + deep("[", "]", 511) + `}`, `{"a":` + deep("[", "]", 512) + `}`, raw},
		{"objects on the path", deep(`{"a":`, "}", 511)[:5*511] + "{}" + strings.Repeat("}", 511),
			deep(`{"a":`, "}", 512)[:5*512] + "{}" + strings.Repeat("}", 512), below},
	} {
		if got := decodeAlone(c.cols, []byte(c.fits)); strings.HasPrefix(got[0], "!") {
			t.Errorf("%s: 512 levels: %s", c.name, got)
		}
		got := decodeAlone(c.cols, []byte(c.tooDeep))
		if !strings.Contains(got[0], ": deeper than 512 levels, at ") {
			t.Errorf("%s: 513 levels: %s", c.name, got)
		}
	}
}

func TestMalformedRecordsAreReportedInRowOrder(t *testing.T) {
	cols := []codec.Column{{Path: []string{"n"}, Type: vec.TypeOf(vec.Int64)}}
	r := cells.Chunk(`{"n":1}`, `{"n":"x"}`, `{"n":2}`, `{"n":`, `{"n":3}`)
	r.Spans = append(r.Spans, vec.Span{Len: codec.NullLen}, r.Spans[0])
	out := cells.Batch(cols)
	first := codec.Malformed{Row: 99, Reason: "from an earlier chunk"}
	bad := newDecoder(cols).Decode(r, out, []codec.Malformed{first})
	if len(bad) != 4 || bad[0] != first || bad[1].Row != 1 || bad[2].Row != 3 || bad[3].Row != 5 {
		t.Fatal(bad)
	}
	for row, want := range map[int]int64{0: 1, 2: 2, 4: 3, 6: 1} {
		if got := out.Cols[0].I64[row]; got != want || out.Cols[0].IsNull(row) {
			t.Errorf("row %d is %d, want %d", row, got, want)
		}
	}
}
