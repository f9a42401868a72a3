package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// scalars are what stands in a place of a random record: of one kind most of the time, which is the index.
var scalars = [][]string{
	{`0`, `-5`, `7`, `-0`, `12345678901`},
	{`1.5`, `1e5`, `1E-3`, `1e400`, `-0.0`, `9223372036854775808`, `123456789012345678901234567890123456789012345`, `0.1234567890123456789`},
	{`"2026-01-01"`, `"2026-01-01 00:00:00"`, `"2026-01-01T00:00:00+02:00"`, `"2026-1-1"`, `"20260101"`, `"2026-01-01 24:00:00"`, `"2026-02-30"`, `"infinity"`},
	{`"true"`, `"x"`, `""`, `" 1"`, `"01"`, `"1,5"`, `"NaN"`, `"\u0000"`, `"null"`},
	{`true`, `false`},
	{`null`},
	{`[]`, `[1,2]`, `["x",null]`, `[{"k":1}]`, `[[1],[]]`},
	{`{}`, `{"k":1}`, `{"k":"x","l":[1]}`, `{"k":{"m":"2026-01-01"}}`},
}

func drawn(rng *rand.Rand, kind int) string {
	if rng.IntN(30) == 0 {
		kind = rng.IntN(len(scalars))
	}
	return scalars[kind][rng.IntN(len(scalars[kind]))]
}

// randomObjects makes up to a thousand records, names in any order and some missing.
func randomObjects(rng *rand.Rand) []byte {
	names := []string{`a`, `b`, `A`, `a b`, `select`, `x.y`, `größe`, `\"q\"`, `_topic`, ``, `0`, `a\nb`, `window`}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	names = names[:1+rng.IntN(7)]
	kinds := make([]int, len(names))
	for i := range kinds {
		kinds[i] = rng.IntN(len(scalars))
	}
	var b bytes.Buffer
	for range []int{1, 2, 10, 1000}[rng.IntN(4)] {
		var members []string
		for i, name := range names {
			if rng.IntN(5) > 0 {
				members = append(members, `"`+name+`":`+drawn(rng, kinds[i]))
			}
		}
		rng.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		b.WriteString("{" + strings.Join(members, ",") + "}\n")
	}
	return b.Bytes()
}

// randomCSV makes a file of two to eight columns, with or without a header.
func randomCSV(rng *rand.Rand) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma, w.UseCRLF = []rune(",;\t|")[rng.IntN(4)], rng.IntN(2) == 0
	kinds := []int{0} // a first one with a value in each record
	for range 1 + rng.IntN(7) {
		kinds = append(kinds, rng.IntN(5))
	}
	row := make([]string, len(kinds))
	if rng.IntN(2) == 0 {
		for i := range row {
			row[i] = "col" + strconv.Itoa(i)
		}
		w.Write(row)
	}
	for n := range 1 + rng.IntN(1000) {
		for i, kind := range kinds {
			texts := [][]string{{strconv.Itoa(n)}, {"1.5", "-0.25", "1e3", ""}, {"2026-01-01", "2026-01-02", ""}, {"x", "a,b", "a;b", `say "hi"`, "two\nlines", " pad ", ""}, {"true", "false", ""}}[kind]
			row[i] = texts[rng.IntN(len(texts))]
		}
		w.Write(row)
	}
	w.Flush()
	if rng.IntN(4) == 0 {
		return append([]byte("\xef\xbb\xbf"), b.Bytes()...)
	}
	return b.Bytes()
}

// No record that columns are found in is malformed by them, and declared they are the same: as columns, in front of the
// query, with other workers, from a packed file.
func TestWhatColumnsAreFoundInFitsThem(t *testing.T) {
	t.Parallel()
	seed := killSeed(t)
	dir := t.TempDir()
	declaration := regexp.MustCompile(`(?s)CREATE TABLE t \((.*)\);\n`)
	for i := range 24 {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		path, draw := "t.jsonl", randomObjects
		if i%2 > 0 {
			path, draw = "t.csv", randomCSV
		}
		data := draw(rng)
		write(t, filepath.Join(dir, path), data)
		write(t, filepath.Join(dir, path+".gz"), gzipped(t, data))
		failed := func(what, said string) {
			t.Helper()
			t.Fatalf("seed %d, file %d (%s): %s: %s\n%.2000s", seed, i, path, what, said, data)
		}
		rows, said, code := runIn(t, dir, "--from", "t="+path, "SELECT * FROM t")
		if code != 0 {
			failed("exit code "+strconv.Itoa(code), said)
		}
		m := declaration.FindStringSubmatch(said)
		if m == nil || strings.HasPrefix(m[1], "/*") {
			continue // no column has a name that can be declared
		}
		for _, args := range [][]string{
			{"--from", "t=" + path + ".gz", "--workers", "1", "SELECT * FROM t"},
			{"--from", "t=" + path, "--schema", m[1], "SELECT * FROM t"},
			{fmt.Sprintf("CREATE TABLE t (%s) WITH ('connector' = 'filesystem', 'path' = '%s'); SELECT * FROM t", m[1], path)},
		} {
			if again, said, code := runIn(t, dir, append([]string{"--quiet"}, args...)...); code != 0 || again != rows {
				failed(fmt.Sprintf("%q: exit code %d, or other rows", args, code), said)
			}
		}
	}
}
