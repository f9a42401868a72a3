package plan

import (
	"fmt"
	"strings"
	"testing"

	"ubik/internal/sql"
	"ubik/internal/ubiktest/golden"
	"ubik/internal/vec"
)

// TestScripts runs the scripts of testdata. A case is a command on one line, and a query.
//
//	explain  the plan as a tree
//	facts    its facts
//	times    for each stage that hands rows on: the time, and what it lies behind
//	refused  the error, as a user reads it
//
// Behind the command may stand key=a,b for --key. The query is over those that it names of the sources a, b and c, topics
// without an end, and d, a file; it may be a script.
func TestScripts(t *testing.T) {
	golden.Scripts(t, func(t *testing.T, text string) string {
		command, query, _ := strings.Cut(text, "\n")
		return strings.TrimRight(runCommand(t, command, query), "\n")
	})
}

// treeRequest asks for a query over the sources that it names, or for the last statement of a script. CREATE TABLE is a
// source, of type inferred if an option says so, or what INSERT goes to.
func treeRequest(t *testing.T, text string) Request {
	t.Helper()
	list, err := sql.ParseScript(text)
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	r := Request{Query: text}
	if !scriptRequest(&r, list) {
		t.Fatalf("%s\nis no query", text)
	}
	return r
}

// scriptRequest reports whether the script ends in a query.
func scriptRequest(r *Request, list []sql.Statement) bool {
	if len(list) == 0 {
		return false
	}
	target := ""
	switch last := list[len(list)-1].(type) {
	case sql.Query:
		if len(list) > 1 {
			r.Parsed = last
		}
	case *sql.Insert:
		r.Parsed, r.Columns, target = last.Query, last.Columns, last.Name.Name
	default:
		return false
	}
	named := map[string]bool{}
	var declared []Source
	for _, s := range list {
		sql.Walk(s, func(n sql.Node) bool {
			if f, ok := n.(*sql.TableName); ok {
				named[f.Parts[0].Name] = true
			}
			return true
		})
		switch s := s.(type) {
		case *sql.CreateView:
			r.Views = append(r.Views, s)
		case *sql.CreateTable:
			var fields []vec.Field
			for _, c := range s.Columns {
				f := vec.Field{Name: c.Name.Name}
				if c.Type != nil && c.Type.Name != "REAL" {
					f.Type, _ = TypeOf(c.Type)
				}
				fields = append(fields, f)
			}
			if s.Name.Name == target {
				r.Into = fields
				if k := s.PrimaryKey; k != nil {
					r.Key, r.KeyAt, r.KeySaid = names(k.Columns), k, "PRIMARY KEY"
				}
				continue
			}
			src := Source{Name: s.Name.Name, Log: "kafka " + s.Name.Name, Schema: fields, Format: "json", Delay: -1, Inferred: len(s.Options) > 0}
			if s.Watermark != nil {
				src.Time, src.Delay = s.Watermark.Column.Name, vec.Time(s.Watermark.Micros())
			}
			declared = append(declared, src)
		}
	}
	for _, s := range []struct{ name, schema string }{
		{"a", "k VARCHAR, ts TIMESTAMP, n INTEGER, made DATE"},
		{"b", "k VARCHAR, ts TIMESTAMP, m BIGINT, x VARCHAR"},
		{"c", "k VARCHAR, ts TIMESTAMP, p DECIMAL(9,2)"},
		{"d", "k VARCHAR, ts TIMESTAMP, n INTEGER"},
	} {
		if !named[s.name] {
			continue
		}
		fields, err := Schema(s.schema)
		if err != nil {
			panic(err)
		}
		src := Source{Name: s.name, Log: "kafka " + s.name, Schema: fields, Format: "json", Delay: -1}
		if s.name == "d" {
			src.Log, src.File, src.Bounded = "file d.jsonl", true, true
		}
		r.Sources = append(r.Sources, src)
	}
	r.Sources = append(r.Sources, declared...)
	return true
}

func runCommand(t *testing.T, command, query string) string {
	command, options, _ := strings.Cut(command, " ")
	r := treeRequest(t, query)
	if key, ok := strings.CutPrefix(options, "key="); ok {
		r.Key = strings.Split(key, ",")
	}
	p, err := Build(r)
	switch {
	case command == "refused" && err != nil:
		return sql.Describe(err, "query", query)
	case command == "refused":
		return "accepted"
	case err != nil:
		return sql.Describe(err, "query", query)
	}
	switch command {
	case "explain":
		around := Surroundings{To: "out"}
		for _, s := range p.Sources {
			around.From = append(around.From, From{s.Log, "none"})
		}
		return p.Explain(around)
	case "facts":
		return factsText(p)
	case "times":
		var out []string
		for i, s := range p.Stages {
			if s.To >= 0 {
				out = append(out, fmt.Sprintf("%s: %d", p.timeOf(feeder{stage: i}), s.Behind))
			}
		}
		return strings.Join(out, "\n")
	}
	t.Fatalf("%s is no command", command)
	return ""
}
