package sql

import (
	"errors"
	"strings"
	"testing"

	"ubik/internal/ubiktest/golden"
)

// FuzzParse checks of any text, read in each of the ways: it is a tree or an *Error with a span inside
// the text, the tree formats to text that parses to an equal tree, and every
// span is inside its text.
func FuzzParse(f *testing.F) {
	for _, text := range golden.Inputs(f, "testdata/*.txt") {
		_, input, _ := strings.Cut(text, "\n")
		f.Add(input)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := Parse(text); err == nil {
			checkTree(t, text, s)
		} else {
			checkError(t, text, err)
		}
		if x, err := ParseExpr(text); err == nil {
			checkTree(t, text, x)
		} else {
			checkError(t, text, err)
		}
		if list, err := ParseScript(text); err == nil {
			for _, s := range list {
				checkTree(t, text, s)
				checkSpans(t, text, s)
			}
			if err := checkStableScript(list); err != nil {
				t.Error(err)
			}
		} else {
			checkError(t, text, err)
		}
		if cols, err := ParseSchema(text); err == nil {
			again, err := ParseSchema(formatSchema(cols))
			if err != nil || formatSchema(again) != formatSchema(cols) {
				t.Errorf("schema is not stable: %s: %v", formatSchema(cols), err)
			}
		} else {
			checkError(t, text, err)
		}
	})
}

func checkTree(t *testing.T, text string, n Node) {
	t.Helper()
	if err := checkStable(n, Format(n)); err != nil {
		t.Error(err)
	}
	Walk(n, func(n Node) bool {
		if s := n.At(); s.Pos < 0 || s.End < s.Pos || s.End > len(text) {
			t.Errorf("%T has the span %v in %d bytes", n, s, len(text))
		}
		return true
	})
}

// checkSpans checks of the parts of a CREATE TABLE, which Walk passes over,
// that they are inside it and not empty.
func checkSpans(t *testing.T, text string, s Statement) {
	t.Helper()
	n, ok := s.(*CreateTable)
	if !ok {
		return
	}
	parts := []Node{n.Name}
	for _, c := range n.Columns {
		parts = append(parts, c, c.Name)
		if c.Metadata != nil {
			parts = append(parts, c.Metadata)
		}
	}
	if n.PrimaryKey != nil {
		parts = append(parts, n.PrimaryKey)
	}
	if n.Watermark != nil {
		parts = append(parts, n.Watermark, n.Watermark.Column)
		if n.Watermark.Micros() < 0 {
			t.Errorf("the delay is %d", n.Watermark.Micros())
		}
	}
	for _, o := range n.Options {
		parts = append(parts, o, o.KeySpan, o.Value)
		if o.Key == "" {
			t.Error("an option without a name")
		}
	}
	for _, part := range parts {
		if p := part.At(); p.Pos < n.Pos || p.End <= p.Pos || p.End > n.End {
			t.Errorf("%T has the span %v in the statement %v", part, p, n.Span)
		}
	}
}

func checkError(t *testing.T, text string, err error) {
	t.Helper()
	var e *Error
	switch {
	case !errors.As(err, &e):
		t.Errorf("%T is no *Error", err)
	case e.Pos < 0 || e.End < e.Pos || e.End > len(text):
		t.Errorf("error with the span %d, %d in %d bytes: %v", e.Pos, e.End, len(text), e)
	case strings.ContainsAny(e.Msg+e.Hint, "\n\r"):
		t.Errorf("error of several lines: %q", e)
	}
	if lines := strings.Count(e.Render("query", text), "\n"); lines > 3 {
		t.Errorf("rendered in %d lines: %s", lines+1, e.Render("query", text))
	}
}
