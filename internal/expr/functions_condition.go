package expr

import (
	"bytes"
	"cmp"
	"fmt"

	"ubik/internal/vec"
)

// compareRow orders row i of u and row j of v, of one type, neither NULL.
func compareRow(u *vec.Vector, i int32, v *vec.Vector, j int32) int {
	switch u.Type.Phys() {
	case vec.PhysBool:
		return mark(u.Bools[i]) - mark(v.Bools[j])
	case vec.PhysI64:
		return cmp.Compare(u.I64[i], v.I64[j])
	case vec.PhysI128:
		return u.I128[i].Cmp(v.I128[j])
	case vec.PhysF64:
		x, y := u.F64[i], v.F64[j]
		return mark(lessWord(y, x)) - mark(lessWord(x, y))
	case vec.PhysBytes:
		return bytes.Compare(u.Bytes(int(i)), v.Bytes(int(j)))
	case vec.PhysIval:
		return compareIntervals(u.Ivals[i], v.Ivals[j])
	}
	panic("expr: no order for " + u.Type.String())
}

// extreme fills Out with the greatest (sign 1) or least (sign −1) argument that is not NULL, the first of equals.
func extreme(sign int) func(c *Call) {
	return func(c *Call) {
		text := c.Out.Type.Phys() == vec.PhysBytes
		for _, i := range c.Rows {
			var best *vec.Vector
			for _, a := range c.Args {
				if !a.IsNull(int(i)) && (best == nil || sign*compareRow(a, i, best, i) > 0) {
					best = a
				}
			}
			switch {
			case best == nil:
				c.Out.SetNull(int(i))
			case text:
				c.Out.AppendBytes(int(i), best.Bytes(int(i)))
			default:
				copyRow(c.Out, int(i), best, int(i))
			}
		}
	}
}

func buildExtreme(name string, sign int) func(args []Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		if len(args) == 0 {
			return nil, noForm(name, []string{name + "(ANY, …)"}, args)
		}
		t, err := unify(args)
		if err == nil && t.IsJSON() {
			err = fmt.Errorf("%s is not compared: %s", t, jsonHint(t))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if args, err = coerceAll(args, t); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return newCallOp(name, args, t, &Overload{Kernel: extreme(sign), Nulls: true})
	}
}

// counted checks the number of arguments of a function that another constructor builds.
func counted(form string, least, most int, build func(args []Expr) (Expr, error)) func(args []Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		if len(args) < least || len(args) > most {
			name, _, _ := bytes.Cut([]byte(form), []byte("("))
			return nil, noForm(string(name), []string{form}, args)
		}
		return build(args)
	}
}

func conditionFunctions() []Function {
	return []Function{
		{
			Name: "coalesce", Doc: "The first argument that is not NULL.", Forms: []string{"coalesce(ANY, …)"},
			build: func(args []Expr) (Expr, error) { return NewCoalesce(args...) },
			Examples: []Example{{"coalesce(NULL, 1, 2)", "1", ""}, {"coalesce(NULL, 1, 2.5)", "1.0", ""}, {"coalesce(NULL, '')", "", ""}, {"coalesce('é', 'x')", "é", ""}, {"coalesce(-1, 2)", "-1", ""},
				{"coalesce(NULL, NULL)", "NULL", ""}},
		},
		{
			Name: "ifnull", Doc: "The first argument, or the second where that is NULL.", Forms: []string{"ifnull(ANY, ANY)"},
			build:    counted("ifnull(ANY, ANY)", 2, 2, func(args []Expr) (Expr, error) { return NewCoalesce(args...) }),
			Examples: []Example{{"ifnull(NULL, 1)", "1", ""}, {"ifnull('é', 'x')", "é", ""}, {"ifnull('', 'x')", "", ""}, {"ifnull(-1.5, 0)", "-1.5", ""}, {"ifnull(NULL, NULL)", "NULL", ""}},
		},
		{
			Name: "nullif", Doc: "NULL where both are equal, else the first.", Forms: []string{"nullif(ANY, ANY)"},
			build:    counted("nullif(ANY, ANY)", 2, 2, func(args []Expr) (Expr, error) { return NewNullIf(args[0], args[1]) }),
			Examples: []Example{{"nullif(1, 1)", "NULL", ""}, {"nullif(-1, 2)", "-1", ""}, {"nullif('é', 'x')", "é", ""}, {"nullif('', '')", "NULL", ""}, {"nullif(1, NULL)", "1", ""}, {"nullif(NULL, 1)", "NULL", ""}},
		},
		{
			Name: "if", Doc: "The second argument where the first is TRUE, else the third.", Forms: []string{"if(BOOLEAN, ANY, ANY)"},
			build: counted("if(BOOLEAN, ANY, ANY)", 3, 3, func(args []Expr) (Expr, error) {
				return NewCase(nil, []When{{Cond: args[0], Then: args[1]}}, args[2])
			}),
			Examples: []Example{{"if(true, 1, 2)", "1", ""}, {"if(false, 1, -2.5)", "-2.5", ""}, {"if(NULL, 'a', 'é')", "é", ""}, {"if(true, '', 'x')", "", ""}, {"if(true, NULL, 1)", "NULL", ""}},
		},
		{
			Name: "greatest", Doc: "The greatest argument; NULLs are left out.", Forms: []string{"greatest(ANY, …)"},
			build: buildExtreme("greatest", 1),
			Examples: []Example{{"greatest(1, 3, 2)", "3", ""}, {"greatest(1, 2.5)", "2.5", ""}, {"greatest('a', 'é', '')", "é", ""}, {"greatest(-1, NULL, -2)", "-1", ""}, {"greatest('nan'::DOUBLE, 1)", "nan", ""},
				{"greatest(DATE '2020-01-01', DATE '2021-01-01')", "2021-01-01", ""}, {"greatest(NULL, NULL)", "NULL", ""}},
		},
		{
			Name: "least", Doc: "The least argument; NULLs are left out.", Forms: []string{"least(ANY, …)"},
			build:    buildExtreme("least", -1),
			Examples: []Example{{"least(1, 3, 2)", "1", ""}, {"least(1, 2.5)", "1.0", ""}, {"least('a', 'é', '')", "", ""}, {"least(-1, NULL, -2)", "-2", ""}, {"least('nan'::DOUBLE, 1)", "1.0", ""}, {"least(NULL, NULL)", "NULL", ""}},
		},
	}
}

// refusedFunctions are known and not offered: their value is not a function of the log and the query.
func refusedFunctions() []Function {
	const clock = "its value is the clock's, so a replay would give another result; use the time column of the record"
	const chance = "its value is chance, so a replay would give another result"
	const host = "its value is the host's, so another machine would give another result"
	refuse := func(name, reason string, aliases ...string) Function {
		return Function{Name: name, Aliases: aliases, Doc: "Refused: " + reason + ".", Refused: reason}
	}
	return []Function{
		refuse("now", clock, "current_timestamp", "get_current_timestamp", "transaction_timestamp", "localtimestamp", "current_localtimestamp"),
		refuse("today", clock, "current_date"),
		refuse("current_time", clock, "get_current_time", "localtime", "current_localtime"),
		refuse("age", clock),
		refuse("random", chance, "setseed"),
		refuse("uuid", chance, "gen_random_uuid", "uuidv4", "uuidv7"),
		refuse("getenv", host, "current_setting", "current_user", "version"),
		refuse("hash", "its value differs from release to release of DuckDB; use md5 or sha256"),
		refuse("nextval", "its value depends on the order of evaluation", "currval"),
	}
}
