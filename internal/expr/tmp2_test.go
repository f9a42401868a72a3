package expr

import (
	"bufio"
	"fmt"
	"os"
	"testing"
	"unicode/utf8"
)

func TestTmpCase(t *testing.T) {
	f, _ := os.Create("/tmp/ex/case.tsv")
	w := bufio.NewWriter(f)
	for r := rune(1); r <= 0x1ffff; r++ {
		if !utf8.ValidRune(r) {
			continue
		}
		fmt.Fprintf(w, "%d %d %d\n", r, lowerRune(r), upperRune(r))
	}
	w.Flush()
}
func BenchmarkParseTimestamp(b *testing.B) {
	s := []byte("2026-01-02T03:04:05Z")
	for b.Loop() {
		ParseTimestamp(s)
	}
}
func BenchmarkParseTimestampFrac(b *testing.B) {
	s := []byte("2026-01-02 03:04:05.123")
	for b.Loop() {
		ParseTimestamp(s)
	}
}
func BenchmarkParseTimestampZone(b *testing.B) {
	s := []byte("2026-01-02T03:04:05+02:00")
	for b.Loop() {
		ParseTimestamp(s)
	}
}
