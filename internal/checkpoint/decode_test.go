package checkpoint

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/zeebo/xxh3"
)

var update = flag.Bool("update", false, "write testdata anew")

func encoded(t testing.TB, u *Unit) []byte {
	t.Helper()
	pieces, err := Encode(u)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Join(pieces, nil)
}

// noise is incompressible.
func noise(seed uint64, n int) []byte {
	rnd := rand.New(rand.NewPCG(seed, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rnd.Uint32())
	}
	return b
}

// small is a unit with every kind of section.
func small() *Unit {
	return &Unit{
		JobID:  [16]byte{0xde, 0xad, 15: 0xbe},
		Number: 7,
		Sections: []Section{
			{Name: "plan", Data: []byte(strings.Repeat("count(*) of merchant; ", 12)), Content: true},
			{Name: "ops/0", Data: noise(1, 100), Content: true},
			{Name: "marks", Content: true},
			{Name: "epochs", Data: []byte{1, 2, 3}},
		},
	}
}

func sameUnit(a, b *Unit) bool {
	if a.JobID != b.JobID || a.Number != b.Number || len(a.Sections) != len(b.Sections) {
		return false
	}
	for i, s := range a.Sections {
		o := b.Sections[i]
		if s.Name != o.Name || s.Content != o.Content || !bytes.Equal(s.Data, o.Data) {
			return false
		}
	}
	return true
}

func TestAUnitIsReadBackAsWritten(t *testing.T) {
	zeros := make([]byte, 3*blockRaw)
	words := bytes.Repeat([]byte("merchant-0001 "), 3*blockRaw/14)
	for _, u := range []*Unit{
		{},
		small(),
		{Number: 1<<64 - 1, Sections: []Section{{Name: strings.Repeat("n", nameMax), Data: []byte{0}}}},
		{Sections: []Section{{Name: "zeros", Data: zeros, Content: true}}},
		{Sections: []Section{{Name: "zeros+1", Data: append(zeros[:blockRaw:blockRaw], 1)}}},
		{Sections: []Section{{Name: "words", Data: words, Content: true}, {Name: "noise", Data: noise(2, blockRaw+5)}}},
		// Blocks of each kind in one section: compressed, raw.
		{Sections: []Section{{Name: "mixed", Data: bytes.Join([][]byte{words[:blockRaw], noise(3, blockRaw), zeros[:blockRaw], words[:100]}, nil)}}},
	} {
		b := encoded(t, u)
		got, err := Decode(b)
		if err != nil {
			t.Fatalf("%d sections: %v", len(u.Sections), err)
		}
		if !sameUnit(got, u) || got.Format != 1 {
			t.Fatalf("%d sections: read back otherwise", len(u.Sections))
		}
	}
	if n := len(encoded(t, &Unit{Sections: []Section{{Name: "w", Data: words}}})); n > len(words)/10 {
		t.Errorf("%d bytes of words take %d", len(words), n)
	}
}

func TestAnEncoderIsUsedForUnitAfterUnit(t *testing.T) {
	var e encoder
	rnd := rand.New(rand.NewPCG(5, 5))
	for i := range 60 {
		u := &Unit{Number: uint64(i)}
		for s := range rnd.IntN(6) {
			data := noise(uint64(i), rnd.IntN(400_000))
			if rnd.IntN(2) == 0 {
				data = bytes.Repeat([]byte("abcdefg"), rnd.IntN(100_000))
			}
			u.Sections = append(u.Sections, Section{Name: fmt.Sprint("s", s), Data: data, Content: s%2 == 0})
		}
		pieces, err := e.encode(u)
		if err != nil {
			t.Fatal(err)
		}
		b := bytes.Join(pieces, nil)
		if !bytes.Equal(b, encoded(t, u)) {
			t.Fatalf("unit %d: a used encoder writes other bytes", i)
		}
		if got, err := Decode(b); err != nil || !sameUnit(got, u) {
			t.Fatalf("unit %d: read back otherwise: %v", i, err)
		}
	}
	e.release()
	for _, p := range e.pieces[:cap(e.pieces)] {
		if p != nil {
			t.Fatal("the encoder still holds on to a unit")
		}
	}
}

func TestTheContentHashIsOfTheContentAlone(t *testing.T) {
	u := small()
	want := u.ContentHash()
	u.JobID, u.Number = [16]byte{1}, 9
	u.Sections[3].Data = []byte{4}
	u.Sections = append(u.Sections, Section{Name: "more"})
	if u.ContentHash() != want {
		t.Error("it depends on what is not content")
	}
	for name, change := range map[string]func(u *Unit){
		"data":  func(u *Unit) { u.Sections[1].Data[3]++ },
		"name":  func(u *Unit) { u.Sections[0].Name = "plam" },
		"mark":  func(u *Unit) { u.Sections[3].Content = true },
		"order": func(u *Unit) { u.Sections[0], u.Sections[1] = u.Sections[1], u.Sections[0] },
		"shift": func(u *Unit) { u.Sections[2].Name, u.Sections[2].Data = "mark", []byte("s") },
	} {
		u := small()
		change(u)
		if u.ContentHash() == want {
			t.Errorf("it does not depend on the %s", name)
		}
	}
	if got := fmt.Sprintf("%x", want); got != "ab002776472b9d054f357f52654a8a2a" {
		t.Errorf("it is now %s: files written before are refused", got)
	}
}

func TestSectionNamesAreChecked(t *testing.T) {
	for name, want := range map[string]string{
		"":                       `section 2: "" is no section name`,
		"a b":                    `section 2: "a b" is no section name`,
		"ä":                      `section 2: "ä" is no section name`,
		strings.Repeat("x", 256): `section 2: "` + strings.Repeat("x", 256) + `" is no section name`,
		"a":                      `section "a" occurs twice`,
	} {
		_, err := Encode(&Unit{Sections: []Section{{Name: "a"}, {Name: name}}})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestEveryOldFormatIsRead(t *testing.T) {
	golden := filepath.Join("testdata", "format1.ckpt")
	if *update {
		if err := os.WriteFile(golden, encoded(t, small()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	u, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	if !sameUnit(u, small()) || u.Format != 1 {
		t.Fatalf("read otherwise than written: %+v", u)
	}
	if formatNewest != 1 || len(formats) != 1 {
		t.Fatal("a new format needs its own golden file here")
	}
}

func TestAnyFlippedBitIsRefused(t *testing.T) {
	b := encoded(t, small())
	causes := map[Cause]int{}
	for i := range b {
		for bit := range 8 {
			bad := bytes.Clone(b)
			bad[i] ^= 1 << bit
			_, err := Decode(bad)
			causes[mustRefuse(t, err, fmt.Sprintf("bit %d of byte %d", bit, i)).Cause]++
		}
		for _, v := range []byte{0, 0xff} {
			bad := bytes.Clone(b)
			if bad[i] == v {
				continue
			}
			bad[i] = v
			_, err := Decode(bad)
			mustRefuse(t, err, fmt.Sprintf("byte %d set to %d", i, v))
		}
	}
	// Truncated: a length of the header that is greater than the file.
	if causes[Foreign] != 64 || causes[Newer] != 0 || causes[Trailing] != 0 || causes[Damaged] < 8*(len(b)-headerFrozen) {
		t.Errorf("causes: %v", causes)
	}
}

func TestAnyTruncationOrAdditionIsRefused(t *testing.T) {
	b := encoded(t, small())
	for n := range b {
		_, err := Decode(b[:n])
		r := mustRefuse(t, err, fmt.Sprintf("%d bytes", n))
		if r.Cause != Truncated {
			t.Fatalf("%d bytes: %v", n, err)
		}
		_, err = Decode(append(bytes.Clone(b[:n]), make([]byte, len(b)-n)...))
		if !bytes.Equal(b[n:], make([]byte, len(b)-n)) {
			mustRefuse(t, err, fmt.Sprintf("zeros from byte %d", n))
		}
	}
	for _, more := range [][]byte{{0}, b} {
		_, err := Decode(append(bytes.Clone(b), more...))
		if r := mustRefuse(t, err, "more bytes"); r.Cause != Trailing {
			t.Fatal(err)
		}
	}
}

func mustRefuse(t testing.TB, err error, what string) *Refused {
	t.Helper()
	var r *Refused
	if !errors.As(err, &r) {
		t.Fatalf("%s: not refused: %v", what, err)
	}
	return r
}

func TestTheFaultIsNamed(t *testing.T) {
	b := encoded(t, small())
	change := func(at int, to ...byte) []byte {
		bad := bytes.Clone(b)
		copy(bad[at:], to)
		return bad
	}
	find := func(s string) int { return bytes.Index(b, []byte(s)) }
	data := bytes.Index(b, noise(1, 100))
	newer := change(8, 9)
	binary.LittleEndian.PutUint32(newer[76:], checksum(newer[:76]))
	zeroth := change(8, 0)
	binary.LittleEndian.PutUint32(zeroth[76:], checksum(zeroth[:76]))
	for _, c := range []struct {
		b     []byte
		cause Cause
		text  string
	}{
		{nil, Truncated, "the file is empty"},
		{b[:5], Truncated, "truncated at byte 5, inside the header"},
		{b[:79], Truncated, "truncated at byte 79, inside the header"},
		{b[:100], Truncated, fmt.Sprintf("truncated at byte 100 of %d", len(b))},
		{append(bytes.Clone(b), 1, 2), Trailing, fmt.Sprintf("2 bytes after its end at byte %d", len(b))},
		{[]byte("{\"merchant\":1}\n"), Foreign, "not a Ubik checkpoint"},
		{make([]byte, 500), Foreign, "not a Ubik checkpoint"},
		{newer, Newer, "written by a newer Ubik (format 9, this one reads up to 1)"},
		{zeroth, Damaged, "header: there is no format 0"},
		{change(8, 9), Damaged, "header: checksum does not match"},
		{change(12, 3), Damaged, "header: its length of 3 bytes cannot be"},
		{change(40, 1), Damaged, "header: checksum does not match"},
		{change(find("ops/0"), 'x'), Damaged, "section 2: checksum of its header does not match"},
		{change(data, b[data]^1), Damaged, `section "ops/0": checksum does not match`},
		{change(len(b)-1, b[len(b)-1]^1), Damaged, "checksum of the whole file does not match"},
	} {
		_, err := Decode(c.b)
		if r := mustRefuse(t, err, c.text); r.Cause != c.cause || r.Error() != c.text {
			t.Errorf("got  %s: %s\nwant %s: %s", r.Cause, r, c.cause, c.text)
		}
	}
}

// reseal makes the checksums of a file in format 1 right again, as far as its lengths lead.
func reseal(b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) < headerLength+trailerLength {
		return b
	}
	le := binary.LittleEndian
	copy(b, magic)
	le.PutUint32(b[8:], 1)
	le.PutUint32(b[12:], headerLength)
	le.PutUint64(b[40:], uint64(len(b)))
	end := len(b) - trailerLength
	for rest := b[headerLength:end]; len(rest) >= sectionLengthMin; {
		name := sectionFixed + int(le.Uint16(rest))
		if len(rest) < name+checksumLength {
			break
		}
		length := le.Uint64(rest[16:])
		if length > uint64(len(rest)-name-checksumLength) {
			break
		}
		data := rest[name+checksumLength:][:length]
		le.PutUint32(rest[4:], checksum(data))
		le.PutUint32(rest[name:], checksum(rest[:name]))
		rest = rest[name+checksumLength+int(length):]
	}
	le.PutUint32(b[76:], checksum(b[:76]))
	binary.BigEndian.PutUint64(b[end:], xxh3.Hash(b[:end]))
	return b
}

func TestContradictionsBehindRightChecksumsAreRefused(t *testing.T) {
	b := encoded(t, small())
	le := binary.LittleEndian
	first := headerLength                                    // "plan", in blocks
	second := bytes.Index(b, []byte("ops/0")) - sectionFixed // raw
	block := first + sectionFixed + len("plan") + checksumLength
	for _, c := range []struct {
		change func(b []byte)
		text   string
	}{
		{func(b []byte) { le.PutUint64(b[48:], 5) }, "the sections hold 367 bytes, the header says 5"},
		{func(b []byte) { b[60]++ }, "content hash does not match"},
		{func(b []byte) { le.PutUint32(b[72:], 3) }, "37 bytes after the last section"},
		{func(b []byte) { le.PutUint32(b[72:], 1<<31) }, "header: 2147483648 sections do not fit in the file"},
		{func(b []byte) { b[first+2] |= 4 }, `section "plan": unknown flags 0x7`},
		{func(b []byte) { le.PutUint64(b[second+8:], 99) }, `section "ops/0": it holds 100 bytes and says 99`},
		{func(b []byte) { le.PutUint64(b[first+8:], 1<<40) }, fmt.Sprintf(`section "plan": %d bytes cannot hold 1099511627776`, le.Uint64(b[first+16:]))},
		{func(b []byte) { le.PutUint64(b[first+8:], 1<<63) }, fmt.Sprintf(`section "plan": %d bytes cannot hold 9223372036854775808`, le.Uint64(b[first+16:]))},
		{func(b []byte) { le.PutUint64(b[first+8:], 263) }, `section "plan": a block has the wrong length`},
		{func(b []byte) { le.PutUint64(b[first+8:], 0) }, fmt.Sprintf(`section "plan": %d bytes after the last block`, le.Uint64(b[first+16:]))},
		{func(b []byte) { b[block]++ }, `section "plan": a block is too long`},
		{func(b []byte) { b[block+3] |= 0x80 }, `section "plan": a block has the wrong length`},
		{func(b []byte) { b[block+6] = 0xff; b[block+7] = 0xff }, `section "plan": a block cannot be unpacked`},
		{func(b []byte) { copy(b[second+sectionFixed:], "a b c") }, `section 2: "a b c" is no section name`},
	} {
		bad := bytes.Clone(b)
		c.change(bad)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(reseal(bad))
		runtime.ReadMemStats(&after)
		if err == nil || err.Error() != c.text {
			t.Errorf("got  %v\nwant %s", err, c.text)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%s: took %d bytes of memory", c.text, took)
		}
	}
	long := bytes.Clone(b)
	le.PutUint64(long[second+16:], 1<<40)
	le.PutUint32(long[second+sectionFixed+5:], checksum(long[second:second+sectionFixed+5]))
	if _, err := Decode(long); err == nil || err.Error() != `section "ops/0": its 1099511627776 bytes do not fit in the file` {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte(magic))
	f.Add(encoded(f, &Unit{}))
	f.Add(encoded(f, small()))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, b := range [][]byte{b, reseal(b)} {
			u, err := Decode(b)
			if err != nil {
				mustRefuse(t, err, "Decode")
				continue
			}
			n := 0
			for _, s := range u.Sections {
				n += len(s.Data)
			}
			if n > len(b)*expansionMax {
				t.Fatalf("%d bytes gave %d", len(b), n)
			}
			again, err := Decode(encoded(t, u))
			if err != nil || !sameUnit(u, again) {
				t.Fatalf("written and read again it is another: %v", err)
			}
		}
	})
}
