package infer

import "slices"

const (
	nodesMax  = 50_000 // places told apart
	nameMax   = 1024   // bytes of a name
	levelsMax = 64     // levels of objects and lists told apart; the record is the first
	linear    = 8      // children up to which they are searched one by one
)

// node is a place of a record.
type node struct {
	tally
	name     string
	born     int              // the places that were met before it
	children []*node          // members of an object, by first appearance
	byName   map[string]*node // the children, when there are many
	elem     *node            // elements of a list

	// Members whose names are not told apart. Only this node's tally is used: whatever they contain is opaque.
	rest *node

	members int    // over all objects
	seen    int    // objects that have this name
	object  uint64 // the number of the last of them
	twice   bool   // one has it twice
}

// child returns the child of a name, nil if there is none. hint is where it is looked for first; it is set to what is
// behind the child, which is where the next name of an object of the same make is.
func (n *node) child(name []byte, hint *int) *node {
	if h := *hint; h < len(n.children) && n.children[h].name == string(name) {
		*hint = h + 1
		return n.children[h]
	}
	if n.byName != nil {
		return n.byName[string(name)]
	}
	for i, c := range n.children {
		if c.name == string(name) {
			*hint = i + 1
			return c
		}
	}
	return nil
}

// add makes a child of a name that has none.
func (n *node) add(name string, born int) *node {
	c := &node{name: name, born: born}
	n.children = append(n.children, c)
	if len(n.children) > linear && n.byName == nil {
		n.byName = make(map[string]*node, 2*len(n.children))
		for _, c := range n.children {
			n.byName[c.name] = c
		}
	}
	if n.byName != nil {
		n.byName[name] = c
	}
	return c
}

// merge adds what was met in src to dst. src stays as it is. The children of dst are in no order until settle.
func merge(dst, src *node) {
	dst.tally.merge(&src.tally)
	dst.members += src.members
	dst.seen += src.seen
	dst.twice = dst.twice || src.twice
	hint := 0
	for _, c := range src.children {
		into := dst.child([]byte(c.name), &hint)
		if into == nil {
			into = dst.add(c.name, c.born)
		}
		into.born = min(into.born, c.born)
		merge(into, c)
	}
	if src.elem != nil {
		if dst.elem == nil {
			dst.elem = &node{}
		}
		merge(dst.elem, src.elem)
	}
	if src.rest != nil {
		if dst.rest == nil {
			dst.rest = &node{}
		}
		merge(dst.rest, src.rest)
	}
}

// settle orders all children below n by first appearance, after merges.
func (n *node) settle() {
	slices.SortFunc(n.children, func(a, b *node) int { return a.born - b.born })
	for _, c := range n.children {
		c.settle()
	}
	if n.elem != nil {
		n.elem.settle()
	}
}
