package plan

import (
	"fmt"
	"strings"

	"ubik/internal/sql"
	"ubik/internal/vec"
)

// readersShown is how many references to a source are named where it is shown.
const readersShown = 8

// explainInput describes a source as the query reads it.
func (p *Plan) explainInput(i int, s Surroundings) *explained {
	in := &p.Inputs[i]
	src := &p.Sources[in.Source]
	title := "source " + sql.QuoteName(src.Name)
	if !sql.SameName(src.Name, in.Alias) {
		title += " as " + sql.QuoteName(in.Alias)
	}
	n := &explained{title: title}
	n.say("from", s.From[in.Source].Log)
	if readers := p.readers(in.Source); len(readers) > 1 {
		if len(readers) > readersShown {
			readers = append(readers[:readersShown:readersShown], fmt.Sprintf("%d more", len(readers)-readersShown))
		}
		n.say("read", "once for "+listOf(readers, "and"))
	}
	n.say("format", src.Format)
	n.say("end", s.From[in.Source].End)
	var columns [][]string
	for _, c := range src.Columns {
		var parts []string
		for _, name := range c.Path {
			parts = append(parts, sql.QuoteName(name))
		}
		columns = append(columns, []string{strings.Join(parts, "."), c.Type.String()})
	}
	for _, q := range src.Pseudo {
		columns = append(columns, []string{pseudoNames[q], PseudoType(q).String(), "of the record, not of its value"})
	}
	n.table("columns", columns)
	if in.Time == nil {
		n.say("time", "none")
		n.say("late", "never, for "+p.timeless()+" has no time column")
	} else {
		n.say("time", in.Time.String())
		n.say("delay", delayWords(&src.Source, in.Delay))
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
	switch {
	case in.Window == nil && !in.Strict:
		return []string{"never, for no window and no band takes the time"}
	case in.Delay == vec.Forever:
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

// readers are the names under which a source is read.
func (p *Plan) readers(source int) []string {
	labels := p.labels(true)
	var out []string
	for i := range p.Inputs {
		if p.Inputs[i].Source != source {
			continue
		}
		name := labels[i]
		if len(p.Branches) > 1 {
			name += fmt.Sprintf(" of branch %d", p.Inputs[i].Branch+1)
		}
		out = append(out, name)
	}
	return out
}

// timeless is what has no time column where an input has none.
func (p *Plan) timeless() string {
	for i := range p.Inputs {
		if p.Inputs[i].Time != nil {
			return "it"
		}
	}
	return "the query"
}
