package table

import (
	"fmt"
	"strings"
)

// columnNotes gathers what is to be said about columns, so that what holds for many is said once.
type columnNotes struct {
	texts []string // in the order in which they came
	names map[string][]string
}

func (n *columnNotes) add(name, text string) {
	if n.names == nil {
		n.names = map[string][]string{}
	}
	if n.names[text] == nil {
		n.texts = append(n.texts, text)
	}
	n.names[text] = append(n.names[text], name)
}

const namesShown = 5 // of the columns of one note

// lines are the notes, each with the columns that it is about.
func (n *columnNotes) lines() []string {
	var out []string
	for _, text := range n.texts {
		names, more := n.names[text], ""
		if len(names) > namesShown {
			names, more = names[:namesShown], fmt.Sprintf(" and %d more", len(names)-namesShown)
		}
		out = append(out, strings.Join(names, ", ")+more+": "+text)
	}
	return out
}
