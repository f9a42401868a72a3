package plan

import (
	"fmt"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// Surroundings is what is shown beside the plan and is no part of it.
type Surroundings struct {
	From []From // of each source of the plan
	To   string // where the rows go
}

// From is where a source is read.
type From struct {
	Log string
	End string // what ends it, in words
}

// Explain writes the plan as a tree for people: the output first, below it the operator, below that the sources. The
// text is a function of the plan and its surroundings; it may change between versions.
func (p *Plan) Explain(s Surroundings) string {
	root := &explained{title: "output to " + s.To}
	middle := &explained{}
	var outputs []expr.Expr
	order := "one sequence of rows for each partition of the source, in its order"
	switch n := p.Root.(type) {
	case *op.WindowAggregate:
		outputs = n.Select
		p.explainAggregate(middle, n)
		switch {
		case n.Window == nil && len(n.Keys) == 0:
			order = "a single row"
		case n.Window == nil:
			order = "by group, NULL last"
		case n.Window.Tumbles(), n.Window.Gaps():
			order = "by window, then by group, NULL last"
		default:
			order = "by the window's end, then its start, then by group, NULL last"
		}
		if n.Window != nil && len(n.Keys) == 0 {
			order = strings.Replace(order, ", then by group, NULL last", "", 1)
		}
	case *op.BandJoin:
		outputs = n.Select
		p.explainJoin(middle, n)
		order = fmt.Sprintf("by time, then by the position of %s, then of %s", p.alias(0), p.alias(1))
		if n.Kind == op.Semi || n.Kind == op.Anti {
			order = fmt.Sprintf("by time, then by the position of %s", p.alias(0))
		}
	case nil:
		outputs = p.Inputs[0].Exprs
		middle.title = "record by record"
		middle.say("leaves", "a row as soon as its record is read")
		middle.say("state", "none")
	default:
		panic("plan: an operator that cannot be explained: " + p.Root.Describe())
	}
	var columns [][]string
	for i, f := range p.Output {
		columns = append(columns, described(f, outputs[i].String()))
	}
	root.table("columns", columns)
	root.say("key", p.keyText())
	root.say("order", order)
	root.reads = []*explained{middle}
	for i := range p.Inputs {
		middle.reads = append(middle.reads, p.explainInput(i, s))
	}
	return root.String()
}

// described is a line of a table of columns: name, type, and what it is unless that is the name.
func described(f vec.Field, text string) []string {
	name := sql.QuoteName(f.Name)
	line := []string{name, f.Type.String()}
	if text != name {
		line = append(line, text)
	}
	return line
}

func (p *Plan) alias(i int) string { return sql.QuoteName(p.Aliases[i]) }

func (p *Plan) keyText() string {
	switch {
	case len(p.Key) > 0:
		var names []string
		for _, f := range p.Key {
			names = append(names, sql.QuoteName(f.Name))
		}
		return strings.Join(names, ", ")
	case p.Key != nil:
		return "none, for there is one row"
	case len(p.Inputs) == 1:
		return "the position of the record"
	}
	if n, ok := p.Root.(*op.BandJoin); ok && (n.Kind == op.Semi || n.Kind == op.Anti) {
		return "the position of the record of " + p.alias(0)
	}
	return fmt.Sprintf("the positions of the records of %s and %s", p.alias(0), p.alias(1))
}

// explainInput describes a source as the query reads it.
func (p *Plan) explainInput(i int, s Surroundings) *explained {
	in := &p.Inputs[i]
	src := &p.Sources[in.Source]
	title := "source " + sql.QuoteName(src.Name)
	if !sql.SameName(src.Name, p.Aliases[i]) {
		title += " as " + p.alias(i)
	}
	n := &explained{title: title}
	n.say("from", s.From[in.Source].Log)
	n.say("format", src.Format)
	n.say("end", s.From[in.Source].End)
	var columns [][]string
	for _, c := range in.Columns {
		var parts []string
		for _, name := range c.Path {
			parts = append(parts, sql.QuoteName(name))
		}
		columns = append(columns, []string{strings.Join(parts, "."), c.Type.String()})
	}
	for _, q := range in.Pseudo {
		columns = append(columns, []string{pseudoNames[q], PseudoType(q).String(), "of the record, not of its value"})
	}
	n.table("columns", columns)
	if in.Time == nil {
		n.say("time", "none")
		n.say("late", "never, for the query has no time column")
	} else {
		n.say("time", in.Time.String())
		n.say("delay", delayWords(src, in.Delay))
		n.say("late", lateText(in)...)
	}
	n.say("where", whereText(in.Where))
	return n
}

func delayWords(src *Source, d vec.Time) string {
	text := "unlimited"
	if d != vec.Forever {
		text = spanText(d)
	}
	switch {
	case src.Delay >= 0:
		return text
	case d == vec.Forever:
		return text + " (the default of files read to their end)"
	}
	return text + " (the default)"
}

// lateText says when a record is late: by its own partition alone.
func lateText(in *Input) []string {
	if in.Delay == vec.Forever {
		return []string{"never, for the delay is unlimited"}
	}
	const newest = "the newest time read before it from its partition"
	before := "at or before " + newest
	if in.Delay > 0 {
		before = "at least " + spanText(in.Delay) + " before " + newest
	}
	switch {
	case in.Strict && in.Delay > 0:
		return []string{"a record more than " + spanText(in.Delay) + " before " + newest}
	case in.Strict:
		return []string{"a record before " + newest}
	case in.Window.Tumbles(), in.Window.Gaps():
		return []string{"a record whose window ends " + before}
	}
	return []string{"a record whose windows all end " + before, "where only some of them do, it is left out of these"}
}
