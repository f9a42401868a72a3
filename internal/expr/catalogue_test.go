package expr

import (
	"strings"
	"testing"

	"ubik/internal/vec"
)

func TestExamplesHoldWhatTheySay(t *testing.T) {
	for _, f := range Functions() {
		for _, e := range f.Examples {
			if got := valueOf(e.Call); got != e.Want {
				t.Errorf("%s: %s = %q, want %q", f.Name, e.Call, got, e.Want)
			}
		}
	}
}

func TestEveryFunctionIsDocumentedAndHasExamples(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Functions() {
		for _, n := range append([]string{f.Name}, f.Aliases...) {
			if seen[n] || n != strings.ToLower(n) {
				t.Errorf("the name %q occurs twice or is not in lower case", n)
			}
			seen[n] = true
		}
		if !strings.HasSuffix(f.Doc, ".") || strings.Contains(f.Doc, "\n") {
			t.Errorf("%s: the doc %q is not one sentence", f.Name, f.Doc)
		}
		if f.Refused != "" {
			continue
		}
		null := false
		for _, e := range f.Examples {
			null = null || strings.Contains(e.Call, "NULL")
		}
		if len(f.Examples) < 3 || !null && f.Name != "pi" {
			t.Errorf("%s: %d examples, one with NULL: %v", f.Name, len(f.Examples), null)
		}
		if len(f.AllForms()) == 0 || (f.build == nil) == (f.Overloads == nil) {
			t.Errorf("%s: forms or overloads are missing", f.Name)
		}
	}
}

// lifted reads an example whose argument k, if it is a literal, is column 0 of a batch of three rows: NULL, the
// literal, NULL. It returns nil when the function wants a literal there.
func lifted(t *testing.T, call string, k int) (Expr, *vec.Batch) {
	whole, err := read(call)
	if err != nil {
		t.Fatal(err)
	}
	name, rest, _ := strings.Cut(call, "(")
	r := reader{s: rest}
	var args []Expr
	for !r.eat(")") {
		a, err := r.expr()
		if err != nil {
			t.Fatal(err)
		}
		args = append(args, a)
		r.eat(",")
	}
	if r.s != "" || k >= len(args) {
		return nil, nil
	}
	l := args[k].(*Literal)
	b := vec.NewBatch(l.Type())
	b.Resize(3)
	b.Cols[0].SetAllNull()
	if !l.IsNull() {
		b.Cols[0].ClearNull(1)
		if l.Type().Phys() == vec.PhysBytes {
			b.Cols[0].AppendBytes(1, l.Value().Bytes(0))
		} else {
			copyRow(b.Cols[0], 1, l.Value(), 0)
		}
	}
	args[k] = &Column{0, "c", l.Type()}
	e, err := NewCall(name, args)
	if err != nil || !e.Type().Equal(whole.Type()) {
		return nil, nil
	}
	return e, b
}

func TestExamplesHoldForColumnsAndNullGivesNull(t *testing.T) {
	keepsNull := map[string]bool{"concat": true, "concat_ws": true, "coalesce": true, "ifnull": true, "nullif": true, "if": true, "greatest": true, "least": true}
	tried := 0
	for _, f := range Functions() {
		for _, x := range f.Examples {
			if !strings.HasPrefix(x.Call, f.Name+"(") {
				continue
			}
			for k := 0; k < 4; k++ {
				e, b := lifted(t, x.Call, k)
				if e == nil {
					continue
				}
				tried++
				for _, sel := range [][]int32{nil, {1}, {0, 1}} {
					var errs Errors
					v := Compile(e).Eval(b, sel, &errs)
					if got := valueText(v, 1); got != x.Want || len(errs.Faults) > 0 {
						t.Errorf("%s with argument %d from a column: %q %v, want %q", x.Call, k, got, errs.Faults, x.Want)
					}
					if sel == nil && !keepsNull[f.Name] && (!v.IsNull(0) || !v.IsNull(2)) {
						t.Errorf("%s with argument %d NULL is not NULL", x.Call, k)
					}
				}
			}
		}
	}
	if tried < 400 {
		t.Errorf("only %d calls were tried", tried)
	}
}

func TestCallsThatHaveNoForm(t *testing.T) {
	for call, want := range map[string]string{
		"lowr('a')":                               `no function "lowr"`,
		"fooquux('a')":                            `no function "fooquux"`,
		"substr('a'::VARCHAR, true)":              `substr(VARCHAR, BOOLEAN): no such form; forms: substr(VARCHAR, BIGINT [, BIGINT])`,
		"lower(1)":                                `lower(INTEGER): no such form; forms: lower(VARCHAR)`,
		"now()":                                   `now is refused: its value is the clock's, so a replay would give another result; use the time column of the record`,
		"gen_random_uuid()":                       `uuid is refused: its value is chance, so a replay would give another result`,
		"date_trunc('x', DATE '2020-01-01')":      `date_trunc: no unit "x"; units: microsecond, millisecond, second, minute, hour, day, week, month, quarter, year, decade, century, millennium`,
		"regexp_matches('a', '(')":                "regexp_matches: the pattern is no regular expression: error parsing regexp: missing closing ): `(`",
		"year('20x')":                             `year: "20x" is not a TIMESTAMP`,
		"sqrt(-1)":                                `sqrt(-1.0): a negative number has none`,
		"('a'::VARCHAR = 1)":                      `cannot compare VARCHAR with INTEGER: cast one of them`,
		"(2147483647 + 1)":                        `overflow: 2147483647 + 1 is out of range for INTEGER`,
		"(99.99::DECIMAL(4,2) * 1e0 + true)":      `DOUBLE + BOOLEAN: no such operation; cast one of them`,
		"(1::DECIMAL(38,20) * 1::DECIMAL(38,20))": `DECIMAL(38,20) * DECIMAL(38,20) needs 40 decimals, more than a DECIMAL has: cast one of them to fewer or to DOUBLE`,
		"coalesce(1, 'a'::VARCHAR)":               `the values of coalesce: VARCHAR and INTEGER have no type in common: cast one of them`,
		"'12x'::BIGINT":                           `"12x" is not a BIGINT`,
		"300::TINYINT":                            `300 is out of range for TINYINT`,
		"(1 AND true)":                            `AND needs BOOLEAN, not INTEGER`,
		"DATE '2020-01-01'::BIGINT":               `cannot cast DATE to BIGINT`,
	} {
		_, err := read(call)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\n want %s", call, err, want)
		}
	}
}
