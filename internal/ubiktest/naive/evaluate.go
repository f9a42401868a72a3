package naive

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"ubik/internal/sql"
)

const never = math.MinInt64 // a watermark before every time

// evaluation is what the evaluation of a query shares.
type evaluation struct {
	Query
	parts []Partition
	out   *Result
}

// Evaluate computes the output of a query over partitions. A fault of the query, or what this package does not know, is
// an error; so is a malformed record (a *Malformed) unless the query skips them, and a value that fails at its emission.
func Evaluate(q Query, parts []Partition) (*Result, error) {
	stmt, err := statement(q.SQL)
	if err != nil {
		return nil, err
	}
	b, err := newBuilder(q)
	if err != nil {
		return nil, err
	}
	branches, err := b.query(stmt)
	if err != nil {
		return nil, err
	}
	for _, a := range branches {
		for _, c := range a.out {
			c.use()
		}
	}
	b.settle()
	if len(b.Bands) > 0 {
		return nil, unsupported("%d bands more than joins", len(b.Bands))
	}
	e := &evaluation{Query: q, parts: parts, out: &Result{Behind: map[string][]Record{}}}
	for i, a := range branches {
		w := &writer{evaluation: e, arm: a, key: namedKey(q.Key, a.out)}
		if len(branches) > 1 {
			w.branch = i + 1
		}
		if _, err := a.base.feed(e, a, &taker{take: w.write}); err != nil {
			return nil, err
		}
	}
	for _, ref := range b.refs {
		e.out.Ledgers = append(e.out.Ledgers, ref.ledgers...)
	}
	return e.out, nil
}

// namedKey finds the output columns that are the key; nil: the default key.
func namedKey(names []string, out []column) []int {
	var key []int
	for _, name := range names {
		for i, c := range out {
			if sql.SameName(c.name, name) {
				key = append(key, i)
				break
			}
		}
	}
	return key
}

// writer writes the rows of a branch.
type writer struct {
	*evaluation
	arm    *arm
	branch int // from 1; 0: it is the only one
	key    []int
}

// write writes a row.
func (w *writer) write(r *row, _ int64, _ []span) error {
	var names, texts []string
	for _, c := range w.arm.out {
		v, err := c.node.eval(r)
		if err != nil {
			return err
		}
		names, texts = append(names, c.name), append(texts, output(v, c.node.typ))
	}
	out := Row{Value: object(names, texts)}
	var lane []string
	var keyNames, keyTexts []string
	if w.branch > 0 {
		lane = append(lane, fmt.Sprint(w.branch))
		keyNames, keyTexts = append(keyNames, "_branch"), append(keyTexts, fmt.Sprint(w.branch))
	}
	more := func(names, texts []string) {
		keyNames, keyTexts = append(keyNames, names...), append(keyTexts, texts...)
	}
	switch base := w.arm.base.(type) {
	case *reference:
		lane = append(lane, r.part.name())
		more(r.part.position(r.rec))
		if !r.part.Untimed {
			out.Time = floor(r.rec.Time, 1000)
		}
	case *join:
		for _, l := range r.leaves {
			if l.ref != nil {
				more([]string{base.labels[l.ref]}, []string{object(l.part.position(l.rec))})
			}
		}
		out.Time = floor(r.time, 1000)
	case *aggregation:
		by := base.by[0]
		if by.win != nil {
			more([]string{by.start}, []string{output(r.start, timestamp)})
			out.Time = new(big.Int).Div(big.NewInt(r.end-1000), big.NewInt(1000)).Int64()
		}
		for i, g := range by.groups {
			more([]string{g.name}, []string{output(r.keys[i], g.node.typ)})
		}
	}
	if w.key != nil {
		keyNames, keyTexts = nil, nil
		for _, i := range w.key {
			more(names[i:i+1], texts[i:i+1])
		}
	}
	out.Lane, out.Key = strings.Join(lane, " "), object(keyNames, keyTexts)
	w.out.Rows = append(w.out.Rows, out)
	w.out.Behind[out.Key] = append(w.out.Behind[out.Key], r.behind...)
	return nil
}

// name is the partition as lanes are named.
func (p *Partition) name() string {
	if p.Index < 0 {
		return p.Topic
	}
	return fmt.Sprintf("%s/%d", p.Topic, p.Index)
}

// position is a record as a key names it: names and values of its members.
func (p *Partition) position(rec *Record) (names, values []string) {
	names, values = []string{"_topic"}, []string{quote(p.Topic)}
	if p.Index >= 0 {
		names, values = append(names, "_partition"), append(values, fmt.Sprint(p.Index))
	}
	return append(names, "_offset"), append(values, fmt.Sprint(rec.Position))
}
