package kafka

import (
	"maps"
	"slices"
	"strings"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// nearest returns up to n of the names that look like what was meant, the likeliest first.
func nearest(meant string, names []string, n int) []string {
	type scored struct {
		name string
		d    int
	}
	var near []scored
	limit := 2 + len(meant)/4
	for _, name := range names {
		d := distance(strings.ToLower(meant), strings.ToLower(name))
		if d > limit && (len(meant) < 3 || !strings.Contains(strings.ToLower(name), strings.ToLower(meant))) {
			continue
		}
		near = append(near, scored{name, d})
	}
	slices.SortFunc(near, func(a, b scored) int {
		if a.d != b.d {
			return a.d - b.d
		}
		return strings.Compare(a.name, b.name)
	})
	var out []string
	for _, s := range near[:min(n, len(near))] {
		out = append(out, s.name)
	}
	return out
}

// distance is the number of bytes to insert, delete or change to make a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next := min(row[j]+1, row[j+1]+1, diagonal+cost)
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}
