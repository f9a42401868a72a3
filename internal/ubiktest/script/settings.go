package script

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ubik/internal/ubiktest/naive"
	"ubik/internal/ubiktest/sim"
	"ubik/internal/vec"
)

// setting reads a line of a block of settings.
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
	case "watermark":
		return watermark(now, rest)
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
	now.Sources[i] = sim.Source{Name: now.Sources[i].Name, Schema: schema, Delay: vec.Forever}
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

// watermark has a source declare its time column with its delay, or none.
func watermark(now *Case, text string) error {
	words := strings.Fields(text)
	bad := fmt.Errorf("watermark %s: it is a source, and its time column and delay or none", text)
	if len(words) < 2 {
		return bad
	}
	i := now.source(words[0])
	if i < 0 {
		return fmt.Errorf("watermark %s: there is no source %q", text, words[0])
	}
	now.Sources = slices.Clone(now.Sources)
	switch {
	case len(words) == 2 && words[1] == "none":
		now.Sources[i].Time = ""
		return nil
	case len(words) != 3:
		return bad
	}
	now.Sources[i].Time = words[1]
	return delay(now, words[0]+" "+words[2])
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
