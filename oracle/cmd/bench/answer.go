package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"time"
)

// group is a row's key.
type group struct {
	merchant string
	window   int64 // seconds since 1970
}

// total is a row's value.
type total struct{ n, cents int64 }

// answer is a result of the query.
type answer map[group]total

// compare fails unless the file holds the same rows, each once.
func (want answer) compare(path string) error {
	got, err := readAnswer(path)
	if err != nil {
		return err
	}
	return want.same(got)
}

func (want answer) size() int { return len(want) }

func (want answer) same(got answer) error {
	for g, w := range want {
		if have, ok := got[g]; !ok || have != w {
			return fmt.Errorf("%s, window %s: expected %d records and %d cents, got %d and %d (%d rows expected, %d there)",
				g.merchant, time.Unix(g.window, 0).UTC().Format(time.RFC3339), w.n, w.cents, have.n, have.cents, len(want), len(got))
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d rows expected, %d there", len(want), len(got))
	}
	return nil
}

func readAnswer(path string) (answer, error) {
	a := answer{}
	return a, eachLine(path, a.add)
}

// eachLine hands on the lines of a file until one is refused.
func eachLine(path string, add func(line []byte) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if err := add(lines.Bytes()); err != nil {
			return fmt.Errorf("%s, line %d: %w", path, n, err)
		}
	}
	return lines.Err()
}

// add takes a row as either of them writes it: DuckDB's times have a blank and no zone, its decimals fewer digits.
func (a answer) add(text []byte) error {
	var row struct {
		Merchant, Window string
		N                int64
		Total            json.Number
	}
	if err := json.Unmarshal(text, &row); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	window, err := time.Parse(time.RFC3339, row.Window)
	if err != nil {
		if window, err = time.Parse(time.DateTime, row.Window); err != nil {
			return fmt.Errorf("%w: %s", err, text)
		}
	}
	cents, ok := centsOf(row.Total)
	if !ok {
		return fmt.Errorf("the total is no number of cents: %s", text)
	}
	g := group{row.Merchant, window.Unix()}
	if _, twice := a[g]; twice {
		return fmt.Errorf("the group is there twice: %s", text)
	}
	a[g] = total{row.N, cents}
	return nil
}

func centsOf(n json.Number) (int64, bool) {
	cents, ok := new(big.Rat).SetString(n.String())
	if !ok || !cents.Mul(cents, big.NewRat(100, 1)).IsInt() || !cents.Num().IsInt64() {
		return 0, false
	}
	return cents.Num().Int64(), true
}
