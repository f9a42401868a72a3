package script

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/sim"
	"ubik/internal/vec"
)

// Case is one query of a script with all that holds for it.
type Case struct {
	Name       string
	Line       int // of its block in the file
	Table      string
	Schema     string
	SQL        string
	Key        []string
	Delay      vec.Time // µs, or vec.Forever
	Bounded    bool
	Skip       bool
	Partitions []naive.Partition
	Want       string

	block int // index of its block
}

// World returns the case as a simulated world.
func (c *Case) World() *sim.World {
	return &sim.World{
		Name: c.Name, Table: c.Table, Schema: c.Schema, SQL: c.SQL, Key: c.Key, Partitions: c.Partitions, Delay: c.Delay,
	}
}

// Script is a parsed file.
type Script struct {
	Path   string
	Cases  []Case
	blocks []string
}

const dashes = "\n----"

// Load reads the scripts of a folder by name.
func Load(folder string) ([]*Script, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.txt"))
	if err != nil {
		return nil, err
	}
	var out []*Script
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		s, err := Parse(f, string(text))
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Parse reads a script.
func Parse(path, text string) (*Script, error) {
	s := &Script{Path: path, blocks: strings.Split(strings.TrimRight(text, "\n"), "\n\n")}
	now := Case{Bounded: true, Delay: vec.Forever}
	line := 1
	for i, b := range s.blocks {
		if err := s.block(&now, b, i, line); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, line, err)
		}
		line += strings.Count(b, "\n") + 2
	}
	return s, nil
}

func (s *Script) block(now *Case, b string, index, line int) error {
	head, body, _ := strings.Cut(b, "\n")
	word, rest, _ := strings.Cut(head, " ")
	switch word {
	case "query":
		c := *now
		c.Name, c.Line, c.block = rest, line, index
		c.Partitions = append([]naive.Partition{}, now.Partitions...)
		sql, want, ok := strings.Cut("\n"+body, dashes)
		if !ok {
			return fmt.Errorf("a query without a line of dashes")
		}
		c.SQL, c.Want = strings.TrimPrefix(sql, "\n"), strings.TrimPrefix(want, "\n")
		s.Cases = append(s.Cases, c)
		return nil
	case "rows":
		return rows(now, rest, body)
	}
	for _, l := range strings.Split(b, "\n") {
		if err := setting(now, l); err != nil {
			return err
		}
	}
	return nil
}

func setting(now *Case, line string) error {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "source":
		now.Table, now.Schema, _ = strings.Cut(rest, " ")
	case "delay":
		now.Delay = vec.Forever
		if rest != "unlimited" {
			d, err := time.ParseDuration(rest)
			if err != nil {
				return err
			}
			now.Delay = vec.Time(d.Microseconds())
		}
	case "bounded", "open":
		now.Bounded = word == "bounded"
	case "on-error":
		now.Skip = rest == "skip"
	case "key":
		now.Key = nil
		if rest != "default" {
			now.Key = strings.Split(rest, ",")
		}
	default:
		if !strings.HasPrefix(line, "#") {
			return fmt.Errorf("no such setting: %s", line)
		}
	}
	return nil
}

var logStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func rows(now *Case, number, body string) error {
	if number == "none" {
		now.Partitions = nil
		return nil
	}
	p, err := strconv.Atoi(number)
	if err != nil || p > len(now.Partitions) {
		return fmt.Errorf("rows %s: partitions are numbered from 0", number)
	}
	part := naive.Partition{Topic: now.Table, Index: int32(p)}
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
	parts := append([]naive.Partition{}, now.Partitions...)
	if p == len(parts) {
		parts = append(parts, part)
	}
	parts[p] = part
	now.Partitions = parts
	return nil
}

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

// Rewritten returns the script with other expectations, by index of the case.
func (s *Script) Rewritten(got []string) string {
	blocks := append([]string{}, s.blocks...)
	for i, c := range s.Cases {
		head, _, _ := strings.Cut(blocks[c.block], dashes)
		blocks[c.block] = head + dashes + "\n" + got[i]
	}
	return strings.Join(blocks, "\n\n") + "\n"
}
