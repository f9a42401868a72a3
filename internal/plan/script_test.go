package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ubik/internal/sql"
	"ubik/internal/vec"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

// TestScripts runs testdata/*.txt. A script is cases separated by blank lines, each a command on one line, a query, a line
// ----, and what is expected. Lines beginning with # between cases are comments.
//
//	explain  the plan as a tree
//	facts    its facts
//	times    for each stage that hands rows on: the time, and what it lies behind
//	refused  the error, as a user reads it
//
// Behind the command may stand key=a,b for --key. The query is over those that it names of the sources a, b and c, topics
// without an end, and d, a file; it may be a script.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) { runScript(t, file) })
	}
}

func runScript(t *testing.T, file string) {
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, block := range strings.Split(strings.TrimRight(string(content), "\n"), "\n\n") {
		if strings.HasPrefix(block, "#") {
			out = append(out, block)
			continue
		}
		head, want, _ := strings.Cut(block, "\n----")
		want = strings.TrimPrefix(want, "\n")
		command, query, _ := strings.Cut(head, "\n")
		got := strings.TrimRight(runCommand(t, command, query), "\n")
		if got != want && !*update {
			t.Errorf("%s: %s\n%s\n---- got\n%s\n---- want\n%s", file, command, query, got, want)
		}
		out = append(out, head+"\n----\n"+got)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(out, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
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
