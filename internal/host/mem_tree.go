package host

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func (m *Mem) newNode(k kind) *node {
	m.lastID++
	n := &node{id: m.lastID, kind: k}
	if k == kindDir {
		n.entries = map[string]*node{}
		n.durableEntries = map[string]*node{}
	}
	return n
}

// parts splits a name at its slashes.
func parts(name string) []string {
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}

// find returns the node a name leads to, through links.
func (m *Mem) find(name string) (*node, error) {
	at, err := m.resolve(name)
	if err != nil {
		return nil, err
	}
	if len(parts(at)) == 0 {
		return m.root, nil
	}
	dir, base, err := m.parent(at)
	if err != nil {
		return nil, err
	}
	n := dir.entries[base]
	if n == nil {
		return nil, syscall.ENOENT
	}
	return n, nil
}

// resolve follows the links at the end of a name.
func (m *Mem) resolve(name string) (string, error) {
	for range linksMax {
		if len(parts(name)) == 0 {
			return name, nil
		}
		dir, base, err := m.parent(name)
		if err == syscall.ENOENT {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		n := dir.entries[base]
		if n == nil || n.kind != kindLink {
			return name, nil
		}
		if strings.HasPrefix(n.target, "/") {
			name = n.target
		} else {
			name = path.Dir(name) + "/" + n.target
		}
	}
	return "", syscall.ELOOP
}

// parent returns the directory a name is in, through links, and the last element of the name.
func (m *Mem) parent(name string) (dir *node, base string, err error) {
	elements := parts(name)
	if len(elements) == 0 {
		return nil, "", syscall.EBUSY // the root has no name to change
	}
	at := m.root
	for i, element := range elements[:len(elements)-1] {
		next := at.entries[element]
		if next != nil && next.kind == kindLink {
			if next, err = m.find("/" + strings.Join(elements[:i+1], "/")); err != nil {
				return nil, "", err
			}
		}
		if next == nil {
			return nil, "", syscall.ENOENT
		}
		if next.kind != kindDir {
			return nil, "", syscall.ENOTDIR
		}
		at = next
	}
	return at, elements[len(elements)-1], nil
}

// change changes the entries, not yet durably.
func (n *node) change(c change) {
	n.changes = append(n.changes, c)
	c.apply(n.entries)
}

func (c change) apply(entries map[string]*node) {
	if c.drop != "" {
		delete(entries, c.drop)
	}
	if c.add != "" {
		entries[c.add] = c.node
	}
}

// edit changes the bytes, not yet durably.
func (n *node) edit(e edit) {
	n.pending = append(n.pending, e)
	n.data = e.apply(n.data)
}

func (e edit) apply(data []byte) []byte {
	end := e.off + int64(len(e.bytes))
	if e.bytes == nil && end < int64(len(data)) {
		// The capacity goes too, so that a later growth finds zeros.
		return slices.Clip(data[:end])
	}
	if grow := end - int64(len(data)); grow > 0 {
		data = append(data, make([]byte, grow)...)
	}
	copy(data[e.off:], e.bytes)
	return data
}

func (n *node) sync() {
	n.durable = slices.Clone(n.data)
	n.pending = nil
}

func (n *node) info() Info {
	return Info{
		Size:    int64(len(n.data)),
		IsDir:   n.kind == kindDir,
		Regular: n.kind == kindFile,
		ID:      "mem:" + strconv.FormatUint(n.id, 10),
	}
}

func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

func linkError(op, old, new string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: op, Old: old, New: new, Err: err}
}
