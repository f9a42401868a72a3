package catalog

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/connector/kafka"
	"ubik/internal/fault"
	"ubik/internal/sql"
	"ubik/internal/ubiktest/golden"
)

func TestEveryOptionIsInACase(t *testing.T) {
	all := strings.Join(golden.Inputs(t, "testdata/*.txt"), "\n")
	for _, o := range Options() {
		name := strings.TrimSuffix(o.Name, "*")
		if !strings.Contains(all, name+" =") && !strings.Contains(all, name+"' =") && !(name != o.Name && strings.Contains(all, "'"+name)) {
			t.Errorf("option %s is in no case", o.Name)
		}
	}
	for _, o := range Arguments() {
		if !strings.Contains(all, ", "+o.Name+" = ") && !strings.Contains(all, ", "+o.Name+" := ") && !strings.Contains(all, ", "+o.Name+" => ") {
			t.Errorf("argument %s is in no case", o.Name)
		}
	}
}

func TestEveryOptionSaysWhatItIs(t *testing.T) {
	for _, list := range [][]Option{Options(), Arguments()} {
		seen := map[[2]string]bool{}
		for _, o := range list {
			id := [2]string{o.Of, o.Name}
			if seen[id] {
				t.Errorf("%s is there twice", o.Name)
			}
			seen[id] = true
			switch {
			case o.Refused == "" && (o.Takes == "" || o.Doc == "" || !o.Source && !o.Sink):
				t.Errorf("%s: what it takes or does is not said", o.Name)
			case o.Refused != "" && o.Try == "":
				t.Errorf("%s: what to try is not said", o.Name)
			case o.Same != "" && !slices.ContainsFunc(list, func(p Option) bool { return p.Name == o.Same && p.Same == "" }):
				t.Errorf("%s: there is no %s", o.Name, o.Same)
			}
			for _, s := range []string{o.Doc, o.Takes, o.Refused, o.Try} {
				if strings.Contains(s, "\n") {
					t.Errorf("%s: more than a line", o.Name)
				}
			}
		}
	}
}

func TestClientPropertiesAreThoseOfTheConnector(t *testing.T) {
	_, err := kafka.Kind.NewSource("kafka://h/t", &connector.Options{Client: map[string]string{"0123456789012345678901234567890123456789": ""}})
	var f *fault.Error
	if !errors.As(err, &f) {
		t.Fatal(err)
	}
	var names []string
	for _, p := range properties {
		names = append(names, p.name)
	}
	slices.Sort(names)
	if want := "the properties are " + strings.Join(names, ", "); f.Try != want {
		t.Errorf("the connector says\n%s\nthe list has\n%s", f.Try, want)
	}
}

// TestAnyScriptIsTakenOrRefused loads the scripts that the parser is tested with.
func TestAnyScriptIsTakenOrRefused(t *testing.T) {
	n := 0
	for _, input := range golden.Inputs(t, "../sql/testdata/*.txt") {
		command, text, _ := strings.Cut(input, "\n")
		if command != "script" && command != "parse" && command != "nodes" && command != "tree" {
			continue
		}
		n++
		for _, from := range [][]string{nil, {"t.csv"}} {
			in := Input{Text: text, Kinds: kinds, Formats: formats, Flags: Flags{From: from}}
			job, err := Load(in)
			var e *sql.Error
			var f *fault.Error
			switch {
			case err == nil:
				printsAlike(t, in, job)
			case errors.As(err, &e) && (e.Pos < 0 || e.End > len(text) || e.Pos > e.End):
				t.Errorf("%s: %v at %d to %d", text, err, e.Pos, e.End)
			case !errors.As(err, &e) && !errors.As(err, &f):
				t.Errorf("%s: %T", text, err)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d scripts", n)
	}
}

func TestAReplacedPathKeepsItsPlace(t *testing.T) {
	const text = "SELECT count(*) FROM 'a/b.csv' AS x JOIN read_csv('c.csv', header = true) ON x.a = read_csv.a"
	job, err := Load(Input{Text: text, Kinds: kinds, Formats: formats})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	sql.Walk(job.Query, func(n sql.Node) bool {
		if n, ok := n.(*sql.TableName); ok {
			part := n.Parts[0]
			got = append(got, part.Name+": "+text[part.Pos:part.End]+" in "+text[n.Pos:n.End])
		}
		return true
	})
	want := []string{"b: 'a/b.csv' in 'a/b.csv' AS x", "c: read_csv('c.csv', header = true) in read_csv('c.csv', header = true)"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for i, want := range []string{"'a/b.csv'", "read_csv('c.csv', header = true)"} {
		if at := job.Sources[i].At.At(); text[at.Pos:at.End] != want {
			t.Errorf("declared at %s", text[at.Pos:at.End])
		}
	}
}
