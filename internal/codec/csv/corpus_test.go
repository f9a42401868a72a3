package csvrec

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/ubiktest/golden"
	"ubik/internal/vec"
)

// TestFilesAsTheyCome sniffs and reads every file of testdata. Beside each one lies what is expected: the dialect, the
// names, and each record's fields, NULL or a text in quotes, or '!' and what is wrong with it.
func TestFilesAsTheyCome(t *testing.T) {
	paths := corpus(t)
	if len(paths) < 40 {
		t.Fatalf("%d files", len(paths))
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, path, path+".golden", described(data))
	}
}

func corpus(t testing.TB) []string {
	all, err := filepath.Glob("testdata/*.*")
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, path := range all {
		if filepath.Ext(path) != ".golden" && !strings.HasPrefix(filepath.Base(path), ".") {
			paths = append(paths, path)
		}
	}
	return paths
}

// described is what Sniff makes of a file, and a decoder of its records.
func described(data []byte) string {
	d, err := Sniff(data, true)
	if err != nil {
		return "! " + err.Error() + "\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", d)
	for i, name := range d.Names {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.Quote(name))
	}
	b.WriteByte('\n')
	var cols []codec.Column
	for _, name := range d.Names {
		cols = append(cols, codec.Column{Path: []string{name}, Type: vec.TypeOf(vec.Varchar)})
	}
	for _, row := range decodeAll(newDecoder(d, cols), cols, chunkOf(framed(d, data)...)) {
		b.WriteString(strings.Join(row, " ") + "\n")
	}
	return b.String()
}

// framed are the records of a whole file, without its header.
func framed(d Dialect, data []byte) [][]byte {
	data = bytes.TrimPrefix(data, []byte(mark))
	var list [][]byte
	for len(data) > 0 {
		n := recordEnd(data, d)
		if n < 0 {
			n = len(data)
		}
		if rec := bytes.TrimSuffix(data[:n], []byte{'\r'}); len(rec) > 0 {
			list = append(list, rec)
		}
		data = data[min(n+1, len(data)):]
	}
	if d.Header {
		list = list[1:]
	}
	return list
}

// chunkOf puts records one behind the other, a newline after each, as a chunk read from a file has them.
func chunkOf(recs ...[]byte) *codec.Records {
	r := &codec.Records{}
	for _, rec := range recs {
		r.Spans = append(r.Spans, vec.Span{Off: uint32(len(r.Data)), Len: uint32(len(rec))})
		r.Data = append(append(r.Data, rec...), '\n')
	}
	return r
}

func batchOf(cols []codec.Column) *vec.Batch {
	types := make([]vec.Type, len(cols))
	for i, c := range cols {
		types[i] = c.Type
	}
	return vec.NewBatch(types...)
}

// decodeAll returns each record's values as text, or what is wrong with it as the one value.
func decodeAll(dec codec.Decoder, cols []codec.Column, r *codec.Records) [][]string {
	out := batchOf(cols)
	bad := dec.Decode(r, out, nil)
	rows := make([][]string, len(r.Spans))
	for i := range rows {
		if len(bad) > 0 && bad[0].Row == int32(i) {
			rows[i] = []string{strings.TrimRight("! "+bad[0].Field, " ") + ": " + bad[0].Reason}
			bad = bad[1:]
			continue
		}
		for _, v := range out.Cols {
			rows[i] = append(rows[i], shown(v, i))
		}
	}
	if len(bad) > 0 {
		panic("malformed records are not in row order")
	}
	return rows
}

// shown is a value as the tests print it.
func shown(v *vec.Vector, i int) string {
	switch {
	case v.IsNull(i):
		return "NULL"
	case v.Type.Phys() == vec.PhysBool:
		return strconv.FormatBool(v.Bools[i])
	case v.Type.Phys() == vec.PhysI64:
		return strconv.FormatInt(v.I64[i], 10)
	case v.Type.Phys() == vec.PhysI128:
		return v.I128[i].String()
	case v.Type.Phys() == vec.PhysF64:
		return strconv.FormatFloat(v.F64[i], 'g', -1, 64)
	case v.Type.Phys() == vec.PhysBytes:
		return strconv.Quote(string(v.Bytes(i)))
	}
	return fmt.Sprint(v.Ivals[i])
}
