package expr

import (
	"fmt"

	"ubik/internal/vec"
)

// What may be done with values that are JSON texts: they are passed on, chosen by CASE and COALESCE, tested for NULL and
// cast. They are not compared, since a value has many texts: the order of members, 1.0 and 1.00, escapes.

// jsonHint says what to do with a value of the type where it cannot be taken.
func jsonHint(t vec.Type) string {
	if t.Kind == vec.JSON {
		return "cast it to VARCHAR, or take the text of a member by ->>"
	}
	return "cast it to JSON, and that to VARCHAR for its text"
}

// castHint is what to try in place of a cast that there is not.
func castHint(from, to vec.Type) string {
	switch {
	case from.Kind == vec.JSON && to.Phys() != vec.PhysNone && !to.IsJSON():
		return ": cast it to VARCHAR first, or take the text of a member by ->>"
	case from.IsJSON() && to.Kind == vec.Varchar:
		return ": cast it to JSON first"
	case to.Kind == vec.JSON && !from.IsJSON():
		return ": only text is read as JSON"
	}
	return ""
}

// noJSON refuses arguments that are JSON texts.
func noJSON(name string, args []Expr) error {
	for _, a := range args {
		if t := a.Type(); t.IsJSON() {
			return fmt.Errorf("%s does not take %s: %s", name, t, jsonHint(t))
		}
	}
	return nil
}
