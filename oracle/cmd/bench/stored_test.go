package main

import (
	"strings"
	"testing"
	"time"
)

func TestTheLineWithTheMostStoredRowsIsFound(t *testing.T) {
	log := `time=2026-01-01T00:00:00.000Z level=INFO msg="reading a.jsonl" time_column=a.event_time delay=5s workers=1
time=2026-01-01T00:00:00.100Z level=INFO msg=running records/s=1 records=2 lag=3 watermark=end "open windows"=0 stored=88259 state="6721 KiB" rows=501 late=0
time=2026-01-01T00:00:00.200Z level=INFO msg=running records/s=1 records=2 lag=3 watermark=end "open windows"=0 stored=180237 state="12 MiB" rows=2649 late=0
time=2026-01-01T00:00:00.300Z level=INFO msg=running records/s=1 records=2 lag=3 watermark=end "open windows"=0 stored=7 state="900 B" rows=2649 late=0
complete: 400000 records, 91599 rows in 830ms
`
	if got, want := mostStored([]byte(log)), (stored{180237, 12 << 20}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := mostStored([]byte("complete: stored=many state=\"1 MiB\"\n x stored=1 state=\"1 PiB\"\n")); got != (stored{}) {
		t.Errorf("got %v of lines that are none", got)
	}
}

func TestTheStateIsReportedByTheRow(t *testing.T) {
	var b strings.Builder
	ubik := &contestant{name: "ubik", costs: []cost{{time.Second, time.Second, 200 << 20}}}
	duckdb := &contestant{name: "duckdb", costs: []cost{{time.Second, time.Second, 300 << 20}}}
	reportStored(&b, stored{1 << 20, 90 << 20}, 2<<20, ubik, duckdb)
	want := `
| | rows held at most | state MB | bytes of state a row | peak bytes a row |
|---|---|---|---|---|
| ubik | 1048576 | 90.0 | 90 | 200 |
| duckdb | 2097152 | | | 150 |
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}
