package plan

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// settle gives the pseudo-columns their place behind the decoded columns.
func (b *builder) settle() {
	for i := range b.plan.Inputs {
		in := &b.plan.Inputs[i]
		fix := func(c *expr.Column) *expr.Column {
			if c.Index < pseudoBase {
				return c
			}
			return &expr.Column{Index: len(in.Columns) + c.Index - pseudoBase, Name: c.Name, T: c.T}
		}
		in.Time, in.Where = rewrite(in.Time, fix), rewrite(in.Where, fix)
		for k := range in.Exprs {
			in.Exprs[k] = rewrite(in.Exprs[k], fix)
		}
	}
}

// facts lists what the output depends on, the most telling first: a refused checkpoint names the first that differs.
// Those of an input are named with its alias when there are two.
func (b *builder) facts() {
	p := b.plan
	add := func(name, value string) { p.Facts = append(p.Facts, Fact{name, value}) }
	inputs := func(f func(add func(name, value string), src *Source, in *Input)) {
		for i := range p.Inputs {
			named := add
			if len(p.Inputs) > 1 {
				named = func(name, value string) { add(name+" of "+sql.QuoteName(p.Aliases[i]), value) }
			}
			f(named, &p.Sources[p.Inputs[i].Source], &p.Inputs[i])
		}
	}
	add("semantics", Semantics)
	inputs(func(add func(name, value string), src *Source, _ *Input) { add("source", src.Log+" as "+src.Format) })
	var outs []string
	for _, f := range p.Output {
		outs = append(outs, sql.QuoteName(f.Name)+" "+f.Type.String())
	}
	add("output", strings.Join(outs, ", "))
	key := "position"
	if p.Key != nil {
		var names []string
		for _, f := range p.Key {
			names = append(names, sql.QuoteName(f.Name))
		}
		key = strings.Join(names, ", ")
	}
	add("key", key)
	inputs(func(add func(name, value string), _ *Source, in *Input) {
		if in.Time != nil {
			add("time column", in.Time.String())
			add("delay", delayText(in.Delay))
		}
	})
	inputs(func(add func(name, value string), _ *Source, in *Input) { add("WHERE", whereText(in.Where)) })
	inputs(func(add func(name, value string), _ *Source, in *Input) {
		var exprs []string
		for _, e := range in.Exprs {
			exprs = append(exprs, e.String())
		}
		add("expressions", strings.Join(exprs, ", "))
	})
	if p.Root != nil {
		add("operator", p.Root.Describe())
	}
	// Last and in an order of their own: a query that differs differs in something more telling, too.
	inputs(func(add func(name, value string), _ *Source, in *Input) {
		var cols []string
		for _, c := range in.Columns {
			cols = append(cols, sql.QuoteName(strings.Join(c.Path, "."))+" "+c.Type.String())
		}
		slices.Sort(cols)
		add("columns", strings.Join(cols, ", "))
	})
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
	return fmt.Sprintf("%d µs", d)
}
