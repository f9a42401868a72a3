package connector

import (
	"bytes"
	"strings"
)

// Packing is what the first bytes of a stream say that it is, where it is no text.
type Packing struct {
	Name string // gzip, zstd, bzip2, …; "" of a Document
	Cat  string // the command that writes what a compressed file holds to standard output
	// Document is what it is, where that is no compressed text: a spreadsheet, a Parquet file.
	Document string
	Try      string // of a Document: what is to be done with it
}

var (
	office  = &Packing{Document: "an Office document, such as a spreadsheet", Try: "save it as CSV with the program that it is of"}
	parquet = &Packing{Document: "a Parquet file", Try: "convert it first, as with duckdb -c \"COPY 'x.parquet' TO 'x.csv'\""}
	zstd    = &Packing{Name: "zstd", Cat: "zstd -dc"}
	zipped  = &Packing{Name: "zip", Cat: "unzip -p"}
)

// magics are the beginnings of what is no text, in which ? stands for any byte. The bytes of none begin a text of one of
// our formats.
var magics = []struct {
	prefix  string
	packing *Packing
}{
	{"\x1f\x8b\x08", &Packing{Name: "gzip", Cat: "gzip -dc"}},
	{"\x28\xb5\x2f\xfd", zstd},
	{"?\x2a\x4d\x18", zstd}, // a frame that is passed over, before others; of the first byte see below
	{"BZh?1AY&SY", &Packing{Name: "bzip2", Cat: "bzcat"}},
	{"\xfd7zXZ\x00", &Packing{Name: "xz", Cat: "xzcat"}},
	{"\x04\x22\x4d\x18", &Packing{Name: "lz4", Cat: "lz4cat"}},
	{"PK\x03\x04", zipped},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", office},
	{"PAR1\x15", parquet},
}

const (
	MagicBytes   = 10  // so many first bytes tell any Packing from text
	ArchiveBytes = 256 // and so many an Office document from another zip
)

// PackingOf returns the Packing of a stream that begins with head, of which MagicBytes suffice but for documents that
// are a zip; nil: it is text, or empty, or too little is known of it.
func PackingOf(head []byte) *Packing {
	for _, m := range magics {
		if !fits(m.prefix, head) || m.prefix[0] == '?' && head[0]&0xf0 != 0x50 {
			continue
		}
		if m.packing == zipped && isOffice(head) {
			return office
		}
		return m.packing
	}
	return nil
}

func fits(prefix string, head []byte) bool {
	if len(head) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if prefix[i] != head[i] && prefix[i] != '?' {
			return false
		}
	}
	return true
}

// isOffice reports whether a zip is an Office document, by the name of the first file in it.
func isOffice(head []byte) bool {
	const nameAt = 30
	if len(head) < nameAt {
		return false
	}
	size := int(head[26]) | int(head[27])<<8
	name := string(head[nameAt:min(len(head), nameAt+size)])
	if name == "mimetype" {
		return bytes.HasPrefix(head[nameAt+size:], []byte("application/vnd.oasis.opendocument"))
	}
	for _, of := range []string{"[Content_Types].xml", "_rels/", "docProps/", "xl/"} {
		if strings.HasPrefix(name, of) {
			return true
		}
	}
	return false
}
