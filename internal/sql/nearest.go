package sql

import (
	"fmt"
	"strings"
)

// listedMost is how many names a hint lists.
const listedMost = 20

// Listed is a list of names for a message, each as it must be written; of many the first twenty.
func Listed(names []string) string {
	var shown []string
	for _, n := range names[:min(len(names), listedMost)] {
		shown = append(shown, QuoteName(n))
	}
	text := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Nearest returns the candidate closest to word, or "" if none is close enough
// to be what was meant. Distance is the number of letters added, dropped,
// replaced or swapped with their neighbour, case ignored; allowed are one for
// words of two to four letters, two up to eight, three above. Of equally close
// candidates the first is taken. When there is none, the shortest is that word
// abbreviates: amnt amount, time event_time.
func Nearest(word string, candidates []string) string {
	w := []rune(FoldName(word))
	limit := 0
	switch n := len(w); {
	case n >= 9:
		limit = 3
	case n >= 5:
		limit = 2
	case n >= 2:
		limit = 1
	}
	best := ""
	for _, c := range candidates {
		if d := distance(w, []rune(FoldName(c)), limit); d <= limit {
			best, limit = c, d-1
		}
		if limit < 0 {
			break
		}
	}
	if best == "" && len(w) >= 3 {
		for _, c := range candidates {
			if (best == "" || len(c) < len(best)) && abbreviates(w, []rune(FoldName(c))) {
				best = c
			}
		}
	}
	return best
}

// abbreviates reports whether the letters of word stand in name in this order,
// from the beginning of one of its parts on.
func abbreviates(word, name []rune) bool {
	for i := range name {
		if i > 0 && name[i-1] != '_' && name[i-1] != '.' {
			continue
		}
		k := 0
		for _, r := range name[i:] {
			if k < len(word) && r == word[k] {
				k++
			}
		}
		if k == len(word) && name[i] == word[0] {
			return true
		}
	}
	return false
}

// distance is the restricted Damerau–Levenshtein distance of a and b, or some
// number above limit if it is above limit.
func distance(a, b []rune, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	// Three rows of the table: the one before last, the last, the current.
	two, one, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range one {
		one[j] = j
	}
	for i := range a {
		row[0] = i + 1
		least := row[0]
		for j := range b {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			d := min(one[j+1]+1, row[j]+1, one[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d = min(d, two[j-1]+1)
			}
			row[j+1] = d
			least = min(least, d)
		}
		if least > limit {
			return limit + 1
		}
		two, one, row = one, row, two
	}
	return one[len(b)]
}
