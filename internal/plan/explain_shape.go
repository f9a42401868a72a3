package plan

import (
	"slices"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// feeder is what feeds a port of a stage: a stage, or if that is −1 an input.
type feeder struct{ stage, input int }

// feeders are what feeds a port, in the order of the query text.
func (p *Plan) feeders(stage, port int) []feeder {
	var out []feeder
	for i := range p.Inputs {
		if p.Inputs[i].Stage == stage && p.Inputs[i].Port == port {
			out = append(out, feeder{-1, i})
		}
	}
	for i := range p.Stages {
		if p.Stages[i].To == stage && p.Stages[i].Port == port {
			out = append(out, feeder{i, p.under(i)[0]})
		}
	}
	slices.SortFunc(out, func(a, b feeder) int { return a.input - b.input })
	return out
}

// under are the inputs below a stage.
func (p *Plan) under(stage int) []int {
	var out []int
	for i := range p.Inputs {
		for s := p.Inputs[i].Stage; s >= 0; s = p.Stages[s].To {
			if s == stage {
				out = append(out, i)
			}
		}
	}
	return out
}

// side names what feeds a port, by the aliases of what its rows are made of.
func (p *Plan) side(stage, port int) string {
	if union := p.union(stage, port); union != "" {
		return sql.QuoteName(union)
	}
	var names []string
	labels := p.labels(true)
	for _, f := range p.feeders(stage, port) {
		if f.stage < 0 {
			names = append(names, labels[f.input])
			continue
		}
		names = append(names, p.records(f.stage)...)
	}
	if len(names) == 1 {
		return names[0]
	}
	return "(" + strings.Join(names, ", ") + ")"
}

// union is the name of a side of a join that has several parts, "" of another one.
func (p *Plan) union(stage, port int) string {
	fs := p.feeders(stage, port)
	if len(fs) == 1 {
		return ""
	}
	union := p.Inputs[fs[0].input].Union
	for _, f := range fs {
		if p.Inputs[f.input].Union != union {
			return ""
		}
	}
	return union
}

// gives are the expressions that a feeder hands on, without its time, with columns of sources under their alias.
func (p *Plan) gives(f feeder) []expr.Expr {
	if f.stage >= 0 {
		s := &p.Stages[f.stage]
		exprs := selects(s.Node)
		if s.Timed {
			exprs = exprs[:len(exprs)-1]
		}
		return exprs
	}
	var out []expr.Expr
	for _, e := range p.Inputs[f.input].Exprs {
		out = append(out, p.aliased(f.input, e))
	}
	return out
}

// timeOf is the time that a feeder hands on; nil: none.
func (p *Plan) timeOf(f feeder) expr.Expr {
	if f.stage < 0 {
		return p.aliased(f.input, p.Inputs[f.input].Time)
	}
	s := &p.Stages[f.stage]
	if !s.Timed {
		return nil
	}
	exprs := selects(s.Node)
	return exprs[len(exprs)-1]
}

func selects(n op.Node) []expr.Expr {
	switch n := n.(type) {
	case *op.WindowAggregate:
		return n.Select
	case *op.BandJoin:
		return n.Select
	}
	panic("plan: an operator of another kind: " + n.Describe())
}

// aliased names the columns of an expression with their source, if rows of several can come where they go.
func (p *Plan) aliased(input int, e expr.Expr) expr.Expr {
	in := &p.Inputs[input]
	if in.Stage < 0 || len(p.feeders(in.Stage, 0))+len(p.feeders(in.Stage, 1)) == 1 {
		return e
	}
	return columnsOf(in.Alias, e)
}

// columnsOf names the columns of an expression with a table.
func columnsOf(table string, e expr.Expr) expr.Expr {
	return rewrite(e, func(c *expr.Column) expr.Expr {
		return &expr.Column{Index: c.Index, Name: sql.QuoteName(table) + "." + c.Name, T: c.T}
	})
}

// ofUnion is the text that the parts of a side have for something of theirs, pick, by the side's name; "" where it differs.
func (p *Plan) ofUnion(stage, port int, pick func(in *Input) expr.Expr) string {
	union, text := p.union(stage, port), ""
	if union == "" {
		return ""
	}
	for _, f := range p.feeders(stage, port) {
		if f.stage >= 0 {
			return ""
		}
		one := columnsOf(union, pick(&p.Inputs[f.input])).String()
		if text != "" && one != text {
			return ""
		}
		text = one
	}
	return text
}

// taken is the text of what a port takes as its column i; where the feeders of the port differ, all of them.
func (p *Plan) taken(stage, port, i int) string {
	if text := p.ofUnion(stage, port, func(in *Input) expr.Expr { return in.Exprs[i] }); text != "" {
		return text
	}
	var texts []string
	for _, f := range p.feeders(stage, port) {
		if t := p.gives(f)[i].String(); !slices.Contains(texts, t) {
			texts = append(texts, t)
		}
	}
	return listOf(texts, "or")
}

// sideTime is the text of the time of a port.
func (p *Plan) sideTime(stage, port int) string {
	fs := p.feeders(stage, port)
	if text := p.ofUnion(stage, port, func(in *Input) expr.Expr { return in.Time }); text != "" {
		return text
	}
	if len(fs) > 1 {
		return "the time of " + p.side(stage, port)
	}
	return p.timeOf(fs[0]).String()
}

// fedByStage reports whether rows of another operator feed a stage.
func (p *Plan) fedByStage(stage int) bool {
	for i := range p.Stages {
		if p.Stages[i].To == stage {
			return true
		}
	}
	return false
}

// clockText says what the watermark of a stage is; ofSources does for one that is fed by sources alone.
func (p *Plan) clockText(stage int, ofSources string) string {
	if !p.fedByStage(stage) {
		return ofSources
	}
	text := "what the operator below hands on"
	if len(p.feeders(stage, 0))+len(p.feeders(stage, 1)) > 1 {
		text = "the least of what is handed on below; of a source that is the newest time of a partition, less the delay"
	}
	return text
}

// lag is how far a stage's watermark lies behind the newest times of its sources: the delays, and what operators below are
// behind.
func (p *Plan) lag(stage int) vec.Time { return max(p.portLag(stage, 0), p.portLag(stage, 1)) }

func (p *Plan) portLag(stage, port int) vec.Time {
	var most vec.Time
	for _, f := range p.feeders(stage, port) {
		lag := p.Inputs[f.input].Delay
		if f.stage >= 0 {
			if lag = p.lag(f.stage); lag != vec.Forever {
				lag += p.Stages[f.stage].Behind
			}
		}
		most = max(most, lag)
	}
	return most
}

// unlimited names the inputs below a stage whose delay is unlimited.
func (p *Plan) unlimited(stage int) []string {
	var names []string
	limited := map[string]bool{} // the unions of which a part has a delay
	for _, i := range p.under(stage) {
		limited[p.Inputs[i].Union] = limited[p.Inputs[i].Union] || p.Inputs[i].Delay != vec.Forever
	}
	for _, i := range p.under(stage) {
		in := &p.Inputs[i]
		name := p.labels(true)[i]
		if in.Union != "" && !limited[in.Union] {
			name = sql.QuoteName(in.Union)
		}
		if in.Delay == vec.Forever && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// untilRead says until when nothing leaves a stage below which delays are unlimited.
func (p *Plan) untilRead(stage int) string {
	names := p.unlimited(stage)
	if len(names) > 1 {
		return "until " + listOf(names, "and") + ", whose delays are unlimited, have been read to the end"
	}
	return "until " + names[0] + ", whose delay is unlimited, has been read to the end"
}

// records name what the rows of a join are made of, each of the records by the input that it is of.
func (p *Plan) records(stage int) []string {
	n, ok := p.Stages[stage].Node.(*op.BandJoin)
	if !ok {
		return nil
	}
	var out []string
	for port := range 2 {
		if port == 1 && (n.Kind == op.Semi || n.Kind == op.Anti) {
			break
		}
		var one []string
		fs := p.feeders(stage, port)
		for _, f := range fs {
			of := []string{p.labels(true)[f.input]}
			if f.stage >= 0 {
				of = p.records(f.stage)
			}
			if len(fs) == 1 {
				out = append(out, of...)
			} else {
				one = append(one, listOf(of, "and"))
			}
		}
		if one != nil {
			out = append(out, listOf(one, "or"))
		}
	}
	return out
}
