package plan

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// labels name the inputs: by their aliases, numbered where several have the same; with inBranch only those of one branch.
func (p *Plan) labels(inBranch bool) []string {
	type place struct {
		alias  string
		branch int
	}
	seen := map[place]int{}
	var out []string
	for i := range p.Inputs {
		in := &p.Inputs[i]
		at := place{in.Alias, 0}
		if inBranch {
			at.branch = in.Branch
		}
		seen[at]++
		name := sql.QuoteName(in.Alias)
		if n := seen[at]; n > 1 {
			name = fmt.Sprintf("%s %d", name, n)
		}
		out = append(out, name)
	}
	return out
}

// simple reports whether the plan has one possible shape: an input with at most one stage, or two that are joined.
func (p *Plan) simple() bool {
	if len(p.Branches) > 1 || len(p.Stages) > 1 {
		return false
	}
	if len(p.Inputs) == 1 {
		return true
	}
	_, join := p.Stages[0].Node.(*op.BandJoin)
	return join && len(p.Inputs) == 2 && p.Inputs[0].Port != p.Inputs[1].Port
}

// facts lists what the output depends on, the most telling first: a refused checkpoint names the first that differs.
// Those of an input are named with its label when there are several, those of an operator and a branch with their number.
func (p *Plan) facts() {
	add := func(name, value string) { p.Facts = append(p.Facts, Fact{name, value}) }
	labels := p.labels(false)
	inputs := func(name string, f func(in *Input) (string, bool)) {
		for i := range p.Inputs {
			n := name
			if len(p.Inputs) > 1 {
				n += " of " + labels[i]
			}
			if value, ok := f(&p.Inputs[i]); ok {
				add(n, value)
			}
		}
	}
	add("semantics", Semantics)
	inputs("source", func(in *Input) (string, bool) {
		src := &p.Sources[in.Source]
		return src.Log + " as " + src.Format, true
	})
	var outs []string
	for _, f := range p.Output {
		outs = append(outs, sql.QuoteName(f.Name)+" "+f.Type.String())
	}
	add("output", strings.Join(outs, ", "))
	for i, br := range p.Branches {
		if len(p.Branches) > 1 {
			add(fmt.Sprintf("key of branch %d", i+1), keyFact(br.Key))
		} else {
			add("key", keyFact(br.Key))
		}
	}
	for i := range p.Inputs {
		in := &p.Inputs[i]
		if in.Time == nil {
			continue
		}
		of := ""
		if len(p.Inputs) > 1 {
			of = " of " + labels[i]
		}
		add("time column"+of, in.Time.String())
		add(delayFact+of, delayText(in.Delay))
	}
	inputs("WHERE", func(in *Input) (string, bool) { return whereText(in.Where), true })
	inputs("expressions", func(in *Input) (string, bool) {
		var exprs []string
		for _, e := range in.Exprs {
			exprs = append(exprs, e.String())
		}
		return strings.Join(exprs, ", "), true
	})
	for i := range p.Stages {
		if !p.simple() {
			add(fmt.Sprintf("operator %d", i+1), p.Stages[i].Node.Describe())
		} else {
			add("operator", p.Stages[i].Node.Describe())
		}
	}
	if !p.simple() {
		inputs("feeds", func(in *Input) (string, bool) { return feedsFact(in.Branch, in.Stage, in.Port, in.Keys), true })
		for i := range p.Stages {
			s := &p.Stages[i]
			text := feedsFact(s.Branch, s.To, s.Port, s.Keys)
			if s.To >= 0 && s.Timed {
				text += ", timed, " + spanText(s.Behind) + " behind"
			}
			add(fmt.Sprintf("feeds of operator %d", i+1), text)
		}
	}
	p.columnFacts(add, labels)
}

func keyFact(key []vec.Field) string {
	if key == nil {
		return "position"
	}
	var names []string
	for _, f := range key {
		names = append(names, sql.QuoteName(f.Name))
	}
	return strings.Join(names, ", ")
}

// feedsFact says where rows go.
func feedsFact(branch, stage, port, keys int) string {
	if stage < 0 {
		return fmt.Sprintf("branch %d", branch+1)
	}
	return fmt.Sprintf("port %d of operator %d in branch %d, key of %d", port, stage+1, branch+1, keys)
}

// columnFacts come last and in an order of their own: a query that differs differs in something more telling, too. What is
// decoded belongs to a source, so they are named with all that read it.
func (p *Plan) columnFacts(add func(name, value string), labels []string) {
	for s := range p.Sources {
		var cols, readers []string
		for _, c := range p.Sources[s].Columns {
			cols = append(cols, sql.QuoteName(strings.Join(c.Path, "."))+" "+c.Type.String())
		}
		slices.Sort(cols)
		for i := range p.Inputs {
			if p.Inputs[i].Source == s {
				readers = append(readers, labels[i])
			}
		}
		name := "columns"
		if len(p.Inputs) > 1 {
			name += " of " + strings.Join(readers, ", ")
		}
		add(name, strings.Join(cols, ", "))
	}
}

func whereText(e expr.Expr) string {
	if e == nil {
		return "none"
	}
	return e.String()
}

func delayText(d vec.Time) string {
	if d == vec.Forever {
		return "unlimited"
	}
	return spanText(d)
}

const delayFact = "delay" // with its input behind it, where there are several

// DelayFlags returns the values of --delay by which this plan's delays would be those that the facts of another one name:
// of each source whose delay differs, with its name where there are several.
func (p *Plan) DelayFlags(facts []Fact) []string {
	values := map[string]string{}
	for _, f := range facts {
		values[f.Name] = f.Value
	}
	var flags []string
	for i, label := range p.labels(false) {
		in := &p.Inputs[i]
		name := delayFact
		if len(p.Inputs) > 1 {
			name += " of " + label
		}
		was, known := values[name]
		if in.Time == nil || !known || was == delayText(in.Delay) {
			continue
		}
		flag, ok := delayFlag(was)
		if !ok {
			return nil
		}
		if len(p.Sources) > 1 {
			flag = p.Sources[in.Source].Name + "=" + flag
		}
		if !slices.Contains(flags, flag) {
			flags = append(flags, flag)
		}
	}
	return flags
}

// delayHours is the longest --delay, of which time.Duration counts the nanoseconds.
const delayHours = math.MaxInt64 / 3_600_000_000_000

// delayFlag writes what delayText has written as --delay takes it: 1 day 2 hours 5 seconds is 26h5s. A WATERMARK FOR may say
// more than it takes.
func delayFlag(text string) (flag string, ok bool) {
	words := strings.Fields(text)
	hours := 0
	for i := 0; i+1 < len(words); i += 2 {
		switch n, unit := words[i], words[i+1][:1]; unit {
		case "d", "h":
			h, err := strconv.Atoi(n)
			if err != nil {
				return "", false
			}
			if unit == "d" {
				h *= 24
			}
			hours += h
		default:
			flag += n + unit
		}
	}
	if hours > 0 {
		flag = strconv.Itoa(hours) + "h" + flag
	}
	if flag == "" {
		flag = text
	}
	return flag, hours < delayHours
}
