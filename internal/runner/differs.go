package runner

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"ubik/internal/fault"
	"ubik/internal/plan"
)

// matches tells whether a run may go on from the unit, naming the first thing that differs.
func (u *Unit) matches(c *Config) error {
	const over = "go on with the command the checkpoint was made with, or " + startOver
	if u.Mode == Bounded && c.Mode != Bounded {
		return fault.New(fault.Checkpoint, "the checkpoint is of a run to the end of its input, which cannot go on without an end",
			"run it as before: without --keep-open, a topic with --until-end; or "+startOver)
	}
	if u.Target != c.Target {
		return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint writes to %s, this run to %s", u.Target, c.Target), over)
	}
	if u.MaxRecord != c.MaxRecord && (c.MaxRecord < u.MaxRecord || u.malformed() > 0) {
		// Records that count as malformed under one limit and not under the other may be behind the positions.
		return fault.New(fault.Checkpoint, fmt.Sprintf("the checkpoint was made with --max-record %d, here it is %d", u.MaxRecord, c.MaxRecord),
			"the limit may only be raised, and only while no record has counted as malformed; "+over)
	}
	now := map[string]string{}
	for _, f := range c.Plan.Facts {
		now[f.Name] = f.Value
	}
	for _, f := range u.Facts {
		v, ok := now[f.Name]
		if !ok {
			return fault.New(fault.Checkpoint, "the checkpoint is of another query: its "+differs(f.Name, f.Value, "none"), over)
		}
		if flags := c.Plan.DelayFlags(u.Facts); v != f.Value && strings.HasPrefix(f.Name, "delay") && len(flags) > 0 {
			return fault.New(fault.Checkpoint, "the checkpoint is of another query: its "+differs(f.Name, f.Value, v),
				"go on with --delay "+strings.Join(flags, " --delay ")+", or "+startOver)
		}
		if v != f.Value {
			return fault.New(fault.Checkpoint, "the checkpoint is of another query: its "+differs(f.Name, f.Value, v), over)
		}
	}
	for _, f := range c.Plan.Facts {
		if !slices.ContainsFunc(u.Facts, func(g plan.Fact) bool { return g.Name == f.Name }) {
			return fault.New(fault.Checkpoint, "the checkpoint is of another query: its "+differs(f.Name, "none", f.Value), over)
		}
	}
	return nil
}

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
