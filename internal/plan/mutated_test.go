package plan

import (
	"math/rand"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/golden"
)

var wordOrSign = regexp.MustCompile(`'[^']*'|"[^"]*"|[\w.]+|[^\s\w]`)

// Pieces of queries put together at random give plans or errors, and those of a query have a place in it.
func TestNoQueryBreaksThePlanner(t *testing.T) {
	var pool [][]string
	for _, text := range golden.Inputs(t, "testdata/*.txt") {
		if _, query, ok := strings.Cut(text, "\n"); ok && len(query) < 400 {
			pool = append(pool, wordOrSign.FindAllString(query, -1))
		}
	}
	planned := 0
	for seed := range int64(4000) {
		query := mutated(rand.New(rand.NewSource(seed)), pool)
		if tryQuery(t, seed, query) {
			planned++
		}
	}
	if planned < 200 {
		t.Errorf("only %d queries were planned", planned)
	}
}

// mutated exchanges pieces of one query for pieces of others: a word for a word, parentheses for parentheses, or anything.
func mutated(r *rand.Rand, pool [][]string) string {
	q := slices.Clone(pool[r.Intn(len(pool))])
	for range 1 + r.Intn(3) {
		at, other := r.Intn(len(q)), pool[r.Intn(len(pool))]
		from := r.Intn(len(other))
		cut, n := 1, 1
		switch {
		case q[at] == "(" && closing(q, at) > 0:
			if from = slices.Index(other, "("); from < 0 || closing(other, from) < 0 {
				continue
			}
			cut, n = closing(q, at)-at+1, closing(other, from)-from+1
		case r.Intn(4) == 0:
			cut, n = r.Intn(min(8, len(q)-at)+1), r.Intn(min(8, len(other)-from)+1)
		case isWord.MatchString(q[at]) != isWord.MatchString(other[from]):
			continue
		}
		if q = slices.Concat(q[:at], other[from:from+n], q[at+cut:]); len(q) == 0 {
			return "SELECT"
		}
	}
	return strings.Join(q, " ")
}

// isWord is a name of a column or a table.
var isWord = regexp.MustCompile(`^[a-z][a-z.]*$`)

func closing(q []string, open int) int {
	depth := 0
	for i := open; i < len(q); i++ {
		switch q[i] {
		case "(":
			depth++
		case ")":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func tryQuery(t *testing.T, seed int64, query string) bool {
	defer func() {
		if r := recover(); r != nil {
			t.Fatalf("seed %d: %s\n%v", seed, query, r)
		}
	}()
	list, err := sql.ParseScript(query)
	if err != nil {
		return false
	}
	request := Request{Query: query}
	if !scriptRequest(&request, list) {
		return false
	}
	p, err := Build(request)
	if err != nil {
		if e, ok := err.(*sql.Error); ok && (e.Pos > e.End || e.End > len(query)) {
			t.Fatalf("seed %d: %s\nthe error %q is at %d..%d", seed, query, e.Msg, e.Pos, e.End)
		}
		return false
	}
	p.Explain(Surroundings{From: make([]From, len(p.Sources))})
	checkUsed(t, request, p)
	return true
}
