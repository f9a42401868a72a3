package script

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/sim"
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

// named tells which sources the query names, or give a view its name; all of them, if it names none or cannot be parsed.
func (c *Case) named() []bool {
	all, named := make([]bool, len(c.Sources)), make([]bool, len(c.Sources))
	for i := range all {
		all[i] = true
	}
	views, q := sim.Statements(c.SQL)
	if q == nil {
		return all
	}
	used := plan.Used(q, views)
	for i, s := range c.Sources {
		named[i] = used[sql.FoldName(s.Name)] != nil || slices.ContainsFunc(views, func(v *sql.CreateView) bool { return sql.SameName(v.Name.Name, s.Name) })
	}
	if !slices.Contains(named, true) {
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

// Rewritten returns the script with other expectations, by index of the case.
func (s *Script) Rewritten(got []string) string {
	blocks := append([]string{}, s.blocks...)
	for i, c := range s.Cases {
		head, _, _ := strings.Cut(blocks[c.block], dashes)
		blocks[c.block] = head + dashes + "\n" + got[i]
	}
	return strings.Join(blocks, "\n\n") + "\n"
}
