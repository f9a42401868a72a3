package catalog

import (
	"errors"
	"maps"
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

// The command line takes the properties that WITH takes, and refuses the others for the same reasons, without a value.
func TestTheCommandLineKnowsThePropertiesOfTheJavaClient(t *testing.T) {
	const jaas = `org.apache.kafka.common.security.plain.PlainLoginModule required username="alice" password="geheim";`
	got, err := ClientProperties(map[string]string{"sasl.jaas.config": jaas, "fetch.max.wait.ms": "5", "ssl.truststore.location": "ca.pem",
		"ssl.truststore.type": "pem", "sasl.mechanism": "PLAIN", "frobnicate": "1"})
	want := map[string]string{"sasl.username": "alice", "sasl.password": "geheim", "fetch.wait.max.ms": "5", "ssl.ca.location": "ca.pem", "sasl.mechanism": "PLAIN", "frobnicate": "1"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, c := range []struct {
		given    map[string]string
		msg, try string
	}{
		{map[string]string{"ssl.key.password": "geheim"}, "client property ssl.key.password is not supported: the key is taken without a password",
			"decrypt it: openssl pkey -in key.pem -out plain.pem; and give that as -X ssl.key.location"},
		{map[string]string{"ssl.keystore.location": "geheim.jks"}, "client property ssl.keystore.location is not supported: certificate and key are files of their own",
			"give them as -X ssl.certificate.location and -X ssl.key.location, in PEM form"},
		{map[string]string{"ssl.truststore.location": "geheim.jks"}, "client property ssl.truststore.location must be a file in PEM form",
			"convert it: keytool -list -rfc -keystore …; and give it as -X ssl.ca.location"},
		{map[string]string{"ssl.truststore.type": "JKS"}, "client property ssl.truststore.type can only be PEM", "convert the store: keytool -list -rfc -keystore …; and give it as -X ssl.ca.location"},
		{map[string]string{"sasl.jaas.config": "geheim"}, "client property sasl.jaas.config names a login module that is not supported",
			"use SASL PLAIN or SCRAM: …PlainLoginModule, or …ScramLoginModule"},
		{map[string]string{"sasl.jaas.config": jaas, "sasl.password": "geheim"}, "client property sasl.jaas.config says what sasl.password says", "give one of them"},
		{map[string]string{"fetch.max.wait.ms": "1", "fetch.wait.max.ms": "1"}, "client property fetch.max.wait.ms says what fetch.wait.max.ms says", "give one of them"},
		{map[string]string{"auto.offset.reset": "latest"}, "client property auto.offset.reset is not supported: where to begin is an option of the table", "write --start earliest"},
		{map[string]string{"group.id": "g"}, "client property group.id is not supported: no consumer group is joined: positions are in the checkpoint", "leave it out"},
		{map[string]string{"properties.linger.ms": "5"}, "there is no client property properties.linger.ms", "write -X linger.ms=…"},
	} {
		_, err := ClientProperties(c.given)
		var f *fault.Error
		if !errors.As(err, &f) || f.Class != fault.Usage || f.Msg != c.msg || f.Try != c.try {
			t.Errorf("%v: %#v", c.given, err)
		}
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
