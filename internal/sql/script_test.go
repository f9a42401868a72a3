package sql

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ubik/internal/ubiktest/golden"
)

// TestScripts runs the scripts of testdata. A case is a command on one line and its input, in which \t is a tab and \n a
// line end.
//
//	parse   the query, formatted
//	expr    the expression, formatted
//	group   the expression with every operation in parentheses
//	tree    the nodes of an expression or query with their fields
//	spans   each node of an expression with the text it covers
//	schema  the schema, formatted
//	script  the statements, formatted, each on a line
//	nodes   the statements with their fields, each on a line
//	nearest the word nearest to the first one among the others
func TestScripts(t *testing.T) {
	golden.Scripts(t, func(t *testing.T, text string) string {
		command, input, _ := strings.Cut(text, "\n")
		return runCommand(t, command, strings.NewReplacer(`\t`, "\t", `\n`, "\n").Replace(input))
	})
}

func runCommand(t *testing.T, command, input string) string {
	switch command {
	case "parse":
		s, err := Parse(input)
		return result(input, err, func() string { return stable(t, s) })
	case "expr", "group", "spans":
		x, err := ParseExpr(input)
		return result(input, err, func() string {
			text := stable(t, x)
			switch command {
			case "group":
				return grouped(x)
			case "spans":
				return spans(input, x)
			}
			return text
		})
	case "tree":
		var n Node
		n, err := Parse(input)
		if err != nil {
			n, err = ParseExpr(input)
		}
		return result(input, err, func() string { return dump(reflect.ValueOf(n)) })
	case "schema":
		cols, err := ParseSchema(input)
		return result(input, err, func() string { return formatSchema(cols) })
	case "script":
		list, err := ParseScript(input)
		return result(input, err, func() string {
			for _, s := range list {
				stable(t, s)
			}
			if err := checkStableScript(list); err != nil {
				t.Error(err)
			}
			if len(list) == 0 {
				return "(no statement)"
			}
			return strings.TrimSuffix(formatScript(list), "\n")
		})
	case "nodes":
		list, err := ParseScript(input)
		return result(input, err, func() string {
			var lines []string
			for _, s := range list {
				lines = append(lines, dump(reflect.ValueOf(s)))
			}
			return strings.Join(lines, "\n")
		})
	case "nearest":
		words := strings.Fields(input)
		return fmt.Sprintf("%q", Nearest(words[0], words[1:]))
	}
	t.Fatalf("unknown command %s", command)
	return ""
}

func result(input string, err error, ok func() string) string {
	if err != nil {
		return Describe(err, "query", input)
	}
	return ok()
}

// stable formats n and checks that the text parses to an equal tree.
func stable(t *testing.T, n Node) string {
	t.Helper()
	text := Format(n)
	if err := checkStable(n, text); err != nil {
		t.Error(err)
	}
	return text
}

func checkStable(n Node, text string) error {
	var again Node
	var err error
	equal := false
	switch n := n.(type) {
	case Expr:
		var x Expr
		x, err = ParseExpr(text)
		again, equal = x, err == nil && Equal(n, x)
	case Query:
		var s Statement
		s, err = Parse(text)
		if err == nil {
			again, equal = s, EqualQuery(n, s.(Query))
		}
	case Statement:
		var list []Statement
		list, err = ParseScript(text)
		if err == nil && len(list) == 1 {
			again, equal = list[0], equalStatement(n, list[0])
		}
	}
	switch {
	case err != nil:
		return fmt.Errorf("formatted text does not parse:\n%s", Describe(err, "formatted", text))
	case !equal:
		return fmt.Errorf("formatted text parses to another tree: %s", text)
	case Format(again) != text:
		return fmt.Errorf("formatted twice:\n%s\n%s", text, Format(again))
	}
	return nil
}

// checkStableScript is checkStable for what formatScript writes.
func checkStableScript(list []Statement) error {
	text := formatScript(list)
	again, err := ParseScript(text)
	switch {
	case err != nil:
		return fmt.Errorf("formatted script does not parse:\n%s", Describe(err, "formatted", text))
	case !slices.EqualFunc(list, again, equalStatement):
		return fmt.Errorf("formatted script parses to other statements: %s", text)
	case formatScript(again) != text:
		return fmt.Errorf("formatted twice:\n%s\n%s", text, formatScript(again))
	}
	return nil
}

// grouped writes operators with all their parentheses.
func grouped(x Expr) string {
	switch x := x.(type) {
	case *Unary:
		return fmt.Sprintf("(%s %s)", x.Op, grouped(x.X))
	case *Binary:
		return fmt.Sprintf("(%s %s %s)", grouped(x.L), x.Op, grouped(x.R))
	case *Logic:
		var terms []string
		for _, t := range x.Terms {
			terms = append(terms, grouped(t))
		}
		return "(" + strings.Join(terms, " "+string(x.Op)+" ") + ")"
	case *IsNull:
		return fmt.Sprintf("(%s IS %sNULL)", grouped(x.X), notWord(x.Not))
	case *Between:
		return fmt.Sprintf("(%s %sBETWEEN %s AND %s)", grouped(x.X), notWord(x.Not), grouped(x.Low), grouped(x.High))
	case *Like:
		return fmt.Sprintf("(%s %sLIKE %s)", grouped(x.X), notWord(x.Not), grouped(x.Pattern))
	case *In:
		return fmt.Sprintf("(%s %sIN …)", grouped(x.X), notWord(x.Not))
	case *Cast:
		return fmt.Sprintf("(%s :: %s)", grouped(x.X), Format(x.Type))
	case *Index:
		return fmt.Sprintf("(%s[%s])", grouped(x.X), grouped(x.I))
	case *Field:
		return fmt.Sprintf("(%s . %s)", grouped(x.X), x.Name.Name)
	}
	return Format(x)
}

func spans(input string, x Expr) string {
	var lines []string
	WalkExprs(x, func(x Expr) bool {
		s := x.At()
		lines = append(lines, fmt.Sprintf("%s %q", strings.TrimPrefix(fmt.Sprintf("%T", x), "*sql."), input[s.Pos:s.End]))
		return true
	})
	return strings.Join(lines, "\n")
}

// dump writes a node as Type{field:value …} without spans and zero fields.
func dump(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		return dump(v.Elem())
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, dump(v.Index(i)))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case reflect.Struct:
		if id, ok := v.Interface().(Ident); ok {
			if id.Quoted {
				return fmt.Sprintf("%q", id.Name)
			}
			return id.Name
		}
		var parts []string
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if v.Field(i).IsZero() || field.Type == reflect.TypeFor[Span]() {
				continue
			}
			parts = append(parts, field.Name+":"+dump(v.Field(i)))
		}
		return v.Type().Name() + "{" + strings.Join(parts, " ") + "}"
	case reflect.String:
		return fmt.Sprintf("%q", v.String())
	}
	return fmt.Sprint(v.Interface())
}

// formatSchema writes columns as ParseSchema reads them.
func formatSchema(cols []ColumnDef) string {
	f := &formatter{}
	f.columnDefs(cols)
	return f.String()
}

// formatScript writes statements as ParseScript reads them, each as Format
// does, with a semicolon, on a line of its own.
func formatScript(list []Statement) string {
	f := &formatter{}
	for _, s := range list {
		f.node(s)
		f.put(";\n")
	}
	return f.String()
}
