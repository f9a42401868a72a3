package host

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// Loss says what a power loss does to that which is not durable.
type Loss struct {
	kind lossKind
	seed uint64
}

type lossKind uint8

const (
	lossDrop lossKind = iota
	lossKeep
	lossTorn
)

var (
	// Drop loses everything that is not durable.
	Drop = Loss{kind: lossDrop}
	// Keep loses nothing: the system had written everything by chance.
	Keep = Loss{kind: lossKeep}
)

// Torn loses what the seed chooses. Each unsynced write and change of length survives, is lost, or (a write) survives in
// part, independently of those before and after it; a file may have the length it would have had, with zeros where
// bytes were lost. Each unsynced change of a directory survives or is lost; of a rename the new name may survive while
// the old one stays too. A rename never loses both names.
func Torn(seed uint64) Loss { return Loss{kind: lossTorn, seed: seed} }

func (l Loss) String() string {
	switch l.kind {
	case lossDrop:
		return "drop"
	case lossKeep:
		return "keep"
	default:
		return fmt.Sprintf("torn(%d)", l.seed)
	}
}

// Crash returns the disk as a power loss at this moment may leave it: everything on it is durable, nothing is locked.
// This disk does not change.
func (m *Mem) Crash(loss Loss) *Mem {
	after := m.clone()
	rnd := rand.New(rand.NewPCG(loss.seed, 0x7562696b))
	after.eachNode(func(n *node) {
		switch loss.kind {
		case lossDrop:
			n.data = n.durable
			n.entries = n.durableEntries
		case lossTorn:
			n.tear(rnd)
		}
		n.sync()
		n.durableEntries = maps.Clone(n.entries)
		n.changes = nil
	})
	return after
}

// Kill returns the disk as the next process finds it after this one died: all bytes and names as they are, what is not
// durable still not durable, nothing locked. This disk does not change.
func (m *Mem) Kill() *Mem { return m.clone() }

func (n *node) tear(rnd *rand.Rand) {
	full := len(n.data)
	n.data = slices.Clone(n.durable)
	for _, e := range n.pending {
		n.data = e.torn(rnd, n.data)
	}
	if len(n.data) < full && rnd.IntN(3) == 0 {
		n.data = append(n.data, make([]byte, full-len(n.data))...)
	}
	n.entries = maps.Clone(n.durableEntries)
	for _, c := range n.changes {
		switch rnd.IntN(4) {
		case 0: // lost
		case 1:
			if c.add != "" {
				c.drop = ""
			}
			c.apply(n.entries)
		default:
			c.apply(n.entries)
		}
	}
}

func (e edit) torn(rnd *rand.Rand, data []byte) []byte {
	switch rnd.IntN(3) {
	case 0:
		return data
	case 1:
		if len(e.bytes) == 0 {
			return e.apply(data)
		}
		from := rnd.IntN(len(e.bytes))
		if rnd.IntN(2) == 0 {
			from = 0 // mostly a beginning survives
		}
		to := from + 1 + rnd.IntN(len(e.bytes)-from)
		return edit{off: e.off + int64(from), bytes: e.bytes[from:to]}.apply(data)
	default:
		return e.apply(data)
	}
}

// clone copies the disk without locks and open files.
func (m *Mem) clone() *Mem {
	m.mu.Lock()
	defer m.mu.Unlock()
	copies := map[*node]*node{}
	var copyNode func(n *node) *node
	copyEntries := func(entries map[string]*node) map[string]*node {
		if entries == nil {
			return nil
		}
		out := make(map[string]*node, len(entries))
		for name, n := range entries {
			out[name] = copyNode(n)
		}
		return out
	}
	copyNode = func(n *node) *node {
		if n == nil {
			return nil
		}
		if c := copies[n]; c != nil {
			return c
		}
		c := &node{id: n.id, kind: n.kind, target: n.target}
		copies[n] = c
		c.data = slices.Clone(n.data)
		c.durable = slices.Clone(n.durable)
		c.pending = slices.Clone(n.pending) // the bytes of an edit never change
		c.entries = copyEntries(n.entries)
		c.durableEntries = copyEntries(n.durableEntries)
		for _, ch := range n.changes {
			ch.node = copyNode(ch.node)
			c.changes = append(c.changes, ch)
		}
		return c
	}
	return &Mem{root: copyNode(m.root), lastID: m.lastID}
}

// eachNode visits every node that a name, an old name or a pending one leads to, in the order of their making.
func (m *Mem) eachNode(visit func(*node)) {
	seen := map[*node]bool{}
	var nodes []*node
	var walk func(n *node)
	walk = func(n *node) {
		if n == nil || seen[n] {
			return
		}
		seen[n] = true
		nodes = append(nodes, n)
		for _, child := range n.entries {
			walk(child)
		}
		for _, child := range n.durableEntries {
			walk(child)
		}
		for _, ch := range n.changes {
			walk(ch.node)
		}
	}
	walk(m.root)
	slices.SortFunc(nodes, func(a, b *node) int { return int(a.id) - int(b.id) })
	for _, n := range nodes {
		visit(n)
	}
}
