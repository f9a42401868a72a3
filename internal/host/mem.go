package host

import (
	"io/fs"
	"maps"
	"path"
	"strings"
	"sync"
	"syscall"
)

// Mem is a disk in memory that keeps apart what a program sees and what is durable. Names are slash-separated; a
// relative one starts at the root. Modes and owners are not kept. It answers like OS on Linux, errors' texts included.
//
// Directories and links are made by Mkdir and Symlink, and are durable at once: programs on it make none.
type Mem struct {
	mu     sync.Mutex
	root   *node
	lastID uint64
}

// node is a file, a directory or a symbolic link, without its names.
//
// Always: durable with pending applied, in order, gives data; durableEntries with changes applied gives entries.
type node struct {
	id   uint64
	kind kind

	// Of a file.
	data    []byte
	durable []byte
	pending []edit
	holder  *memFile // has the lock

	// Of a directory.
	entries        map[string]*node
	durableEntries map[string]*node
	changes        []change

	// Of a link.
	target string
}

type kind uint8

const (
	kindFile kind = iota
	kindDir
	kindLink
)

// edit is a write of bytes at off or, when bytes is nil, the setting of the length to off.
type edit struct {
	off   int64
	bytes []byte
}

// change is an unsynced change of a directory: node takes the name add, the name drop is gone; either may be empty.
type change struct {
	add, drop string
	node      *node
}

// NewMem returns an empty disk.
func NewMem() *Mem {
	m := &Mem{}
	m.root = m.newNode(kindDir)
	return m
}

// Mkdir makes a directory and those above it, as far as absent.
func (m *Mem) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := m.root
	for _, part := range parts(name) {
		next := at.entries[part]
		if next == nil {
			next = m.newNode(kindDir)
			at.entries[part] = next
			at.durableEntries[part] = next
		}
		if next.kind != kindDir {
			return pathError("mkdir", name, syscall.ENOTDIR)
		}
		at = next
	}
	return nil
}

// Symlink makes name a symbolic link to target.
func (m *Mem) Symlink(target, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent(name)
	if err != nil {
		return linkError("symlink", target, name, err)
	}
	if dir.entries[base] != nil {
		return linkError("symlink", target, name, syscall.EEXIST)
	}
	n := m.newNode(kindLink)
	n.target = target
	dir.entries[base] = n
	dir.durableEntries[base] = n
	return nil
}

func (m *Mem) Open(name string) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &memFile{disk: m, node: n, name: name}, nil
}

func (m *Mem) OpenRW(name string, _ fs.FileMode) (File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	if err == syscall.ENOENT {
		n, err = m.create(name)
	}
	if err == nil && n.kind == kindDir {
		err = syscall.EISDIR
	}
	if err != nil {
		return nil, pathError("open", name, err)
	}
	return &memFile{disk: m, node: n, name: name, writable: true}, nil
}

// create makes an empty file where the links at the end of name lead to.
func (m *Mem) create(name string) (*node, error) {
	at, err := m.resolve(name)
	if err != nil {
		return nil, err
	}
	dir, base, err := m.parent(at)
	if err != nil {
		return nil, err
	}
	n := m.newNode(kindFile)
	dir.change(change{add: base, node: n})
	return n, nil
}

func (m *Mem) Rename(old, new string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := func() error {
		from, fromBase, err := m.parent(old)
		if err != nil {
			return err
		}
		n := from.entries[fromBase]
		if n == nil {
			return syscall.ENOENT
		}
		to, toBase, err := m.parent(new)
		if err != nil {
			return err
		}
		there := to.entries[toBase]
		if there != nil && there.kind == kindDir {
			return syscall.EEXIST
		}
		switch {
		case there == n: // two names of one file: POSIX leaves both
		case from == to:
			to.change(change{add: toBase, drop: fromBase, node: n})
		default:
			to.change(change{add: toBase, node: n})
			from.change(change{drop: fromBase})
		}
		return nil
	}()
	return linkError("rename", old, new, err)
}

func (m *Mem) Link(old, new string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := func() error {
		from, fromBase, err := m.parent(old)
		if err != nil {
			return err
		}
		n := from.entries[fromBase]
		if n == nil {
			return syscall.ENOENT
		}
		to, toBase, err := m.parent(new)
		if err != nil {
			return err
		}
		if to.entries[toBase] != nil {
			return syscall.EEXIST
		}
		if n.kind == kindDir {
			return syscall.EPERM
		}
		to.change(change{add: toBase, node: n})
		return nil
	}()
	return linkError("link", old, new, err)
}

func (m *Mem) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	dir, base, err := m.parent(name)
	if err == nil {
		n := dir.entries[base]
		switch {
		case n == nil:
			err = syscall.ENOENT
		case n.kind == kindDir && len(n.entries) > 0:
			err = syscall.ENOTEMPTY
		default:
			dir.change(change{drop: base})
		}
	}
	return pathError("remove", name, err)
}

func (m *Mem) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(dir)
	if err != nil {
		return pathError("open", dir, err)
	}
	if n.kind == kindDir {
		n.durableEntries = maps.Clone(n.entries)
		n.changes = nil
	} else {
		n.sync()
	}
	return nil
}

func (m *Mem) Stat(name string) (Info, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find(name)
	if err != nil {
		return Info{}, pathError("stat", name, err)
	}
	return n.info(), nil
}

func (m *Mem) Resolve(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at, err := m.resolve(name)
	if err != nil {
		op := "lstat"
		if err == syscall.ELOOP {
			op = "resolve"
		}
		return "", pathError(op, name, err)
	}
	return at, nil
}

func (m *Mem) Glob(pattern string) ([]string, error) {
	if _, err := path.Match(pattern, ""); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return anyDepthAtEnd(pattern, m.glob)
}

func (m *Mem) glob(pattern string) ([]string, error) {
	var names []string
	var walk func(dir string, n *node, elements []string) error
	walk = func(dir string, n *node, elements []string) error {
		if elements[0] == AnyDepth {
			if len(elements) == 1 {
				names = append(names, path.Clean(dir))
			} else if err := walk(dir, n, elements[1:]); err != nil {
				return err
			}
			for base, child := range n.entries {
				if child.kind == kindDir && !Hidden(base) {
					if err := walk(dir+base+"/", child, elements); err != nil {
						return err
					}
				}
			}
			return nil
		}
		for base, child := range n.entries {
			name := dir + base
			if ok, _ := path.Match(elements[0], base); !ok {
				continue
			}
			if len(elements) == 1 {
				names = append(names, name)
				continue
			}
			if child.kind == kindLink {
				to, err := m.find(name)
				if absent(err) {
					continue
				}
				if err != nil {
					return pathError("stat", name, err)
				}
				child = to
			}
			if child.kind == kindDir {
				if err := walk(name+"/", child, elements[1:]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	start := ""
	if strings.HasPrefix(pattern, "/") {
		start = "/"
	}
	elements := strings.FieldsFunc(pattern, func(r rune) bool { return r == '/' })
	if len(elements) == 0 {
		return nil, nil
	}
	if err := walk(start, m.root, elements); err != nil {
		return nil, err
	}
	return names, nil
}
