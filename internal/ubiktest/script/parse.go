package script

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/sim"
	"ubik/internal/vec"
)

// Case is one query of a script with all that holds for it.
type Case struct {
	Name       string
	Line       int // of its block in the file
	Sources    []sim.Source
	Bands      []naive.Band
	SQL        string
	Key        []string
	Bounded    bool
	Skip       bool
	Partitions []naive.Partition
	Want       string

	block int // index of its block
}

// World returns the case as a simulated world, with the sources that its query names.
func (c *Case) World() *sim.World {
	w := &sim.World{Name: c.Name, Bands: c.Bands, SQL: c.SQL, Key: c.Key}
	named := c.named()
	for i, s := range c.Sources {
		if !named[i] {
			continue
		}
		for _, p := range c.Partitions {
			if p.Source == i {
				p.Source = len(w.Sources)
				w.Partitions = append(w.Partitions, p)
			}
		}
		w.Sources = append(w.Sources, s)
	}
	return w
}

// named tells which sources the query names; all of them, if it cannot be parsed, names none, or one that there is not.
func (c *Case) named() []bool {
	all, named := make([]bool, len(c.Sources)), make([]bool, len(c.Sources))
	for i := range all {
		all[i] = true
	}
	stmt, err := sql.Parse(c.SQL)
	if err != nil {
		return all
	}
	known := true
	sql.Walk(stmt, func(n sql.Node) bool {
		if t, ok := n.(*sql.TableName); ok {
			i := slices.IndexFunc(c.Sources, func(s sim.Source) bool { return sql.SameName(s.Name, t.Parts[0].Name) })
			if known = known && i >= 0; known {
				named[i] = true
			}
		}
		return true
	})
	if !known || !slices.Contains(named, true) {
		return all
	}
	return named
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
	now := Case{Bounded: true}
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
		c.Sources, c.Partitions = slices.Clone(now.Sources), slices.Clone(now.Partitions)
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
	bands := []naive.Band(nil)
	for _, l := range strings.Split(b, "\n") {
		if words := strings.Fields(l); words[0] == "band" {
			more, err := band(words[1:])
			if err != nil {
				return err
			}
			bands = append(bands, more...)
			now.Bands = bands
			continue
		}
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
		first := sim.Source{Delay: vec.Forever}
		if len(now.Sources) > 0 {
			first = now.Sources[0]
		}
		first.Name, first.Schema, _ = strings.Cut(rest, " ")
		now.Sources = slices.Concat([]sim.Source{first}, now.Sources[min(1, len(now.Sources)):])
	case "with":
		with(now, rest)
	case "delay":
		return delay(now, rest)
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

// with adds a source, or gives one that is there other columns and drops its partitions.
func with(now *Case, text string) {
	name, schema, _ := strings.Cut(text, " ")
	if name == "none" {
		now.Sources = now.Sources[:1]
		now.Partitions = slices.DeleteFunc(slices.Clone(now.Partitions), func(p naive.Partition) bool { return p.Source > 0 })
		return
	}
	i := now.source(name)
	if i < 0 {
		now.Sources = append(slices.Clone(now.Sources), sim.Source{Name: name, Schema: schema, Delay: vec.Forever})
		return
	}
	now.Sources = slices.Clone(now.Sources)
	now.Sources[i].Schema, now.Sources[i].Delay = schema, vec.Forever
	now.Partitions = slices.DeleteFunc(slices.Clone(now.Partitions), func(p naive.Partition) bool { return p.Source == i })
}

// source is the index of a source, −1 if there is none of that name.
func (c *Case) source(name string) int {
	return slices.IndexFunc(c.Sources, func(s sim.Source) bool { return s.Name == name })
}

// target takes the name of a source from a text in front of its last word; without it the first source is meant.
func (c *Case) target(text string) (name, rest string) {
	if name, rest, ok := strings.Cut(text, " "); ok {
		return name, rest
	}
	if len(c.Sources) > 0 {
		name = c.Sources[0].Name
	}
	return name, text
}

// delay sets the delay of the source that is named, else of the first one.
func delay(now *Case, text string) error {
	name, rest := now.target(text)
	us := vec.Forever
	if rest != "unlimited" {
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		us = vec.Time(d.Microseconds())
	}
	i := now.source(name)
	if i < 0 {
		return fmt.Errorf("delay %s: there is no source %q", text, name)
	}
	now.Sources = slices.Clone(now.Sources)
	now.Sources[i].Delay = us
	return nil
}

// band is what the naive evaluator is told of the band of a join: its bounds, and the two times if they are not named
// ts. None: no more of them.
func band(words []string) ([]naive.Band, error) {
	if len(words) == 1 && words[0] == "none" {
		return nil, nil
	}
	if len(words) != 2 && len(words) != 4 {
		return nil, fmt.Errorf("band %s: it is two durations, and two times if they are not named ts", strings.Join(words, " "))
	}
	b := naive.Band{Times: [2]string{"ts", "ts"}}
	for i, to := range []*int64{&b.Lo, &b.Hi} {
		d, err := time.ParseDuration(words[i])
		if err != nil {
			return nil, err
		}
		*to = d.Microseconds()
	}
	copy(b.Times[:], words[2:])
	return []naive.Band{b}, nil
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
