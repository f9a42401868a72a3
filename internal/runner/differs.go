package runner

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// differs words what a fact was and is; of long ones only the part in which they differ.
func differs(name, before, now string) string {
	is, it := "is", "it is"
	if strings.HasSuffix(name, "s") {
		is, it = "are", "they are"
	}
	before, now = parts(before, now)
	return fmt.Sprintf("%s %s %s, here %s %s", name, is, before, it, now)
}

const (
	partMost = 100 // bytes of a fact that are shown
	partLead = 30  // of them, about, those before the difference
)

// parts are the parts in which two texts differ, with the words just before, and one behind: … stands for what is left out.
// Texts that are short stay as they are.
func parts(a, b string) (string, string) {
	if len(a) <= partMost && len(b) <= partMost {
		return a, b
	}
	same := 0
	for same < len(a) && same < len(b) && a[same] == b[same] {
		same++
	}
	from := 0
	if same > partLead {
		from = max(same-partLead, strings.LastIndexByte(a[:same-partLead], ' ')+1)
		if blank := strings.IndexByte(a[from:same], ' '); blank >= 0 {
			from += blank + 1
		}
	}
	behind := 0
	for behind < min(len(a), len(b))-same && a[len(a)-1-behind] == b[len(b)-1-behind] {
		behind++
	}
	rest := 0 // of what is behind, beyond the word in which the difference ends
	if blank := strings.IndexByte(a[len(a)-behind:], ' '); blank >= 0 {
		rest = behind - blank
	}
	return part(a, from, len(a)-rest), part(b, from, len(b)-rest)
}

// part is text[from:to], of whole characters, cut to what is shown.
func part(text string, from, to int) string {
	for from > 0 && from < len(text) && !utf8.RuneStart(text[from]) {
		from--
	}
	to = min(to, from+partMost)
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to--
	}
	out := text[from:to]
	if from > 0 {
		out = "…" + out
	}
	if to < len(text) {
		out += "…"
	}
	return out
}
