package script

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	Delay      vec.Time  // µs, or vec.Forever
	Join       *sim.Join // the second source; nil: none
	Bounded    bool
	Skip       bool
	Partitions []naive.Partition
	Want       string

	block int // index of its block
}

// World returns the case as a simulated world.
func (c *Case) World() *sim.World {
	return &sim.World{
		Name: c.Name, Table: c.Table, Schema: c.Schema, SQL: c.SQL, Key: c.Key, Partitions: c.Partitions, Delay: c.Delay, Join: c.Join,
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
	case "with":
		return second(now, rest)
	case "delay":
		return delay(now, rest)
	case "band":
		return band(now, strings.Fields(rest))
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

// second sets the second source, which drops its partitions.
func second(now *Case, text string) error {
	name, schema, _ := strings.Cut(text, " ")
	parts := []naive.Partition{}
	for _, p := range now.Partitions {
		if p.Source == 0 {
			parts = append(parts, p)
		}
	}
	now.Partitions, now.Join = parts, nil
	if name != "none" {
		now.Join = &sim.Join{Table: name, Schema: schema, Delay: vec.Forever, Times: [2]string{"ts", "ts"}}
	}
	return nil
}

// delay sets the delay of the source that is named, else of the first one.
func delay(now *Case, text string) error {
	name, rest, named := strings.Cut(text, " ")
	if !named {
		name, rest = now.Table, text
	}
	us := vec.Forever
	if rest != "unlimited" {
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		us = vec.Time(d.Microseconds())
	}
	switch {
	case name == now.Table:
		now.Delay = us
	case now.Join != nil && name == now.Join.Table:
		j := *now.Join
		j.Delay = us
		now.Join = &j
	default:
		return fmt.Errorf("delay %s: there is no source %s", text, name)
	}
	return nil
}

// band sets what the naive evaluator is told of the band: its bounds, and the two times if they are not named ts.
func band(now *Case, words []string) error {
	if now.Join == nil || len(words) != 2 && len(words) != 4 {
		return fmt.Errorf("band %s: it is two durations, for a second source", strings.Join(words, " "))
	}
	j := *now.Join
	for i, to := range []*int64{&j.Lo, &j.Hi} {
		d, err := time.ParseDuration(words[i])
		if err != nil {
			return err
		}
		*to = d.Microseconds()
	}
	j.Times = [2]string{"ts", "ts"}
	copy(j.Times[:], words[2:])
	now.Join = &j
	return nil
}

var logStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()

func rows(now *Case, head, body string) error {
	if head == "none" {
		now.Partitions = nil
		return nil
	}
	part := naive.Partition{Topic: now.Table}
	number := head
	if name, rest, ok := strings.Cut(head, " "); ok {
		part.Topic, number = name, rest
		switch {
		case now.Join != nil && name == now.Join.Table:
			part.Source = 1
		case name != now.Table:
			return fmt.Errorf("rows %s: there is no source %s", head, name)
		}
	}
	have := [2]int{}
	for _, p := range now.Partitions {
		have[p.Source]++
	}
	p, err := strconv.Atoi(number)
	if err != nil || p < 0 || p > have[part.Source] {
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
	at := p + part.Source*have[0] // those of the second source are last
	parts := slices.Clone(now.Partitions)
	if p == have[part.Source] {
		parts = slices.Insert(parts, at, part)
	}
	parts[at] = part
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
