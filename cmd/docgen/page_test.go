package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ubik/internal/sql"
)

func TestTheCommittedPagesAreTheGeneratedOnes(t *testing.T) {
	for _, p := range pages {
		want, err := p.write()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", p.path))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) == want {
			continue
		}
		a, b := strings.Split(string(got), "\n"), strings.Split(want, "\n")
		line := 0
		for line < len(a) && line < len(b) && a[line] == b[line] {
			line++
		}
		at := func(lines []string) string {
			if line < len(lines) {
				return lines[line]
			}
			return "(the end)"
		}
		t.Errorf("%s is not what the catalogues say; run make update. Line %d is\n%s\nand should be\n%s", p.path, line+1, at(a), at(b))
	}
}

func TestEveryTypeIsInTheTable(t *testing.T) {
	rows := map[string]bool{}
	for _, r := range typeRows {
		if _, err := sql.ParseSchema("x " + declarable(r.spelling)); err != nil {
			t.Errorf("%s: %v", r.spelling, err)
		}
		rows[r.canonical] = true
	}
	for canonical := range sql.TypeSpellings() {
		if !rows[canonical] {
			t.Errorf("the table of types has no %s", canonical)
		}
	}
}

// operand makes an expression of an operator of the table around its operands.
func operand(operator, a, b string) string {
	switch {
	case operator == "::":
		return a + "::VARCHAR"
	case operator == "IN (…)":
		return a + " IN (" + b + ")"
	case operator == "BETWEEN … AND …":
		return a + " BETWEEN " + b + " AND " + b
	case strings.HasPrefix(operator, "IS ") && !strings.HasSuffix(operator, "FROM"):
		return a + " " + operator
	case strings.HasSuffix(operator, " a"):
		return strings.TrimSuffix(operator, "a") + a
	}
	return a + " " + operator + " " + b
}

func TestOperatorsBindAsTheTableSays(t *testing.T) {
	for i, tight := range levels {
		for _, loose := range levels[i+1:] {
			for _, hi := range tight.operators {
				for _, lo := range loose.operators {
					inner := operand(hi, "x", "y")
					bare, grouped := operand(lo, inner, "z"), operand(lo, "("+inner+")", "z")
					a, err := sql.ParseExpr(bare)
					if err != nil {
						t.Errorf("%s: %v", bare, err)
						continue
					}
					b, err := sql.ParseExpr(grouped)
					if err != nil {
						t.Fatalf("%s: %v", grouped, err)
					}
					if !sql.Equal(a, b) {
						t.Errorf("%s is not %s", bare, grouped)
					}
				}
			}
		}
	}
}

func TestEveryPseudoColumnIsExplained(t *testing.T) {
	text, err := page()
	if err != nil {
		t.Fatal(err)
	}
	for name, about := range pseudoAbout {
		if !strings.Contains(text, "| "+code(name)+" | ") || about == "" {
			t.Errorf("%s is not on the page", name)
		}
	}
	if strings.Contains(text, " |  |\n| `_") {
		t.Error("a column that comes with the record is not explained")
	}
}
