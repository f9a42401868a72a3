package jsonrec

import (
	"strings"

	"ubik/internal/codec"
	"ubik/internal/vec"
)

// column is a column to build.
type column struct {
	typ      vec.Type
	field    string // its path with dots
	min, max int64  // integer types up to BIGINT: their range
	strict   bool
}

// node is a name on the path of some column. A node is met at most once in a record that is not malformed.
type node struct {
	name     string
	field    string // the path with dots
	children []*node
	byName   map[string]*node // the children, when there are many
	cols     []int            // the columns that end here
	seen     uint64           // the number of the last record in which it was met
	built    uint64           // the number of the last record in which its value was a slot (see shape.go)
	op       op               // how a known shape reads its value
}

// childrenMax is the number of children up to which comparing them one by one is the fastest.
const childrenMax = 8

// newColumns makes the columns and the tree of their paths.
func newColumns(cols []codec.Column) ([]column, *node) {
	root := &node{}
	made := make([]column, len(cols))
	for i, c := range cols {
		made[i] = column{typ: c.Type, strict: c.Strict, field: strings.Join(c.Path, ".")}
		switch c.Type.Kind {
		case vec.Int8:
			made[i].min, made[i].max = -1<<7, 1<<7-1
		case vec.Int16:
			made[i].min, made[i].max = -1<<15, 1<<15-1
		case vec.Int32:
			made[i].min, made[i].max = -1<<31, 1<<31-1
		case vec.Int64:
			made[i].min, made[i].max = -1<<63, 1<<63-1
		}
		n := root
		for k, name := range c.Path {
			next := n.find([]byte(name))
			if next == nil {
				next = &node{name: name, field: strings.Join(c.Path[:k+1], ".")}
				n.add(next)
			}
			n = next
		}
		n.cols = append(n.cols, i)
		n.op = opAny
		if len(n.cols) == 1 {
			n.op = opFor(c.Type)
		}
	}
	return made, root
}

func (n *node) add(child *node) {
	n.children = append(n.children, child)
	if len(n.children) > childrenMax && n.byName == nil {
		n.byName = map[string]*node{}
		for _, c := range n.children {
			n.byName[c.name] = c
		}
	}
	if n.byName != nil {
		n.byName[child.name] = child
	}
}

// find returns the child of the name, nil when no column needs it.
func (n *node) find(name []byte) *node {
	if n.byName != nil {
		return n.byName[string(name)]
	}
	for _, c := range n.children {
		if string(name) == c.name {
			return c
		}
	}
	return nil
}
