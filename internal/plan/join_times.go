package plan

import (
	"fmt"
	"strings"

	"ubik/internal/sql"
)

// A constant time and a band from it that any time of a record lies in: 800 years.
const (
	constantTime = "TIMESTAMP '1600-01-01'"
	constantBand = "INTERVAL 292194 DAY"
)

// bandAdvice is how a join gets a band that has none. A side without a time that is read to its end gets a constant one.
func (j *join) bandAdvice() string {
	var times [2]string
	var constant [2]bool
	var parts []string
	for i, r := range j.sides {
		var ok bool
		if times[i], ok = r.timeGuess(false); ok {
			continue
		}
		var in string
		if in, times[i], constant[i] = j.b.p.constantTimed(r); constant[i] {
			parts = append(parts, r.text()+" has no time: write "+in+" in its place")
		} else {
			times[i] = "<time of " + r.text() + ">"
			like := ""
			if j.b.p.bounded(r) {
				like = ", which may be a constant such as " + constantTime
			}
			parts = append(parts, fmt.Sprintf("%s has no column that is a time: %s stands for one%s", r.text(), times[i], like))
		}
	}
	band := bandText(times, nil, nil)
	since := func(other, one string) string {
		return other + " BETWEEN " + one + " AND " + one + " + " + constantBand
	}
	switch {
	case constant[0] && constant[1]:
		band = times[0] + " = " + times[1]
	case constant[0]:
		band = since(times[1], times[0])
	case constant[1]:
		band = since(times[0], times[1])
	}
	return strings.Join(append(parts, j.advice(band)), ", and ")
}

// constantTimed is what to write in FROM in place of a source without a time, so that it has one, and that time; false:
// it is something else, or a source whose watermark a constant time would hold back for as long as it goes on.
func (p *planner) constantTimed(r *relation) (in, time string, ok bool) {
	tables := r.shown(false)
	if len(tables) != 1 || tables[0].source == nil || tables[0].at.End == 0 || len(r.arms) != 1 || r.arms[0].ref == nil {
		return "", "", false
	}
	t := tables[0]
	if !t.source.Bounded || t.source.Time != "" {
		return "", "", false
	}
	name := "since"
	for _, ok := t.find(name); ok; _, ok = t.find(name) {
		name += "_"
	}
	in = fmt.Sprintf("(SELECT *, %s AS %s FROM %s) %s", constantTime, name, p.req.Query[t.at.Pos:t.at.End], t.text())
	return in, t.qualify(name), true
}

// timeGuess is the time that a band of this side is likely about: of a join one by which its rows come, else the one
// that a source declares, or the first column that is a time, also one that the query does not use yet; or a text that is read
// as one; or that of the records. bare leaves out of which table a column is. False: it has none.
func (r *relation) timeGuess(bare bool) (text string, ok bool) {
	qualify := (*table).qualify
	if bare {
		qualify = func(_ *table, column string) string { return sql.QuoteName(column) }
	}
	if r.arms[0].op != nil {
		if texts := r.written(r.arms[0]); len(texts) > 0 {
			return texts[0], true
		}
	}
	shown := r.shown(false)
	for _, t := range shown {
		for i, f := range t.fields {
			declared := t.source != nil && t.source.Time != ""
			if t.source != nil {
				f.Type = t.source.seen(i).Type
			}
			if isInstant(f.Type) && (!declared || sql.SameName(t.source.Schema[i].Name, t.source.Time)) {
				return qualify(t, f.Name), true
			}
		}
	}
	for _, t := range shown {
		if t.source == nil {
			continue
		}
		for i, f := range t.fields {
			for _, x := range t.source.Texts {
				if len(x.Path) == 1 && x.Reads[0] != "" && sql.SameName(x.Path[0], t.source.Schema[i].Name) {
					return x.Reads[0] + qualify(t, f.Name) + x.Reads[1], true
				}
			}
		}
	}
	for _, t := range shown {
		if t.source != nil && t.source.Stamped {
			return qualify(t, pseudoNames[PseudoTimestamp]), true
		}
	}
	return "", false
}
