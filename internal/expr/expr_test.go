package expr

import (
	"math/rand"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ubik/internal/vec"
)

func must(e Expr, err error) Expr {
	if err != nil {
		panic(err)
	}
	return e
}

func TestCanonicalTextShowsEveryCast(t *testing.T) {
	fields := []vec.Field{{Name: "amount", Type: vec.DecimalType(18, 2)}, {Name: "n", Type: intType}, {Name: "ts", Type: timestampType}, {Name: "s", Type: varcharType}, {Name: "ok", Type: boolType}}
	for text, want := range map[string]string{
		"(amount > 100)":            "(amount > 100.00::DECIMAL(18,2))",
		"(n + 1)":                   "(n + 1)",
		"(n + 3000000000)":          "(CAST(n AS BIGINT) + 3000000000::BIGINT)",
		"(n / 2)":                   "(CAST(n AS DOUBLE) / 2.0::DOUBLE)",
		"(amount * 1.5)":            "(amount * 1.5)",
		"(ts >= '2026-01-01')":      "(ts >= '2026-01-01 00:00:00'::TIMESTAMP)",
		"(s || 'it''s')":            "(s || 'it''s')",
		"((n = 1) AND ok)":          "((n = 1) AND ok)",
		"if(ok, n, 2.5)":            "CASE WHEN ok THEN CAST(n AS DECIMAL(11,1)) ELSE 2.5::DECIMAL(11,1) END",
		"coalesce(n, NULL)":         "coalesce(n, NULL::INTEGER)",
		"date_trunc('day', ts)":     "date_trunc('day', ts)",
		"(ts + INTERVAL '1 month')": "(ts + '1 month'::INTERVAL)",
		"-n":                        "(- n)",
		"(s LIKE 'a%')":             "(s LIKE 'a%')",
		"pow(n, (1 + 1))":           "(CAST(n AS DOUBLE) ^ 2.0::DOUBLE)",
		"year(ts)":                  "year(ts)",
		"date_part('year', ts)":     "year(ts)",
		"(n::BIGINT = 0.5)":         "(CAST(CAST(n AS BIGINT) AS DECIMAL(20,1)) = 0.5::DECIMAL(20,1))",
	} {
		if got := mustRead(t, text, fields...).String(); got != want {
			t.Errorf("%s is %s, want %s", text, got, want)
		}
	}
	n := &Column{1, "n", intType}
	for _, c := range []struct{ got, want string }{
		{must(NewIn(n, []Expr{NewInteger(1), NewInteger(3000000000), NewNull()}, true)).String(), "(CAST(n AS BIGINT) NOT IN (1::BIGINT, 3000000000::BIGINT, NULL::BIGINT))"},
		{must(NewBetween(n, NewInteger(1), NewInteger(2), true)).String(), "(NOT ((n >= 1) AND (n <= 2)))"},
		{must(NewIsNull(n, true)).String(), "(n IS NOT NULL)"},
		{must(NewIsBool(must(NewBinary("<", n, NewInteger(1))), true, true)).String(), "((n < 1) IS NOT TRUE)"},
		{must(NewIsDistinct(n, NewNull(), false)).String(), "(n IS DISTINCT FROM NULL::INTEGER)"},
		{must(NewLike(&Column{3, "s", varcharType}, NewString("a!%"), NewString("!"), true, true)).String(), "(s NOT ILIKE 'a!%' ESCAPE '!')"},
		{must(NewCast(n, varcharType, true)).String(), "TRY_CAST(n AS VARCHAR)"},
		{must(NewCase(n, []When{{NewInteger(1), NewString("x")}}, nil)).String(), "CASE WHEN (n = 1) THEN 'x' ELSE NULL::VARCHAR END"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestInFollowsThreeValuedLogic(t *testing.T) {
	one, two, null := NewInteger(1), NewInteger(2), NewNull()
	values := []Expr{one, two, NewInteger(7), null}
	b := vec.NewBatch(bigintType)
	b.Resize(4)
	b.Cols[0].I64[0], b.Cols[0].I64[1], b.Cols[0].I64[2] = 1, 2, 7
	b.Cols[0].SetNull(3)
	long := []Expr{}
	for i := int64(100); i < 120; i++ {
		long = append(long, NewInteger(i))
	}
	for _, list := range [][]Expr{{one}, {one, null}, {null}, {one, two}, append(long, one), append(long, null, two), {&Column{0, "c", bigintType}}} {
		for _, not := range []bool{false, true} {
			e := must(NewIn(&Column{0, "c", bigintType}, list, not))
			var errs Errors
			p := Compile(e)
			got := ""
			v := p.Eval(b, nil, &errs)
			rows := []int32{}
			for i := range values {
				got += " " + valueText(v, i)
				if !v.IsNull(i) && v.Bools[i] {
					rows = append(rows, int32(i))
				}
			}
			want := ""
			for _, x := range values {
				var terms []Expr
				for _, item := range list {
					if _, ok := item.(*Column); ok {
						item = x
					}
					terms = append(terms, must(NewBinary("=", x, item)))
				}
				r := must(NewOr(terms...))
				if not {
					r = must(NewNot(r))
				}
				want += " " + valueText(r.(*Literal).Value(), 0)
			}
			if got != want || !reflect.DeepEqual(rows, p.Filter(b, nil, nil, &errs)) {
				t.Errorf("%s gives%s, want%s; selects %v", e, got, want, rows)
			}
		}
	}
}

func TestLikeAgreesWithRegularExpressions(t *testing.T) {
	const seed = 9
	rnd := rand.New(rand.NewSource(seed))
	random := func(letters []string, n int) string {
		var s strings.Builder
		for k := rnd.Intn(n); k > 0; k-- {
			s.WriteString(letters[rnd.Intn(len(letters))])
		}
		return s.String()
	}
	for n := 0; n < 20000; n++ {
		text, pattern := random([]string{"a", "b", "é", "%", "_"}, 9), random([]string{"a", "b", "é", "%", "%", "_", "!%", "!_", "!!"}, 7)
		var re strings.Builder
		for i, rs := 0, []rune(pattern); i < len(rs); i++ {
			switch {
			case rs[i] == '!':
				i++
				re.WriteString(regexp.QuoteMeta(string(rs[i])))
			case rs[i] == '%':
				re.WriteString(".*")
			case rs[i] == '_':
				re.WriteString(".")
			default:
				re.WriteString(regexp.QuoteMeta(string(rs[i])))
			}
		}
		want := regexp.MustCompile(`(?s)\A` + re.String() + `\z`).MatchString(text)
		m := compileLike([]byte(pattern), '!')
		if got := m.match([]byte(text)); got != want {
			t.Fatalf("seed %d: %q LIKE %q ESCAPE '!' is %v, want %v", seed, text, pattern, got, want)
		}
	}
}

func TestRewriteRenumbersColumns(t *testing.T) {
	e := mustRead(t, "((a + b) > (a * 2))", abc...)
	r := Rewrite(e, func(e Expr) Expr {
		if c, ok := e.(*Column); ok {
			return &Column{c.Index + 5, "x." + c.Name, c.T}
		}
		return e
	})
	var reads []int
	Walk(r, func(e Expr) bool {
		if c, ok := e.(*Column); ok {
			reads = append(reads, c.Index)
		}
		return true
	})
	if !slices.Equal(reads, []int{5, 6, 5}) || r.String() != "((x.a + x.b) > (x.a * 2::BIGINT))" {
		t.Errorf("%s reads %v", r, reads)
	}
	if Equal(e, r) || !Equal(e, mustRead(t, "((a + b) > (a * 2))", abc...)) || Equal(e, mustRead(t, "((a + b) > (a * 3))", abc...)) {
		t.Error("Equal does not tell trees apart by columns and literals")
	}
	if same := Rewrite(e, func(e Expr) Expr { return e }); same != e {
		t.Error("Rewrite copies a tree that it does not change")
	}
}

func TestEmptySelectionIsNeverNil(t *testing.T) {
	b := intBatch([]int64{1, 2})
	var errs Errors
	for _, text := range []string{"(a > 5)", "((a > 5) AND (a < 9))", "((a > 5) OR (a < -9))", "(a::VARCHAR = 'x')"} {
		if got := Compile(mustRead(t, text, abc...)).Filter(b, nil, nil, &errs); got == nil || len(got) > 0 {
			t.Errorf("%s selects %#v, want an empty selection", text, got)
		}
	}
}
