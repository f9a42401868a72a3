package plan

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// oneBranch refuses --key where rows of several branches are written.
func (p *planner) oneBranch(branches int) error {
	if branches < 2 || p.req.Key == nil {
		return nil
	}
	return p.keyFault(p.leaveKey(), "%s: the query has %d branches (parts of UNION ALL), and rows of two of them could have the same key, so the result would depend on the order of writing",
		p.keyText(), branches)
}

// keyText is the key as it is given, keyName what gives it, leaveKey how to do without.
func (p *planner) keyText() string {
	switch {
	case p.req.KeyAt == nil:
		return "--key " + strings.Join(p.req.Key, ",")
	case p.req.KeySaid == "PRIMARY KEY":
		return p.req.KeySaid + " (" + strings.Join(p.req.Key, ", ") + ")"
	}
	return p.req.KeySaid + " = '" + strings.Join(p.req.Key, ";") + "'"
}

func (p *planner) keyName() string {
	if p.req.KeyAt == nil {
		return "--key"
	}
	return p.req.KeySaid
}

func (p *planner) leaveKey() string {
	if p.req.KeyAt == nil {
		return "leave --key away"
	}
	return "leave " + p.req.KeySaid + " out"
}

// keyFault is a fault of the key that is given; try may be empty.
func (p *planner) keyFault(try, format string, args ...any) error {
	switch {
	case p.req.KeyAt != nil && try != "":
		return sql.Errorf(p.req.KeyAt, format, args...).WithHint("%s", try)
	case p.req.KeyAt != nil:
		return sql.Errorf(p.req.KeyAt, format, args...)
	case try != "":
		return fmt.Errorf("%s (%s)", fmt.Sprintf(format, args...), try)
	}
	return fmt.Errorf(format, args...)
}

// keyColumns finds the output columns that --key names.
func (p *planner) keyColumns() ([]int, error) {
	var names []string
	for _, f := range p.plan.Output {
		names = append(names, f.Name)
	}
	var cols []int
	for _, k := range p.req.Key {
		found := -1
		for i, n := range names {
			if sql.SameName(n, k) {
				found = i
				break
			}
		}
		if found < 0 {
			msg := fmt.Sprintf("%s names %q, which is not an output column; they are: %s", p.keyName(), k, strings.Join(names, ", "))
			if near := sql.Nearest(k, names); near != "" {
				msg = fmt.Sprintf("%s names %q, which is not an output column; did you mean %q?", p.keyName(), k, near)
			}
			return nil, p.keyFault("", "%s", msg)
		}
		if slices.Contains(cols, found) {
			return nil, p.keyFault("", "%s names %q twice", p.keyName(), k)
		}
		cols = append(cols, found)
	}
	return cols, nil
}

// recordKey is the key of rows that are made record by record: their positions, or what --key names.
func (p *planner) recordKey(a *arm) ([]vec.Field, []int, error) {
	if p.req.Key == nil {
		return nil, nil, nil
	}
	cols, err := p.keyColumns()
	if err != nil {
		return nil, nil, err
	}
	told, partition := p.tellsApart(a, cols)
	if !told {
		return nil, nil, p.keyFault(p.leaveKey()+", or name _offset and "+pseudoNames[partition]+" among the columns",
			"%s: two rows could have the same key, so the result would depend on the order of writing; a query without an aggregate is keyed by its records' positions", p.keyText())
	}
	return p.fieldsOf(cols), cols, nil
}

// tellsApart reports whether among the columns are the positions of all records that a row is made of; else the
// pseudo-column that numbers the last record's partition.
func (p *planner) tellsApart(a *arm, cols []int) (told bool, partition Pseudo) {
	named := map[*reference]map[Pseudo]bool{}
	for _, c := range cols {
		if ref, q, ok := p.position(a, a.cols[c]); ok {
			if named[ref] == nil {
				named[ref] = map[Pseudo]bool{}
			}
			named[ref][q] = true
		}
	}
	told = true
	for _, ref := range a.records() {
		if ref == nil {
			told = false
			continue
		}
		partition = p.partitionOf(ref)
		told = told && named[ref][partition] && named[ref][PseudoOffset]
	}
	return told, partition
}

// partitionOf is the pseudo-column that tells the partitions of a reference apart.
func (p *planner) partitionOf(r *reference) Pseudo {
	if p.plan.Sources[r.source].File {
		return PseudoTopic // the path; files have no numbers
	}
	return PseudoPartition
}

// position follows a column down to the pseudo-column of a source that it is.
func (p *planner) position(a *arm, e expr.Expr) (*reference, Pseudo, bool) {
	c, ok := uncast(e).(*expr.Column)
	switch {
	case !ok || a.op != nil && a.op.agg != nil:
		return nil, 0, false
	case a.ref != nil:
		if c.Index < pseudoBase {
			return nil, 0, false
		}
		return a.ref, p.plan.Sources[a.ref.source].Pseudo[c.Index-pseudoBase], true
	}
	of := a.op.join.rel.cols[c.Index]
	side := a.op.join.sides[of.side]
	if len(side.arms) > 1 {
		return nil, 0, false
	}
	return p.position(side.arms[0], side.arms[0].cols[of.of])
}

// records are the references of which a row has a record; nil among them for a record of one of several.
func (a *arm) records() []*reference {
	if a.ref != nil {
		return []*reference{a.ref}
	}
	j := a.op.join
	var out []*reference
	for i, s := range j.sides {
		switch {
		case j.visible()&(1<<i) == 0:
		case len(s.arms) > 1:
			out = append(out, nil)
		default:
			out = append(out, s.arms[0].records()...)
		}
	}
	return out
}

// distinctInputs refuses two references of one name whose records are in one row.
func (o *operator) distinctInputs() error {
	var err error
	var names func(o *operator) []string
	names = func(o *operator) (all []string) {
		for i, in := range o.inputs() {
			seen := all
			for _, a := range in.arms {
				var own []string
				if a.ref != nil {
					own = []string{a.ref.alias}
				} else {
					own = names(a.op)
				}
				for _, n := range own {
					if o.join != nil && o.join.visible()&(1<<i) != 0 && err == nil && slices.Contains(seen, n) {
						err = sql.Errorf(o.join.at, "two sources are named %s in this query", sql.QuoteName(n)).WithHint("give one of them another name with AS")
					}
				}
				if o.join == nil || o.join.visible()&(1<<i) != 0 {
					all = append(all, own...)
				}
			}
		}
		return all
	}
	names(o)
	return err
}

func (p *planner) fieldsOf(cols []int) []vec.Field {
	var out []vec.Field
	for _, c := range cols {
		out = append(out, p.plan.Output[c])
	}
	return out
}

// operatorKey is the output key of a branch that is an operator's rows, and its expressions; none: the positions.
func (p *planner) operatorKey(a *arm, branch, branches int) ([]vec.Field, []expr.Expr, error) {
	if a.op.agg != nil {
		return p.aggregateKey(a, branch, branches)
	}
	if p.req.Key == nil {
		return nil, nil, nil
	}
	cols, err := p.keyColumns()
	if err != nil {
		return nil, nil, err
	}
	if told, _ := p.tellsApart(a, cols); !told {
		return nil, nil, p.keyFault(p.leaveKey()+p.positionAdvice(a),
			"%s: two rows could have the same key, so the result would depend on the order of writing; a join is keyed by the positions of its records", p.keyText())
	}
	var exprs []expr.Expr
	for _, c := range cols {
		exprs = append(exprs, a.cols[c])
	}
	return p.fieldsOf(cols), exprs, nil
}

// positionAdvice names the columns that would tell joined rows apart, where they have names.
func (p *planner) positionAdvice(a *arm) string {
	var names []string
	for _, r := range a.records() {
		if r == nil || strings.Contains(r.alias, ".") {
			return ""
		}
		of := sql.QuoteName(r.alias) + "."
		names = append(names, of+pseudoNames[p.partitionOf(r)], of+pseudoNames[PseudoOffset])
	}
	return ", or name " + strings.Join(names, ", ") + " among the columns"
}

// branchKey is the part of a key that tells the rows of aggregates in several branches apart.
const branchKey = "_branch"

// aggregateKey is the key of an aggregate's rows: the window's start, then the groups; or what --key names.
func (p *planner) aggregateKey(a *arm, branch, branches int) ([]vec.Field, []expr.Expr, error) {
	g := a.op.agg
	var parts []part
	if g.window != nil {
		parts = append(parts, g.start)
	}
	for i, gr := range g.groups {
		pt := gr.part
		pt.col = g.keyColumn(i)
		parts = append(parts, pt)
	}
	if p.req.Key != nil {
		return p.givenAggregateKey(a, parts)
	}
	key, exprs := []vec.Field{}, []expr.Expr{}
	if branches > 1 {
		n := expr.NewInteger(int64(branch + 1))
		key, exprs = append(key, vec.Field{Name: branchKey, Type: n.Type()}), append(exprs, n)
	}
	for _, pt := range parts {
		name, col, _ := p.keyPart(a, pt)
		for _, have := range key {
			if have.Name == name {
				return nil, nil, fmt.Errorf("two parts of the output key are named %q; give one of them another name with AS in the select list", name)
			}
		}
		key, exprs = append(key, vec.Field{Name: name, Type: col.Type()}), append(exprs, col)
	}
	return key, exprs, nil
}

// keyPart is the name of a part of the key, and what it is: those of the output column that it is, which is at an index of
// the output; −1: it is none. As a table that the rows go to declares it, it is that only if different values remain different.
func (p *planner) keyPart(a *arm, pt part) (name string, col expr.Expr, at int) {
	at = -1
	switch {
	case a.direct && pt.item >= 0:
		at = p.output(pt.item)
	case !a.direct:
		at = slices.IndexFunc(a.cols, func(c expr.Expr) bool { return isPart(c, pt) })
	}
	switch {
	case at < 0:
		return pt.name, pt.col, at
	case p.req.Into != nil && isPart(a.cols[at], pt):
		return p.plan.Output[at].Name, a.cols[at], at
	}
	return p.plan.Output[at].Name, pt.col, at
}

// isPart reports whether an output column is a part of the key, if only its type is another.
func isPart(c expr.Expr, pt part) bool { return expr.Equal(uncast(c), uncast(pt.col)) }

func (p *planner) givenAggregateKey(a *arm, parts []part) ([]vec.Field, []expr.Expr, error) {
	cols, err := p.keyColumns()
	if err != nil {
		return nil, nil, err
	}
	for _, pt := range parts {
		found := false
		for _, c := range cols {
			found = found || isPart(a.cols[c], pt)
		}
		if !found {
			name, _, at := p.keyPart(a, pt)
			if slices.Contains(cols, at) {
				return nil, nil, p.keyFault("", "%s: different values of %q can be the same as %s, so two rows could have the same key and the result would depend on the order of writing; declare it %s, or %s",
					p.keyText(), name, p.plan.Output[at].Type, pt.col.Type(), p.leaveKey())
			}
			return nil, nil, p.keyFault("", "%s leaves out %q, so two rows could have the same key and the result would depend on the order of writing; name every group column and the window, or %s",
				p.keyText(), name, p.leaveKey())
		}
	}
	var exprs []expr.Expr
	for _, c := range cols {
		exprs = append(exprs, a.cols[c])
	}
	return p.fieldsOf(cols), exprs, nil
}
