package naive

import (
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"ubik/internal/sql"
)

var (
	varchar   = named("VARCHAR")
	bigint    = named("BIGINT")
	double    = named("DOUBLE")
	timestamp = named("TIMESTAMP")
)

// function is a strict function of fixed types.
type function struct {
	args   []Type
	result Type
	f      func(v []any) (any, error)
}

func str(f func(s string) any) function {
	return function{[]Type{varchar}, varchar, func(v []any) (any, error) { return f(v[0].(string)), nil }}
}

func num(n int) any { return big.NewInt(int64(n)) }

var functions = map[string]function{
	"lower": str(func(s string) any { return strings.ToLower(s) }),
	"upper": str(func(s string) any { return strings.ReplaceAll(strings.ToUpper(s), "ß", "ẞ") }),
	"trim":  str(func(s string) any { return strings.Trim(s, " ") }),
	"ltrim": str(func(s string) any { return strings.TrimLeft(s, " ") }),
	"rtrim": str(func(s string) any { return strings.TrimRight(s, " ") }),
	"reverse": str(func(s string) any {
		r := []rune(s)
		for i, j := 0, len(r)-1; i < j; i, j = i+1, j-1 {
			r[i], r[j] = r[j], r[i]
		}
		return string(r)
	}),
	"length": {[]Type{varchar}, bigint, func(v []any) (any, error) { return num(utf8.RuneCountInString(v[0].(string))), nil }},
	"strlen": {[]Type{varchar}, bigint, func(v []any) (any, error) { return num(len(v[0].(string))), nil }},
	"replace": {[]Type{varchar, varchar, varchar}, varchar, func(v []any) (any, error) {
		if v[1].(string) == "" {
			return v[0], nil
		}
		return strings.ReplaceAll(v[0].(string), v[1].(string), v[2].(string)), nil
	}},
	"contains":    {[]Type{varchar, varchar}, named("BOOLEAN"), func(v []any) (any, error) { return strings.Contains(v[0].(string), v[1].(string)), nil }},
	"starts_with": {[]Type{varchar, varchar}, named("BOOLEAN"), func(v []any) (any, error) { return strings.HasPrefix(v[0].(string), v[1].(string)), nil }},
	"ends_with":   {[]Type{varchar, varchar}, named("BOOLEAN"), func(v []any) (any, error) { return strings.HasSuffix(v[0].(string), v[1].(string)), nil }},
	"position": {[]Type{varchar, varchar}, bigint, func(v []any) (any, error) {
		at := strings.Index(v[0].(string), v[1].(string))
		if at < 0 {
			return num(0), nil
		}
		return num(utf8.RuneCountInString(v[0].(string)[:at]) + 1), nil
	}},
	"sqrt":     {[]Type{double}, double, func(v []any) (any, error) { return math.Sqrt(v[0].(float64)), nil }},
	"power":    {[]Type{double, double}, double, func(v []any) (any, error) { return math.Pow(v[0].(float64), v[1].(float64)), nil }},
	"epoch_ms": {[]Type{timestamp}, bigint, func(v []any) (any, error) { return big.NewInt(v[0].(int64) / 1000), nil }},
	"epoch_us": {[]Type{timestamp}, bigint, func(v []any) (any, error) { return big.NewInt(v[0].(int64)), nil }},
	"to_seconds": {[]Type{double}, named("INTERVAL"), func(v []any) (any, error) {
		return interval{0, 0, int64(math.RoundToEven(v[0].(float64) * float64(second)))}, nil
	}},
	"epoch": {[]Type{timestamp}, double, func(v []any) (any, error) { return toDouble(big.NewRat(v[0].(int64), second)), nil }},
}

var aliases = map[string]string{
	"lcase": "lower", "ucase": "upper", "len": "length", "char_length": "length", "substring": "substr", "prefix": "starts_with",
	"suffix": "ends_with", "instr": "position", "strpos": "position", "pow": "power", "ceiling": "ceil", "datepart": "date_part",
	"datetrunc": "date_trunc", "json_extract_path": "json_extract", "json_extract_path_text": "json_extract_string",
}

func (c *compiler) call(e *sql.Call) (*node, error) {
	name := sql.FoldName(e.Name.Name)
	if a, ok := aliases[name]; ok {
		name = a
	}
	if e.Star || e.Distinct || e.Filter != nil || len(e.OrderBy) > 0 {
		return nil, unsupported("%s", sql.Format(e))
	}
	xs, err := c.all(e.Args...)
	if err != nil {
		return nil, err
	}
	if len(xs) == 1 && name == "epoch_ms" && xs[0].typ.isInt() { // the other way
		return strict(timestamp, func(v []any) (any, error) { return instantOf(new(big.Rat).SetInt(v[0].(*big.Int)), 1000) }, xs[0]), nil
	}
	if f, ok := functions[name]; ok && len(f.args) == len(xs) {
		for i := range xs {
			xs[i] = to(xs[i], f.args[i])
		}
		return strict(f.result, f.f, xs...), nil
	}
	switch {
	case name == "coalesce" && len(xs) > 0, name == "ifnull" && len(xs) == 2:
		return coalesce(xs)
	case (name == "greatest" || name == "least") && len(xs) > 0:
		return extreme(name, xs)
	case name == "nullif" && len(xs) == 2:
		eq, err := comparison(sql.OpEq, xs[0], xs[1])
		if err != nil {
			return nil, err
		}
		return choose([]*node{eq}, []*node{constant(xs[0].typ, nil), xs[0]})
	case name == "concat":
		return concat(xs), nil
	case name == "substr" && (len(xs) == 2 || len(xs) == 3):
		xs[0] = to(xs[0], varchar)
		return strict(varchar, substr, xs...), nil
	case (name == "left" || name == "right") && len(xs) == 2:
		return strict(varchar, func(v []any) (any, error) { return side(name, v[0].(string), int(v[1].(*big.Int).Int64())), nil }, xs...), nil
	case name == "to_timestamp" && len(xs) == 1 && xs[0].typ.isNumeric():
		return strict(named("TIMESTAMP WITH TIME ZONE"), func(v []any) (any, error) {
			x := v[0].(float64)
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fault("the timestamp is out of range")
			}
			return instantOf(new(big.Rat).SetFloat64(x), second)
		}, to(xs[0], double)), nil
	case name == "date_trunc" && len(xs) == 2:
		return dateTrunc(xs)
	case name == "date_add" && len(xs) == 2:
		return arithmetic(sql.OpAdd, xs[0], xs[1])
	case name == "timezone" && len(xs) == 2 && xs[0].lit == "UTC":
		if xs[1].typ.Name == "TIMESTAMP WITH TIME ZONE" {
			return to(xs[1], timestamp), nil
		}
		return to(xs[1], named("TIMESTAMP WITH TIME ZONE")), nil
	case name == "date_part" && len(xs) == 2:
		return datePart(xs)
	case name == "json_extract" || name == "json_extract_string":
		return extract(name == "json_extract_string", xs)
	case len(xs) == 1:
		if _, ok := part(name, 0); ok {
			return datePart([]*node{constant(varchar, name), xs[0]})
		}
	}
	return rounding(name, xs)
}

func coalesce(xs []*node) (*node, error) {
	t, err := common(xs...)
	if err != nil {
		return nil, err
	}
	return &node{typ: t, eval: func(r *row) (any, error) {
		for _, x := range xs {
			if v, err := to(x, t).eval(r); v != nil || err != nil {
				return v, err
			}
		}
		return nil, nil
	}}, nil
}

// extreme is the greatest or least of the values that are not NULL.
func extreme(name string, xs []*node) (*node, error) {
	t, err := common(xs...)
	if err != nil {
		return nil, err
	}
	for i := range xs {
		xs[i] = to(xs[i], t)
	}
	return apply(t, func(v []any) (any, error) {
		var best any
		for _, x := range v {
			if x == nil {
				continue
			}
			if best == nil || name == "greatest" && compare(x, best, t) > 0 || name == "least" && compare(x, best, t) < 0 {
				best = x
			}
		}
		return best, nil
	}, xs...), nil
}

// concat leaves NULLs out.
func concat(xs []*node) *node {
	for i := range xs {
		xs[i] = to(xs[i], varchar)
	}
	return apply(varchar, func(v []any) (any, error) {
		s := ""
		for _, x := range v {
			if x != nil {
				s += x.(string)
			}
		}
		return s, nil
	}, xs...)
}

// substr counts characters from 1, from the end when negative; a negative length goes to the left.
func substr(v []any) (any, error) {
	s := []rune(v[0].(string))
	n := int64(len(s))
	from := v[1].(*big.Int).Int64()
	switch {
	case from > 0:
		from--
	case from < 0:
		from += n
	default:
		from = -1
	}
	to := n
	if len(v) == 3 {
		to = from + v[2].(*big.Int).Int64()
	}
	if to < from {
		from, to = to, from
	}
	from, to = min(max(from, 0), n), min(max(to, 0), n)
	return string(s[from:to]), nil
}

func side(name, s string, n int) string {
	r := []rune(s)
	if n < 0 {
		n = max(len(r)+n, 0)
	}
	n = min(n, len(r))
	if name == "left" {
		return string(r[:n])
	}
	return string(r[len(r)-n:])
}

// instantOf is x of a unit since 1970 as an instant; unit is in units to the second, or µs to the unit.
func instantOf(x *big.Rat, micros int64) (any, error) {
	us := round(new(big.Rat).Mul(x, big.NewRat(micros, 1)))
	if !us.IsInt64() || !inRange(us.Int64()) {
		return nil, fault("the timestamp is out of range")
	}
	return us.Int64(), nil
}

func dateTrunc(xs []*node) (*node, error) {
	name, ok := xs[0].lit.(string)
	if _, known := truncate(strings.ToLower(name), 0); !ok || !known {
		return nil, unsupported("date_trunc of %v", xs[0].lit)
	}
	t := xs[1].typ
	if !t.isInstant() {
		t = timestamp
	}
	return strict(t, func(v []any) (any, error) {
		us, _ := truncate(strings.ToLower(name), v[0].(int64))
		if !inRange(us) {
			return nil, fault("the timestamp is out of range")
		}
		return us, nil
	}, to(xs[1], t)), nil
}

func datePart(xs []*node) (*node, error) {
	name, ok := xs[0].lit.(string)
	name = strings.ToLower(name)
	if name == "epoch" {
		f := functions["epoch"]
		return strict(f.result, f.f, to(xs[1], timestamp)), nil
	}
	if _, known := part(name, 0); !ok || !known {
		return nil, unsupported("date_part of %v", xs[0].lit)
	}
	return strict(bigint, func(v []any) (any, error) {
		n, _ := part(name, v[0].(int64))
		return big.NewInt(n), nil
	}, to(xs[1], timestamp)), nil
}
