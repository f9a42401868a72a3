package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/authgen"
	"ubik/oracle/bandjoin"
)

// Each refund is that of a settlement, by the same draws of the generator, and comes so much later, but for those at bounds.
const refundsAfter = 90 * time.Second

// treeBounds are, from an authorisation, where settlements, and the refunds of the same, lie that are to hit a bound of one of the bands, or just miss it.
var treeBounds = [][2]time.Duration{
	{0, -time.Minute},
	{10 * time.Minute, 11 * time.Minute},
	{-2 * time.Minute, -2*time.Minute + 80*time.Second},
	{7 * time.Minute, 7*time.Minute + 80*time.Second - time.Microsecond},
	{-8 * time.Minute, -8*time.Minute + 80*time.Second + time.Microsecond},
	{-time.Minute, -2 * time.Minute},
	{time.Minute, -time.Microsecond},
	{3 * time.Minute, 2*time.Minute + time.Microsecond},
}

// treeOptions are those of authorisations, settlements in two partitions and refunds in one.
func treeOptions(seed uint64) (options, refunds authgen.Options) {
	o := authgen.Usual(seed)
	o.Auths, o.Span, o.Hot, o.Bounds = 45_000, 90*time.Minute, 6, nil
	r := o
	r.SettlementsParts, r.SettlementsDelay = 1, 40*time.Second
	r.Start = r.Start.Add(refundsAfter)
	for _, b := range treeBounds {
		o.Bounds = append(o.Bounds, b[0])
		r.Bounds = append(r.Bounds, b[1]-refundsAfter)
	}
	return o, r
}

// treeSource is a topic, or a file.
type treeSource struct {
	bandjoin.Source
	feed *feed // nil: a file
}

// treeSources are what the queries read, by name.
type treeSources map[string]*treeSource

func (x treeSources) topic(t *testing.T, b *broker.Broker, name string, partitions int, delay time.Duration, records []rawlog.Record) {
	t.Helper()
	f := newFeedOf(t, b, name, partitions, records)
	x[name] = &treeSource{bandjoin.Source{Topic: f.topic, Partitions: partitions, Delay: delay}, f}
}

// file writes the values of records as lines. A record without a value is none there.
func (x treeSources) file(t *testing.T, name string, records []rawlog.Record) {
	t.Helper()
	var lines bytes.Buffer
	var kept []rawlog.Record
	for _, r := range records {
		if r.Value != nil {
			kept = append(kept, rawlog.Record{Offset: int64(lines.Len()), Value: r.Value})
			lines.Write(append(r.Value, '\n'))
		}
	}
	path := filepath.Join(t.TempDir(), name+".jsonl")
	if err := os.WriteFile(path, lines.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	x[name] = &treeSource{bandjoin.Source{Topic: path, File: true, Partitions: 1, Delay: bandjoin.Unlimited, Records: kept}, nil}
}
