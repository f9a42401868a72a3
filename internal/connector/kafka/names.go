package kafka

import (
	"maps"
	"slices"
	"strings"

	"ubik/internal/sql"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// nearest returns up to n of the names that look like what was meant, the likeliest first.
func nearest(meant string, names []string, n int) []string {
	rest := slices.Sorted(slices.Values(names))
	var out []string
	for len(out) < n {
		near := sql.Nearest(meant, rest)
		if i := slices.IndexFunc(rest, func(name string) bool { return len(meant) >= 3 && strings.Contains(name, meant) }); near == "" && i >= 0 {
			near = rest[i]
		}
		if near == "" {
			break
		}
		out = append(out, near)
		rest = slices.DeleteFunc(rest, func(name string) bool { return name == near })
	}
	return out
}
