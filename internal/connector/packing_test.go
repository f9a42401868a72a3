package connector

import (
	"archive/zip"
	"bytes"
	"testing"
)

// zipOf is a zip of one file that is not compressed, as the first file of OpenDocument is.
func zipOf(t *testing.T, name, content string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTheFirstBytesTellWhatIsNoText(t *testing.T) {
	const sheet, table = "an Office document, such as a spreadsheet", "a Parquet file"
	for _, c := range []struct{ head, want string }{
		{"\x1f\x8b\x08\x00", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {"\x5f\x2a\x4d\x18", "zstd"}, {"BZh91AY&SY", "bzip2"}, {"\xfd7zXZ\x00", "xz"}, {"\x04\x22\x4d\x18", "lz4"},
		{zipOf(t, "a.csv", "1"), "zip"}, {zipOf(t, "[Content_Types].xml", "<x/>"), sheet}, {zipOf(t, "_rels/.rels", ""), sheet}, {zipOf(t, "xl/workbook.xml", ""), sheet},
		{zipOf(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet"), sheet}, {zipOf(t, "mimetype", "application/epub+zip"), "zip"}, {"PK\x03\x04", "zip"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", sheet}, {"PAR1\x15\x04", table},
		{"", ""}, {"\x1f\x8b", ""}, {"PAR1,PAR2\n", ""}, {"PK,x\n", ""}, {"BZh,a,b,c,d\n", ""}, {"a,b\n1,2\n", ""}, {"{\"a\":1}\n", ""}, {"\xef\xbb\xbfa\n", ""}, {"\x6f\x2a\x4d\x18", ""},
	} {
		got := ""
		if p := PackingOf([]byte(c.head)); p != nil {
			got = p.Name + p.Document
			if (p.Name == "") != (p.Cat == "") || (p.Document == "") != (p.Try == "") {
				t.Errorf("%+v", p)
			}
			if short := PackingOf([]byte(c.head[:min(len(c.head), MagicBytes)])); short == nil {
				t.Errorf("%q: %d bytes do not tell", c.head, MagicBytes)
			}
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.head, got, c.want)
		}
	}
}
