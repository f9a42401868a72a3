package script

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ubik/internal/ubiktest/naive"
)

var logStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

// rows sets the records of a partition, or drops all.
func rows(now *Case, head, body string) error {
	if head == "none" {
		now.Partitions = nil
		return nil
	}
	name, number := now.target(head)
	part := naive.Partition{Topic: name, Source: now.source(name)}
	if part.Source < 0 {
		return fmt.Errorf("rows %s: there is no source %q", head, name)
	}
	at, have := 0, 0 // partitions of the sources before it, and of it
	for _, p := range now.Partitions {
		if p.Source < part.Source {
			at++
		} else if p.Source == part.Source {
			have++
		}
	}
	p, err := strconv.Atoi(number)
	if err != nil || p < 0 || p > have {
		return fmt.Errorf("rows %s: partitions are numbered from 0", head)
	}
	part.Index = int32(p)
	next := int64(0)
	for _, l := range strings.Split(body, "\n") {
		if l == "" {
			continue
		}
		r, err := record(l, next)
		if err != nil {
			return err
		}
		next = r.Position + 1
		part.Records = append(part.Records, r)
	}
	parts := slices.Clone(now.Partitions)
	if p == have {
		parts = slices.Insert(parts, at+p, part)
	}
	parts[at+p] = part
	now.Partitions = parts
	return nil
}

// record reads a record, at that position unless another is given.
func record(line string, next int64) (naive.Record, error) {
	r := naive.Record{Position: next}
	if at, ok := strings.CutPrefix(line, "@"); ok {
		number, rest, _ := strings.Cut(at, " ")
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return r, err
		}
		r.Position, line = n, rest
	}
	if k, ok := strings.CutPrefix(line, "key="); ok {
		key, rest, _ := strings.Cut(k, " ")
		r.Key, line = []byte(key), rest
	}
	r.Time = logStart + r.Position*1e6
	r.Value = []byte(line)
	if line == "tombstone" {
		r.Value = nil
	}
	if h, ok := strings.CutPrefix(line, "hex="); ok {
		var err error
		if r.Value, err = hex.DecodeString(h); err != nil {
			return r, err
		}
	}
	return r, nil
}
