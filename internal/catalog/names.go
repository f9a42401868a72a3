package catalog

import (
	"fmt"

	"ubik/internal/sql"
)

// takenNames are the names that a path must not get: another thing goes by them somewhere in the script.
func takenNames(names []*entry, list []sql.Statement) map[string]bool {
	taken := map[string]bool{}
	for _, n := range names {
		taken[sql.FoldName(n.text)] = true
	}
	for _, s := range list {
		sql.Walk(s, func(n sql.Node) bool {
			var with *sql.With
			switch q := n.(type) {
			case *sql.Select:
				with = q.With
			case *sql.Union:
				with = q.With
			}
			if with != nil {
				for _, t := range with.Tables {
					taken[sql.FoldName(t.Name.Name)] = true
				}
			}
			return true
		})
	}
	return taken
}

// freeName returns the name with a number behind it if it is taken: x, x_1, x_2; and takes it.
func (l *loader) freeName(text string) string {
	free := text
	for i := 1; l.taken[sql.FoldName(free)]; i++ {
		free = fmt.Sprintf("%s_%d", text, i)
	}
	l.taken[sql.FoldName(free)] = true
	return free
}
