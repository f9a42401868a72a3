package jsonrec

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"testing"

	"ubik/internal/codec"
	"ubik/internal/vec"
)

// naiveTokens reads a record by encoding/json.
func naiveTokens(t *testing.T, rec []byte) []string {
	dec := json.NewDecoder(bytes.NewReader(rec))
	dec.UseNumber()
	type level struct{ object, value bool }
	var open []level
	var out []string
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatalf("%q: %v", rec, err)
		}
		name := false
		if len(open) > 0 && open[len(open)-1].object {
			top := &open[len(open)-1]
			name = !top.value
			top.value = !top.value
		}
		switch v := tok.(type) {
		case json.Delim:
			out = append(out, v.String())
			switch v {
			case '{', '[':
				open = append(open, level{object: v == '{'})
			default:
				open = open[:len(open)-1]
			}
		case string:
			if name {
				out = append(out, "name "+v)
			} else {
				out = append(out, "text "+v)
			}
		case json.Number:
			out = append(out, "number "+v.String())
		case bool:
			out = append(out, map[bool]string{true: "true", false: "false"}[v])
		case nil:
			out = append(out, "null")
		}
	}
}

func readerTokens(r *Reader) []string {
	var out []string
	for {
		tok, text := r.Next()
		switch tok {
		case TokenEnd:
			return out
		case TokenName:
			out = append(out, "name "+string(text))
		case TokenString:
			out = append(out, "text "+string(text))
		case TokenNumber:
			out = append(out, "number "+string(text))
		default:
			out = append(out, [...]string{TokenObject: "{", TokenObjectEnd: "}", TokenList: "[", TokenListEnd: "]",
				TokenTrue: "true", TokenFalse: "false", TokenNull: "null"}[tok])
		}
	}
}

func checkReader(t *testing.T, rec []byte) {
	t.Helper()
	var r Reader
	reason := r.Reset(rec)
	dec := newDecoder([]codec.Column{{Path: []string{"no such name"}, Type: vec.TypeOf(vec.Varchar)}})
	data := bytes.Clone(rec)
	bad := dec.Decode(&codec.Records{Data: data, Spans: []vec.Span{{Len: uint32(len(data))}}}, vec.NewBatch(vec.TypeOf(vec.Varchar)), nil)
	if want := append(bad, codec.Malformed{})[0].Reason; reason != want {
		t.Fatalf("%q: the reader says %q, the decoder %q", rec, reason, want)
	}
	if reason != "" {
		return
	}
	got, want := readerTokens(&r), naiveTokens(t, rec)
	if len(got) != len(want) {
		t.Fatalf("%q: got %q, want %q", rec, got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("%q: token %d is %q, want %q", rec, i, got[i], want[i])
		}
	}
}

var readerRecords = []string{
	`{}`, ` { } `, `{"a":1}`, `{"a":"b","c":["d",{"e":null}],"":true}`, `{"\u0061\n":"\ud83d\ude00","b":-1.5e+3}`,
	`{"a":":","b":[":","\":"] , "c" : [ ] }`, `{"ä":"ö"}`, `{"a":[[[]],{}],"a":false}`, ``, ` `, `[1]`, `7`, `{"a":1}x`, `{"a":01}`,
	`{"a":"` + "\x01" + `"}`, `{"a":[1,]}`, `{"a"}`, `{"a":"\ud800"}`, `null`, "{\"a\":\"\xff\"}",
}

func TestTheReaderMeetsTheTokensOfARecord(t *testing.T) {
	for _, rec := range readerRecords {
		checkReader(t, []byte(rec))
	}
	const seed = 20260101
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 20000 {
		rec := []byte(readerRecords[rnd.IntN(len(readerRecords))])
		for range rnd.IntN(3) {
			if len(rec) > 0 {
				const bytes = `{}[]":,\ tn1.e-a`
				rec[rnd.IntN(len(rec))] = bytes[rnd.IntN(len(bytes))]
			}
		}
		checkReader(t, rec)
	}
}

func TestSkipGoesBehindAnObjectOrList(t *testing.T) {
	var r Reader
	if reason := r.Reset([]byte(`{"a":{"b":[1,{"c":"}"}]},"d":[[2]],"e":3}`)); reason != "" {
		t.Fatal(reason)
	}
	var names string
	r.Next()
	for {
		tok, text := r.Next()
		switch tok {
		case TokenName:
			names += string(text)
		case TokenObject, TokenList:
			r.Skip()
		case TokenEnd:
			if names != "ade" {
				t.Errorf("got the names %q", names)
			}
			return
		}
	}
}

func FuzzReader(f *testing.F) {
	for _, rec := range readerRecords {
		f.Add([]byte(rec))
	}
	f.Fuzz(checkReader)
}
