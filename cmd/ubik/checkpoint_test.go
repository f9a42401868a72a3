package main

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// jsonFields are the names of a struct's fields in JSON, those of the structs within included.
func jsonFields(t reflect.Type) []string {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(append(names, name), jsonFields(f.Type)...)
	}
	return names
}

func TestEveryFieldOfTheJSONIsDocumentedAndNoOther(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "CHECKPOINT.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, chapter, _ := strings.Cut(string(text), "\n## As JSON\n")
	chapter, _, _ = strings.Cut(chapter, "\n## ")
	known := map[string]bool{}
	for _, name := range jsonFields(reflect.TypeFor[checkpointView]()) {
		known[name] = true
		if !strings.Contains(chapter, "`"+name+"`") {
			t.Errorf("docs/CHECKPOINT.md does not explain the field %s", name)
		}
	}
	first := regexp.MustCompile("(?m)^\\| ((?:`[a-z_]+`(?:, )?)+) \\|")
	name := regexp.MustCompile("`([a-z_]+)`")
	rows := 0
	for _, row := range first.FindAllStringSubmatch(chapter, -1) {
		rows++
		for _, m := range name.FindAllStringSubmatch(row[1], -1) {
			if !known[m[1]] {
				t.Errorf("docs/CHECKPOINT.md explains %s, which is no field", m[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("only %d rows were found", rows)
	}
}
