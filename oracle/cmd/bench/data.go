package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"syscall"
	"time"
)

const (
	rowBytes    = 239 // of every row with its line feed: "note" fills it up, so the size of a file tells whether it is whole
	merchants   = 10_000
	rowsApart   = 500 * time.Microsecond // between neighbours in event time, before the disorder: 120,000 rows a minute
	disorderMax = 5000                   // ms by which a row may come behind its place
	outputRoom  = 1 << 30                // bytes kept free for the answers
)

// dataStart is the event time of the first row's place.
var dataStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// generator makes the rows, the same ones each time. They look like an export: fields in one order, eight of them unused by the query.
type generator struct {
	splitmix
	weight []int64
	n      int
	row    []byte
}

// made is what the query needs of a row, for who computes the answer beside.
type made struct {
	merchant int
	cents    int64
	at       time.Time
	value    []byte // the row with its line feed; valid until the next one
}

func newGenerator() *generator {
	g := &generator{weight: make([]int64, merchants)}
	var sum int64
	for i := range g.weight { // the second is half as frequent as the first, and so on
		sum += 1 << 40 / int64(i+1)
		g.weight[i] = sum
	}
	return g
}

// splitmix is the generator splitmix64.
type splitmix struct{ state uint64 }

// random is a number of 0 … n-1.
func (s *splitmix) random(n int64) int64 {
	s.state += 0x9e3779b97f4a7c15
	return int64(mix(s.state) >> 1 % uint64(n))
}

// mix spreads numbers; no two have the same result.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// merchantName spreads the ranks over the names, so that names in order are not frequencies in order.
func merchantName(dst []byte, rank int) []byte {
	return appendPadded(append(dst, "m-"...), int64(rank*7919%merchants), 5)
}

func appendPadded(dst []byte, n int64, width int) []byte {
	var buf [20]byte
	text := strconv.AppendInt(buf[:0], n, 10)
	for i := len(text); i < width; i++ {
		dst = append(dst, '0')
	}
	return append(dst, text...)
}

const note = "paid at the counter, receipt printed, no further remarks; see the account for its history and its terms"

func (g *generator) next() made {
	draw := g.random(g.weight[merchants-1])
	m := made{
		merchant: sort.Search(merchants, func(i int) bool { return g.weight[i] > draw }),
		cents:    1 + g.random(100)*g.random(2_000),
		at:       dataStart.Add(time.Duration(g.n)*rowsApart - time.Duration(g.random(disorderMax+1))*time.Millisecond).Truncate(time.Millisecond),
	}
	b := g.row[:0]
	b = appendPadded(append(b, `{"id":"t-`...), int64(g.n), 12)
	b = appendPadded(append(b, `","account":"a-`...), g.random(2_000_000), 7)
	b = merchantName(append(b, `","merchant":"`...), m.merchant)
	b = strconv.AppendInt(append(b, `","amount":`...), m.cents/100, 10)
	b = appendPadded(append(b, '.'), m.cents%100, 2)
	b = m.at.AppendFormat(append(b, `,"currency":"EUR","event_time":"`...), "2006-01-02T15:04:05.000Z")
	b = append(append(b, `","channel":"`...), [...]string{"pos", "web", "app", "moto"}[g.random(4)]...)
	b = append(append(b, `","country":"`...), [...]string{"AT", "DE", "FR", "IT", "PL"}[g.random(5)]...)
	b = strconv.AppendBool(append(b, `","approved":`...), g.random(50) > 0)
	b = appendPadded(append(b, `,"risk":0.`...), g.random(1000), 3)
	b = appendNote(b)
	g.n++
	g.row, m.value = b, b
	return m
}

// appendNote fills a row up and ends it.
func appendNote(b []byte) []byte {
	b = append(b, `,"note":"`...)
	return append(append(b, note[:rowBytes-len(b)-len("\"}\n")]...), "\"}\n"...)
}

// dataFile is the file of so many rows, made now unless it is there.
func dataFile(ctx context.Context, dir string, rows int) (string, error) {
	g := newGenerator()
	return keptFile(ctx, dir, fmt.Sprintf("txns-%d.jsonl", rows), rows, func(int) []byte { return g.next().value })
}

// keptFile is a file of so many rows, made now from what row gives for 0, 1, … unless it is there.
func keptFile(ctx context.Context, dir, name string, rows int, row func(i int) []byte) (string, error) {
	path := filepath.Join(dir, name)
	size := int64(rows) * rowBytes
	if info, err := os.Stat(path); err == nil && info.Size() == size {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return "", fmt.Errorf("asking for the free space in %s: %w", dir, err)
	}
	if free := int64(disk.Bavail) * int64(disk.Bsize); free < size+outputRoom {
		return "", fmt.Errorf("%s has %d MB free, %d MB are needed: ask for fewer -rows, or name another folder with -data", dir, free>>20, (size+outputRoom)>>20)
	}
	fmt.Printf("generating %s (%d MB)\n", path, size>>20)
	temp := path + ".tmp"
	defer os.Remove(temp)
	if err := generate(ctx, temp, rows, row); err != nil {
		return "", fmt.Errorf("generating %s: %w", path, err)
	}
	return path, os.Rename(temp, path)
}

func generate(ctx context.Context, path string, rows int, row func(i int) []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range rows {
		if i%100_000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if _, err := w.Write(row(i)); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
