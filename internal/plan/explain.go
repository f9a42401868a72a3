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

// Explain writes the plan as a tree for people: the output first, below it the operators, below each what feeds it, last
// the sources. The text is a function of the plan and its surroundings; it may change between versions.
func (p *Plan) Explain(s Surroundings) string {
	root := &explained{title: "output to " + s.To}
	if len(p.Branches) == 1 {
		p.explainRows(root, 0)
		root.reads = []*explained{p.explainBranch(0, s)}
		return root.String()
	}
	var columns [][]string
	for _, f := range p.Output {
		columns = append(columns, described(f, sql.QuoteName(f.Name)))
	}
	root.table("columns", columns)
	root.say("order", "each branch has its own; there is none between branches")
	for i := range p.Branches {
		n := &explained{title: fmt.Sprintf("branch %d", i+1)}
		p.explainRows(n, i)
		n.reads = []*explained{p.explainBranch(i, s)}
		root.reads = append(root.reads, n)
	}
	return root.String()
}

// explainRows says what the rows of a branch are: their columns, key and order.
func (p *Plan) explainRows(e *explained, branch int) {
	br := &p.Branches[branch]
	var outputs []expr.Expr
	order := "one sequence of rows for each partition of the source, in its order"
	if br.Stage < 0 {
		outputs = p.Inputs[br.Input].Exprs
	} else {
		switch n := p.Stages[br.Stage].Node.(type) {
		case *op.WindowAggregate:
			outputs, order = n.Select, aggregateOrder(n)
		case *op.BandJoin:
			outputs = n.Select
			order = "by time, then by the position of " + strings.Join(p.records(br.Stage), ", then of ")
		}
	}
	var columns [][]string
	for i, f := range p.Output {
		columns = append(columns, described(f, outputs[i].String()))
	}
	e.table("columns", columns)
	e.say("key", p.keyText(br))
	e.say("order", order)
}

func aggregateOrder(n *op.WindowAggregate) string {
	order := "by the window's end, then its start, then by group, NULL last"
	switch {
	case n.Window == nil && len(n.Keys) == 0:
		return "a single row"
	case n.Window == nil:
		return "by group, NULL last"
	case n.Window.Tumbles(), n.Window.Gaps():
		order = "by window, then by group, NULL last"
	}
	if len(n.Keys) == 0 {
		return strings.Replace(order, ", then by group, NULL last", "", 1)
	}
	return order
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

func (p *Plan) keyText(br *Branch) string {
	switch {
	case len(br.Key) > 0:
		var names []string
		for _, f := range br.Key {
			names = append(names, sql.QuoteName(f.Name))
		}
		return strings.Join(names, ", ")
	case br.Key != nil:
		return "none, for there is one row"
	case br.Stage < 0:
		return "the position of the record"
	}
	records := p.records(br.Stage)
	if len(records) == 1 {
		return "the position of the record of " + records[0]
	}
	return "the positions of the records of " + listOf(records, "and")
}

// explainBranch describes what gives the rows of a branch.
func (p *Plan) explainBranch(branch int, s Surroundings) *explained {
	br := &p.Branches[branch]
	if br.Stage >= 0 {
		return p.explainStage(br.Stage, s)
	}
	n := &explained{title: "record by record"}
	n.say("leaves", "a row as soon as its record is read")
	n.say("state", "none")
	n.reads = []*explained{p.explainInput(br.Input, s)}
	return n
}

// explainStage describes an operator and what feeds it.
func (p *Plan) explainStage(i int, s Surroundings) *explained {
	e := &explained{}
	switch n := p.Stages[i].Node.(type) {
	case *op.WindowAggregate:
		p.explainAggregate(e, i, n)
	case *op.BandJoin:
		p.explainJoin(e, i, n)
	default:
		panic("plan: an operator that cannot be explained: " + n.Describe())
	}
	if len(p.Stages) > 1 {
		e.title = fmt.Sprintf("operator %d: %s", i+1, e.title)
	}
	if p.Stages[i].To >= 0 {
		p.explainHandedOn(e, i)
	}
	for port := range 2 {
		for _, f := range p.feeders(i, port) {
			if f.stage >= 0 {
				e.reads = append(e.reads, p.explainStage(f.stage, s))
			} else {
				e.reads = append(e.reads, p.explainInput(f.input, s))
			}
		}
	}
	return e
}

// explainHandedOn says what an operator gives to the next one.
func (p *Plan) explainHandedOn(e *explained, i int) {
	s := &p.Stages[i]
	exprs := p.gives(feeder{stage: i})
	var gives [][]string
	for _, x := range exprs {
		gives = append(gives, []string{x.String(), x.Type().String()})
	}
	e.table("gives", gives)
	if !s.Timed {
		return
	}
	clock := "watermark"
	if _, join := s.Node.(*op.BandJoin); join {
		clock = "cursor"
	}
	text := p.timeOf(feeder{stage: i}).String()
	if s.Behind > 0 {
		e.say("hands on", text+", "+spanText(s.Behind)+" behind its "+clock)
	} else {
		e.say("hands on", text+", with its "+clock)
	}
}
