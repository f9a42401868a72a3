package sim

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// json is an expression of the type JSON.
func (g generator) json(depth int) string {
	if depth <= 0 {
		return g.of("j", "j", "s::JSON", "l::JSON", "m::JSON", "j.a", "t.j.b", "j['x y']", "j.a[0]", "j[-1]", "(j -> 'a').b", `'[1, {"a": null}]'::JSON`, "NULL::JSON")
	}
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.expr("bool", depth-1), g.json(depth-1), g.json(depth-1))
	case 1:
		return fmt.Sprintf("coalesce(%s, %s)", g.json(depth-1), g.json(depth-1))
	case 2:
		return fmt.Sprintf("TRY_CAST(%s AS JSON)", g.of(g.text(depth-1), g.expr("text", depth-1)))
	}
	return fmt.Sprintf("(%s -> %s)", g.json(depth-1), g.path())
}

// text is an expression of the type VARCHAR that is made of JSON.
func (g generator) text(depth int) string {
	if g.IntN(3) == 0 {
		return fmt.Sprintf("CAST(%s AS VARCHAR)", g.json(depth))
	}
	return fmt.Sprintf("(%s ->> %s)", g.json(depth), g.path())
}

func (g generator) path() string {
	return g.of("'a'", "'b'", "'x y'", "''", "0", "1", "-1", "'$'", "'$.a'", "'$.b[0]'", "'$.a.b'", `'$."x y"[#-1]'`, "'$[1]'", "'/a'", "'/a/0'", "'/x y/b'", "'/'", "'0'", "'/0'", "'c.d'", "'/c~1d'")
}

// randomJSON is a value with blanks here and there. Rarely a name occurs twice in an object.
func randomJSON(r *rand.Rand, depth int) string {
	blank := func() string { return pickOf(r, "", "", "", " ", "\t ") }
	list := func(opens, closes string, value func(i int) string) string {
		var values []string
		for i := range r.IntN(4) {
			values = append(values, blank()+value(i)+blank())
		}
		return opens + blank() + strings.Join(values, ",") + closes
	}
	kind := r.IntN(4)
	switch {
	case depth > 0 && kind == 0:
		return list("[", "]", func(int) string { return randomJSON(r, depth-1) })
	case depth > 0 && kind < 3:
		names := []string{`"a"`, `"b"`, `"x y"`, `""`, `"0"`, `"c/d"`, `"c.d"`}
		r.Shuffle(len(names), func(i, k int) { names[i], names[k] = names[k], names[i] })
		if r.IntN(20) == 0 {
			names[1] = pickOf(r, names[0], `"\u0061"`)
		}
		return list("{", "}", func(i int) string { return names[i] + blank() + ":" + blank() + randomJSON(r, depth-1) })
	}
	return pickOf(r, "1", "-0", "2.50", "1e2", "true", "false", "null", `"x"`, `""`, `"\u00e9\n\"\\"`, `"é \u2028 [1 , 2]"`, `"\ud83e\udd86"`, `"{\"a\": 1}"`)
}
