package naive

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strconv"
	"strings"

	"ubik/internal/sql"
)

// jsonType is the type of a JSON value, whatever it is.
var jsonType = named("JSON")

// compact is a valid JSON text without blanks between its tokens.
func compact(text []byte) string {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		panic(err) // it is valid
	}
	return b.String()
}

// piece is a value within an object or array, with its name in an object.
type piece struct {
	name string
	text []byte
}

// inside lists the values of an object or array in their order; of other values it is empty.
func inside(text []byte) []piece {
	dec := json.NewDecoder(bytes.NewReader(text))
	open, err := dec.Token()
	var out []piece
	for err == nil && (open == json.Delim('{') || open == json.Delim('[')) && dec.More() {
		var p piece
		if open == json.Delim('{') {
			var name json.Token
			name, err = dec.Token()
			p.name, _ = name.(string)
		}
		var raw json.RawMessage
		if err == nil {
			err = dec.Decode(&raw)
		}
		p.text = bytes.TrimSpace(raw)
		out = append(out, p)
	}
	if err != nil {
		panic(err) // it is valid
	}
	return out
}

// distinctNames is the fault of a value in one of whose objects a name occurs twice.
func distinctNames(text []byte) error {
	seen := map[string]bool{}
	for _, p := range inside(text) {
		if text[0] == '{' {
			if seen[p.name] {
				return fault("%q occurs twice", p.name)
			}
			seen[p.name] = true
		}
		if err := distinctNames(p.text); err != nil {
			return err
		}
	}
	return nil
}

// step leads from a value to one within it: by a name, by a place, counted from the end if it is negative, or by what the
// value has.
type step struct {
	name  *string
	index *int64
}

func byName(name string) step { return step{name: &name} }

func byIndex(index int64) step { return step{index: &index} }

// walk is the text of the value at the end of a path, nil if there is none. Of a name that occurs twice it takes the first.
func walk(text []byte, path []step) []byte {
	text = bytes.TrimSpace(text)
	for _, s := range path {
		var next []byte
		pieces := inside(text)
		switch {
		case text[0] == '{' && s.name != nil:
			for _, p := range pieces {
				if next == nil && p.name == *s.name {
					next = p.text
				}
			}
		case text[0] == '[' && s.index != nil:
			at := *s.index
			if at < 0 {
				at += int64(len(pieces))
			}
			if at >= 0 && at < int64(len(pieces)) {
				next = pieces[at].text
			}
		}
		if next == nil {
			return nil
		}
		text = next
	}
	return text
}

// pathOf reads a path as DuckDB has them: a name, $.a."b c"[0], a pointer /a/0, or nothing. False: it is none, or stands
// for several values.
func pathOf(text string) ([]step, bool) {
	switch {
	case text == "" || text == "$":
		return nil, true
	case text[0] == '$':
		return dollarPath(text[1:])
	case text[0] == '/' || strings.Contains(text, `"`):
		var out []step
		for _, token := range strings.Split(strings.TrimPrefix(text, "/"), "/") {
			s := byName(strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
			if n, err := strconv.ParseInt(token, 10, 64); err == nil && token == strconv.FormatInt(n, 10) && n >= 0 {
				s.index = &n
			}
			out = append(out, s)
		}
		return out, true
	}
	return []step{byName(strings.ReplaceAll(text, `\\`, `\`))}, true
}

// dollarPath reads what stands behind $.
func dollarPath(rest string) ([]step, bool) {
	var out []step
	for rest != "" {
		if rest[0] == '[' {
			inner, behind, closed := strings.Cut(rest[1:], "]")
			n, err := strconv.ParseInt(strings.TrimPrefix(inner, "#"), 10, 64)
			if !closed || err != nil || inner[0] == '#' && n >= 0 {
				return nil, false
			}
			out, rest = append(out, byIndex(n)), behind
			continue
		}
		if rest[0] != '.' || len(rest) == 1 {
			return nil, false
		}
		rest = rest[1:]
		if rest[0] == '"' {
			name, behind, closed := strings.Cut(rest[1:], `"`)
			if !closed || strings.Contains(name, `\`) {
				return nil, false
			}
			out, rest = append(out, byName(name)), behind
			continue
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if name := rest[:end]; name == "" || name[0] == '*' {
			return nil, false
		}
		out, rest = append(out, byName(rest[:end])), rest[end:]
	}
	return out, true
}

// extract is -> or, as text, ->>: the value at a path that is written, as text or the number of an element.
func extract(asText bool, xs []*node) (*node, error) {
	if len(xs) != 2 {
		return nil, unsupported("a path into JSON with %d arguments", len(xs))
	}
	switch at := xs[1].lit.(type) {
	case string:
		if path, ok := pathOf(at); ok {
			return taken(asText, xs[0], path), nil
		}
	case nil:
		if xs[1].typ.Name == "NULL" {
			return to(xs[1], taken(asText, xs[0], nil).typ), nil
		}
	case *big.Int:
		if at.IsInt64() {
			return taken(asText, xs[0], []step{byIndex(at.Int64())}), nil
		}
	}
	return nil, unsupported("the path %v into JSON", xs[1].lit)
}

func taken(asText bool, x *node, path []step) *node {
	t := jsonType
	if asText {
		t = varchar
	}
	return strict(t, func(v []any) (any, error) {
		found := walk([]byte(v[0].(string)), path)
		switch {
		case found == nil || asText && found[0] == 'n':
			return nil, nil
		case asText && found[0] == '"':
			var s string
			err := json.Unmarshal(found, &s)
			return s, err
		}
		return compact(found), nil
	}, to(x, jsonType))
}

// members goes on from a value by names: of members of JSON, one within the other.
func members(n *node, names []sql.Ident) (*node, error) {
	switch {
	case len(names) == 0:
		return n, nil
	case n.field != nil:
		return n.field(names)
	case n.typ.Name != "JSON":
		return nil, unsupported("the field %s of %s", names[0].Name, n.typ)
	}
	var path []step
	id := n.id
	for _, name := range names {
		path = append(path, byName(name.Name))
		id += "->" + quote(name.Name)
	}
	out := taken(false, n, path)
	out.id = id
	return out, nil
}

// part is x.name, x['name'] or x[0] where x is no name.
func (c *compiler) part(e sql.Expr) (*node, error) {
	var of, at sql.Expr
	switch e := e.(type) {
	case *sql.Field:
		of, at = e.X, &sql.StringLit{Value: e.Name.Name}
	case *sql.Index:
		of, at = e.X, e.I
	}
	x, err := c.expr(of)
	if err != nil {
		return nil, err
	}
	if name, ok := at.(*sql.StringLit); ok {
		return members(x, []sql.Ident{{Name: name.Value}})
	}
	if x.typ.Name != "JSON" {
		return nil, unsupported("elements of %s", x.typ)
	}
	i, err := c.expr(at)
	if err != nil {
		return nil, err
	}
	return extract(false, []*node{x, i})
}
