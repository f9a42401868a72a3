package infer

import (
	"strings"

	"ubik/internal/vec"
)

const mapNames = 100 // an object in which more names were met may be a MAP

// decider finds the type of one column, and what there is to say about it.
type decider struct {
	used  func(path []string) bool // of the fields of objects, nil: all are
	notes []string
	loses bool // one of the notes tells that values are not read
	texts []Texts
}

var (
	varcharType = vec.TypeOf(vec.Varchar)
	jsonType    = vec.TypeOf(vec.JSON)
)

// typeOf returns the type of what was met in n. path is the column and the fields on the way, inside: n lies in a list or
// a map, where fields are all used.
func (d *decider) typeOf(n *node, path []string, inside bool) vec.Type {
	kinds := n.scalars()
	switch {
	case n.objects+n.lists == 0:
		return d.scalar(n, path)
	case n.objects > 0 && n.lists > 0 || kinds > 0:
		d.note(path, mixed(&n.tally)+": JSON")
		return jsonType
	case n.opaque > 0:
		d.note(path, "deeper or of more names than is looked into: JSON")
		return jsonType
	case n.lists > 0:
		if n.elem == nil {
			d.note(path, "only empty lists")
			return listOf(varcharType)
		}
		return listOf(d.typeOf(n.elem, extend(path, "[]"), true))
	case n.members == 0:
		d.note(path, "only empty objects: JSON")
		return jsonType
	}
	if t, ok := d.mapOf(n, path); ok {
		return t
	}
	return d.structOf(n, path, inside)
}

// structOf makes a STRUCT of the fields that are used and can be declared.
func (d *decider) structOf(n *node, path []string, inside bool) vec.Type {
	t := vec.Type{Kind: vec.Struct}
	if n.rest != nil {
		d.note(path, "more names than are kept: not all are listed")
	}
	kept, clashes := distinct(n.children)
	for _, c := range kept {
		at := extend(path, c.name)
		if c.name == "" || !inside && d.used != nil && !d.used(at) {
			continue
		}
		if c.twice {
			d.note(at, twiceNote)
		}
		d.clash(at, clashes[c])
		t.Fields = append(t.Fields, vec.Field{Name: c.name, Type: d.typeOf(c, at, inside)})
	}
	if len(t.Fields) == 0 && !inside && d.used != nil && len(kept) > 0 {
		return d.structOf(n, path, true) // what is named is not there: all that could have been meant is shown
	}
	if len(t.Fields) == 0 {
		return jsonType
	}
	return t
}

// mapOf makes a MAP of n when its names are data rather than fields.
func (d *decider) mapOf(n *node, path []string) (vec.Type, bool) {
	names := len(n.children)
	if names <= mapNames || n.members*10 >= names*n.objects {
		return vec.Type{}, false
	}
	value := &node{}
	for _, c := range n.children {
		value.tally.merge(&c.tally)
	}
	if n.rest != nil {
		value.tally.merge(&n.rest.tally)
	}
	kinds := value.scalars()
	for _, met := range [...]int{value.objects, value.lists} {
		if met > 0 {
			kinds++
		}
	}
	if kinds > 1 {
		return vec.Type{}, false
	}
	value = &node{}
	for _, c := range n.children {
		if c.twice {
			d.note(path, twiceNote)
		}
		merge(value, c)
	}
	if n.rest != nil {
		value.tally.merge(&n.rest.tally)
	}
	value.settle()
	t := d.typeOf(value, extend(path, "[]"), true)
	return vec.Type{Kind: vec.Map, Fields: []vec.Field{{Type: varcharType}, {Type: t}}}, true
}

// scalar returns the type of a place without objects and lists.
func (d *decider) scalar(n *node, path []string) vec.Type {
	switch n.scalars() {
	case 0:
		if n.nulls > 0 {
			d.note(path, "only NULL")
			d.asTimes(n, path)
		}
		return varcharType
	case 1:
	default:
		d.advise(n, path)
		return varcharType
	}
	switch {
	case n.bools > 0:
		return vec.TypeOf(vec.Bool)
	case n.numbers > 0:
		return d.number(n, path)
	case n.dates+n.times < n.texts:
		d.advise(n, path)
		return varcharType
	}
	if n.early > 0 {
		d.note(path, "dates before the year 1000: declare VARCHAR if they are codes")
	}
	if n.times > 0 {
		return vec.TypeOf(vec.Timestamp)
	}
	return vec.TypeOf(vec.Date)
}

func (d *decider) number(n *node, path []string) vec.Type {
	switch {
	case n.plain() == 0:
		return varcharType
	case n.beyond > 0:
		d.note(path, "integers beyond HUGEINT lose digits: declare VARCHAR to keep them")
		return vec.TypeOf(vec.Double)
	case n.fractions > 0:
		if money := moneyNote(&n.tally); money != "" {
			d.note(path, money)
		}
		return vec.TypeOf(vec.Double)
	case n.special > 0:
		return vec.TypeOf(vec.Double)
	case n.huge > 0:
		return vec.TypeOf(vec.HugeInt)
	}
	return vec.TypeOf(vec.Int64)
}

func listOf(elem vec.Type) vec.Type {
	return vec.Type{Kind: vec.List, Fields: []vec.Field{{Type: elem}}}
}

// extend returns the path with one more name, in memory of its own.
func extend(path []string, name string) []string {
	return append(path[:len(path):len(path)], name)
}

// distinct returns the nodes whose names differ in more than case from those before, and by each of them the names that
// do not.
func distinct(nodes []*node) (kept []*node, clashes map[*node][]string) {
	first := make(map[string]*node, len(nodes))
	for _, n := range nodes {
		key := fold(n.name)
		if f := first[key]; f != nil {
			if clashes == nil {
				clashes = map[*node][]string{}
			}
			clashes[f] = append(clashes[f], n.name)
			continue
		}
		first[key] = n
		kept = append(kept, n)
	}
	return kept, clashes
}

// fold maps the letters A to Z to small ones, as SQL compares names.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, name)
}
