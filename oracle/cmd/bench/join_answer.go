package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// pair is a joined row's columns beside its id.
type pair struct {
	authorised, settled int64 // cents
	took                time.Duration
}

// pairs is a result of the join, by auth_id: none has more than one settlement.
type pairs map[uint64]pair

func readPairs(path string) (pairs, error) {
	p := pairs{}
	return p, eachLine(path, p.add)
}

func (want pairs) size() int { return len(want) }

// compare fails unless the file holds the same rows, each once.
func (want pairs) compare(path string) error {
	got, err := readPairs(path)
	if err != nil {
		return err
	}
	for id, w := range want {
		switch have, ok := got[id]; {
		case !ok:
			return fmt.Errorf("auth_id %016x: not there (%d rows expected, %d there)", id, len(want), len(got))
		case have != w:
			return fmt.Errorf("auth_id %016x: expected %d and %d cents in %v, got %d and %d in %v (%d rows expected, %d there)",
				id, w.authorised, w.settled, w.took, have.authorised, have.settled, have.took, len(want), len(got))
		}
	}
	if len(got) != len(want) {
		return fmt.Errorf("%d rows expected, %d there", len(want), len(got))
	}
	return nil
}

// add takes a row as either of them writes it.
func (p pairs) add(text []byte) error {
	var row struct {
		AuthID              string `json:"auth_id"`
		Authorised, Settled json.Number
		Took                string
	}
	if err := json.Unmarshal(text, &row); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	id, err := strconv.ParseUint(row.AuthID, 16, 64)
	if err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	authorised, ok := centsOf(row.Authorised)
	settled, ok2 := centsOf(row.Settled)
	took, ok3 := tookOf(row.Took)
	if !ok || !ok2 || !ok3 {
		return fmt.Errorf("an amount is no number of cents, or took is not hours, minutes and seconds: %s", text)
	}
	if _, twice := p[id]; twice {
		return fmt.Errorf("the authorisation is there twice: %s", text)
	}
	p[id] = pair{authorised, settled, took}
	return nil
}

// tookOf reads an interval of hours, minutes and seconds: 00:03:00.125.
func tookOf(text string) (time.Duration, bool) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, false
	}
	d, err := time.ParseDuration(parts[0] + "h" + parts[1] + "m" + parts[2] + "s")
	return d, err == nil
}
