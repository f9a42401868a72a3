package infer

import "ubik/internal/vec"

// reserved reports whether a word, in small letters, is a name only in quotes.
func reserved(word string) bool {
	switch word {
	case "all", "and", "as", "asc", "between", "both", "case", "cast", "create", "cross", "desc", "distinct", "else", "end",
		"except", "false", "for", "from", "group", "having", "ilike", "in", "inner", "intersect", "into", "is", "join",
		"leading", "like", "limit", "natural", "not", "null", "offset", "on", "or", "order", "qualify", "select", "table",
		"then", "trailing", "true", "union", "using", "when", "where", "with":
		return true
	}
	return false
}

// quoteName returns a name as DDL writes it.
func quoteName(name string) string {
	if reserved(fold(name)) {
		return `"` + name + `"`
	}
	return vec.QuoteName(name)
}

const nearestMax = 3

// Nearest returns up to three of the places met that a name may have been meant for, as SQL writes them, best first:
// the column of that very name but for case, the columns that near picks, fields of that name inside of columns. near
// returns the candidate closest to a word, "" when none is close.
func (s *Sampler) Nearest(name string, near func(word string, candidates []string) string) []string {
	var out, names []string
	for _, c := range s.root.children {
		names = append(names, c.name)
	}
	for len(out) < nearestMax {
		found := near(name, names)
		if found == "" {
			break
		}
		out = append(out, quoteName(found))
		rest := names[:0]
		for _, n := range names {
			if n != found {
				rest = append(rest, n)
			}
		}
		names = rest
	}
	key := fold(name)
	var walk func(n *node, path []string)
	walk = func(n *node, path []string) {
		for _, c := range n.children {
			if len(out) == nearestMax {
				return
			}
			at := extend(path, c.name)
			if len(at) > 1 && fold(c.name) == key {
				out = append(out, shown(at))
			}
			walk(c, at)
		}
	}
	walk(s.root, nil)
	return out
}
