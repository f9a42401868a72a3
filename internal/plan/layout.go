package plan

import (
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// layOut makes each arm of the query a branch.
func (p *planner) layOut(q *rows) error {
	q.writable()
	p.plan.Output = q.fields
	if err := p.oneBranch(len(q.arms)); err != nil {
		return err
	}
	for i, a := range q.arms {
		br := Branch{Input: -1, Stage: -1}
		if a.ref != nil {
			key, cols, err := p.recordKey(a)
			if err != nil {
				return err
			}
			br.Key, br.Input = key, len(p.plan.Inputs)
			p.addInput(a, Input{Branch: i, Stage: -1, Exprs: a.cols, KeyCols: cols})
		} else {
			if err := a.op.distinctInputs(); err != nil {
				return err
			}
			key, exprs, err := p.operatorKey(a, i, len(q.arms))
			if err != nil {
				return err
			}
			br.Key = key
			br.Stage = p.addStage(a.op, i, a.cols, a.where, exprs)
		}
		p.plan.Branches = append(p.plan.Branches, br)
	}
	return nil
}

// addInput adds the input that an arm over a source is.
func (p *planner) addInput(a *arm, in Input) {
	src := &p.plan.Sources[a.ref.source]
	in.Source, in.Alias, in.Union, in.Where, in.Delay = a.ref.source, a.ref.alias, a.ref.union, allOf(a.where), delayOf(&src.Source)
	if in.Time == nil && p.clocks[a.ref.source] != nil {
		in.Time, in.TimeName = p.clocks[a.ref.source], sql.QuoteName(src.Time)
	}
	in.Ahead = in.ahead()
	p.plan.Inputs = append(p.plan.Inputs, in)
}

// slack is how far one partition may always be ahead where rows are not stored one by one: a second.
const slack = vec.Time(1e6)

// ahead is how far one partition may be ahead of another. What comes early to a join is stored, so there it may not be at
// all; windows are kept open, so there a window's length, the delay and some slack do no harm.
func (in *Input) ahead() vec.Time {
	switch {
	case in.Delay == vec.Forever:
	case in.Strict:
		return 0
	case in.Window != nil:
		return in.Window.Longest() + in.Delay + slack
	}
	return vec.Forever
}

// addStage adds an operator with all that feeds it, and returns its index. Its rows are the columns of sel, those for which
// where holds.
func (p *planner) addStage(o *operator, branch int, sel, where, outKey []expr.Expr) int {
	var fed [2]feeding
	var node op.Node
	if g := o.agg; g != nil {
		n := *g.node
		n.Select, n.Having, n.OutKey = sel, allOf(where), outKey
		node = &n
		fed[0] = p.feed(g.b.rel, branch, takes{exprs: g.inputs, keys: len(g.groups), time: g.time, at: g.timeAt(), window: n.Window})
	} else {
		var takes [2]takes
		node, takes = o.join.assemble(sel, where, outKey)
		for i, s := range o.join.sides {
			takes[i].port = i
			fed[i] = p.feed(s, branch, takes[i])
			if n := node.(*op.BandJoin); len(fed[i].stages) > 0 {
				n.Placed[i], n.Records[i] = true, s.records()
			}
		}
	}
	at := len(p.plan.Stages)
	for _, f := range fed {
		for _, i := range f.inputs {
			p.plan.Inputs[i].Stage = at
		}
		for _, i := range f.stages {
			p.plan.Stages[i].To = at
		}
	}
	p.plan.Stages = append(p.plan.Stages, Stage{Node: node, Branch: branch, To: -1})
	return at
}

// takes is what an operator takes of a relation: expressions over it, and how they are used.
type takes struct {
	port   int
	exprs  []expr.Expr // the key first
	keys   int
	time   expr.Expr // TIMESTAMP; nil: none
	at     sql.Expr  // the time as it is written
	strict bool
	window *op.Window
}

// feeding is what feeds a port of a stage.
type feeding struct{ inputs, stages []int }

// feed adds the arms of a relation as inputs and stages.
func (p *planner) feed(r *relation, branch int, t takes) (f feeding) {
	for _, a := range r.arms {
		var exprs []expr.Expr
		for _, e := range t.exprs {
			exprs = append(exprs, a.over(e))
		}
		time := a.over(t.time)
		if a.ref != nil {
			in := Input{Branch: branch, Port: t.port, Time: time, Strict: t.strict, Window: t.window, Exprs: exprs, Keys: t.keys}
			if time != nil {
				in.TimeName = r.timeName(t.at, time)
			}
			f.inputs = append(f.inputs, len(p.plan.Inputs))
			p.addInput(a, in)
			continue
		}
		s := Stage{Keys: t.keys, Window: t.window, Port: t.port}
		if time != nil {
			s.Timed = true
			s.Behind, _ = a.op.behind(time)
			exprs = append(exprs, time)
		}
		at := p.addStage(a.op, branch, exprs, a.where, nil)
		added := &p.plan.Stages[at]
		added.Port, added.Keys, added.Timed, added.Behind, added.Window = s.Port, s.Keys, s.Timed, s.Behind, s.Window
		f.stages = append(f.stages, at)
	}
	return f
}

// records is how many records of sources a row is made of at most, those that an outer join lacks included.
func (r *relation) records() int {
	n := 1
	for _, a := range r.arms {
		if a.ref == nil && a.op.join != nil {
			n = max(n, a.op.join.sides[0].records()+a.op.join.sides[1].records())
		}
	}
	return n
}

// timeName is how messages name a time of a source: as the query does, or where that names a subquery, by what it is.
func (r *relation) timeName(at sql.Expr, time expr.Expr) string {
	if r.join == nil && r.tables[0].source != nil {
		return sql.Format(at)
	}
	return time.String()
}

// assemble makes the node of a join and says what it takes of its sides: of each the keys, then the columns that are needed
// behind the join, in the order in which it names them.
func (j *join) assemble(sel, where, outKey []expr.Expr) (*op.BandJoin, [2]takes) {
	n := &op.BandJoin{Kind: j.kind, Keys: len(j.keys[0]), KeyTypes: typesOf(j.keys[0]), Lo: j.lo, Hi: j.hi, Residual: allOf(j.pair), Where: allOf(where)}
	n.Select = append(n.Select, sel...)
	n.OutKey = append(n.OutKey, outKey...)
	var need [2][]*expr.Column
	place := func(c *expr.Column) (side, at int) {
		side = j.rel.cols[c.Index].side
		for i, have := range need[side] {
			if have.Index == c.Index {
				return side, i
			}
		}
		need[side] = append(need[side], c)
		return side, len(need[side]) - 1
	}
	var outputs []*expr.Expr
	for _, list := range [][]expr.Expr{n.Select, n.OutKey} {
		for i := range list {
			outputs = append(outputs, &list[i])
		}
	}
	outputs = append(outputs, &n.Residual, &n.Where)
	for _, e := range outputs {
		each(*e, func(c *expr.Column) { place(c) })
	}
	for _, e := range outputs {
		*e = rewrite(*e, func(c *expr.Column) expr.Expr {
			side, at := place(c)
			if side == 1 {
				at += len(need[0])
			}
			return &expr.Column{Index: at, Name: c.Name, T: c.T}
		})
	}
	var t [2]takes
	for i := range t {
		t[i] = takes{keys: n.Keys, time: j.own(i, j.time[i]), at: j.timeAt[i], strict: true}
		for _, k := range j.keys[i] {
			t[i].exprs = append(t[i].exprs, j.own(i, k))
		}
		for _, c := range need[i] {
			t[i].exprs = append(t[i].exprs, j.own(i, c))
			n.Columns[i] = append(n.Columns[i], c.T)
		}
	}
	return n, t
}

func typesOf(es []expr.Expr) []vec.Type {
	var ts []vec.Type
	for _, e := range es {
		ts = append(ts, e.Type())
	}
	return ts
}

func (g *grouping) timeAt() sql.Expr {
	if g.window == nil {
		return nil
	}
	return g.window.Args[0]
}
