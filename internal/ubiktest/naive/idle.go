package naive

import "ubik/internal/sql"

// decided is how many of the terms that must all be true are computed: those up to the first that is the same for every
// row and not true.
func decided(terms []sql.Expr) int {
	for i, e := range terms {
		if excludes(e) {
			return i + 1
		}
	}
	return len(terms)
}

func excludes(e sql.Expr) bool {
	fixed := true
	sql.WalkExprs(e, func(x sql.Expr) bool {
		switch x := x.(type) {
		case *sql.ColumnRef, *sql.Exists:
			fixed = false
		case *sql.Call:
			fixed = fixed && !x.Star // count(*)
		}
		return fixed
	})
	if !fixed {
		return false
	}
	n, err := (&compiler{}).boolean(e)
	if err != nil {
		return false
	}
	v, err := n.eval(&row{})
	return err == nil && v != true
}
