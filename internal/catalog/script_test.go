package catalog

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/connector/kafka"
	"ubik/internal/connector/std"
	"ubik/internal/fault"
	"ubik/internal/sql"
	"ubik/internal/ubiktest/golden"
	"ubik/internal/vec"
)

var kinds = []*connector.Kind{&kafka.Kind, &file.Kind, &std.Kind}

var formats = []string{"json", "csv", "tsv", "raw"}

// TestScripts runs the scripts of testdata. A case is flags, each as $ name value on a line, and a script, in which ~ alone
// on a line is a blank line. What comes of it is the job that Load makes, or its error as the program prints it.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func(t *testing.T, text string) string {
		in := inputOf(t, text)
		job, err := Load(in)
		if err == nil {
			printsAlike(t, in, job)
		}
		return shown(in, job, err)
	})
}

// inputOf reads flags and script of a case.
func inputOf(t *testing.T, text string) Input {
	in := Input{Kinds: kinds, Formats: formats}
	lines := strings.Split(text, "\n")
	for len(lines) > 0 && strings.HasPrefix(lines[0], "$ ") {
		flag, value, _ := strings.Cut(lines[0][2:], " ")
		f := &in.Flags
		switch flag {
		case "from":
			f.From = append(f.From, value)
		case "schema":
			f.Schema = append(f.Schema, value)
		case "delay":
			f.Delay = append(f.Delay, value)
		case "format":
			f.Format = append(f.Format, value)
		case "start":
			f.Start = append(f.Start, value)
		case "to":
			f.To = value
		case "to-format":
			f.ToFormat = value
		case "key":
			f.Key = value
		case "X":
			if f.Client == nil {
				f.Client = map[string]string{}
			}
			k, v, _ := strings.Cut(value, "=")
			f.Client[k] = v
		case "until-end":
			f.UntilEnd = true
		case "keep-open":
			f.KeepOpen = true
		case "follow":
			f.Follow = true
		default:
			t.Fatalf("unknown flag %s", flag)
		}
		lines = lines[1:]
	}
	for i := range lines {
		if lines[i] == "~" {
			lines[i] = ""
		}
	}
	in.Text = strings.Join(lines, "\n")
	return in
}

// shown is a job, each of its parts on a line, or an error as the program prints it.
func shown(in Input, job *Job, err error) string {
	var other *TextError
	var f *fault.Error
	switch {
	case errors.As(err, &other):
		return sql.Describe(other.Err, other.Name, other.Text)
	case errors.As(err, &f):
		if f.Class != fault.Usage {
			return "NOT USAGE: " + f.Msg
		}
		if f.Try != "" {
			return "ubik: " + f.Msg + "; " + f.Try
		}
		return "ubik: " + f.Msg
	case err != nil:
		return sql.Describe(err, "query", Redact(in.Text))
	}
	var lines []string
	for i := range job.Sources {
		lines = append(lines, "source "+tableText(&job.Sources[i]))
	}
	lines = append(lines, "sink "+tableText(&job.Sink))
	for _, v := range job.Views {
		lines = append(lines, sql.Format(v))
	}
	lines = append(lines, sql.Format(job.Query))
	if job.Key != nil {
		lines = append(lines, "key "+strings.Join(job.Key, ", "))
	}
	for _, c := range job.Columns {
		lines = append(lines, "column "+c.Name)
	}
	return strings.Join(lines, "\n")
}

// tableText is a table with all that is said of it.
func tableText(t *Table) string {
	text := fmt.Sprintf("%s: %s %s [%s]", t.Name, t.Kind.Name, t.URL, t.Log)
	say := func(format string, args ...any) { text += fmt.Sprintf(" "+format, args...) }
	if t.Format != "" {
		say("format %s", t.Format)
	}
	for _, k := range slices.Sorted(maps.Keys(t.FormatOptions)) {
		say("%s=%q", k, t.FormatOptions[k])
	}
	if t.Schema != nil {
		typ := vec.Type{Kind: vec.Struct, Fields: t.Schema}
		say("%s", strings.TrimPrefix(typ.String(), "STRUCT"))
	}
	if t.Time != "" {
		say("time %s", t.Time)
	}
	switch {
	case t.Delay == vec.Forever:
		say("delay unlimited")
	case t.Delay >= 0:
		say("delay %dus", t.Delay)
	}
	if t.Key != nil {
		say("key %s", strings.Join(t.Key, "+"))
	}
	if t.Start != "" {
		say("start %s", t.Start)
	}
	if t.UntilEnd {
		say("until-end")
	}
	if t.Follow {
		say("follow")
	}
	for _, k := range slices.Sorted(maps.Keys(t.Client)) {
		say("%s=%s", k, t.Client[k])
	}
	if t.At != nil {
		say("declared")
	}
	return text
}

// printsAlike checks that the resolved query is one of tables by name alone, which can be printed and read again.
func printsAlike(t *testing.T, in Input, job *Job) {
	check := func(n sql.Node) {
		common := map[sql.Node]bool{} // tables of WITH, whose paths are left where nothing reads them
		sql.Walk(n, func(n sql.Node) bool {
			if common[n] {
				return false
			}
			if q, is := n.(sql.Query); is && withOf(q) != nil {
				for _, c := range withOf(q).Tables {
					common[c.Query] = true
				}
			}
			if _, is := n.(*sql.FilePath); is {
				t.Errorf("%s: a path is left", in.Text)
			}
			if at := n.At(); at.Pos < 0 || at.End > len(in.Text) || at.Pos > at.End {
				t.Errorf("%s: span %v", in.Text, at)
			}
			return true
		})
	}
	check(job.Query)
	for _, v := range job.Views {
		check(v)
	}
	text := sql.Format(job.Query)
	again, err := sql.Parse(text)
	if err != nil || !sql.EqualQuery(job.Query, again.(sql.Query)) {
		t.Errorf("%s: reads again as %v, %v", text, again, err)
	}
}
