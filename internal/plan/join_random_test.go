package plan

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// spelling writes conditions on how far apart two times are, at random.
type spelling struct {
	*rand.Rand
	l, r string
}

// interval writes a distance in µs.
func (s *spelling) interval(us int64) string {
	switch {
	case us%1e6 == 0 && s.Intn(3) == 0:
		return fmt.Sprintf("INTERVAL (%d) SECOND", us/1e6)
	case us < 0 && s.Intn(2) == 0:
		return fmt.Sprintf("(-INTERVAL %d MICROSECOND)", -us)
	case s.Intn(3) == 0:
		days := s.Int63n(5) - 2
		return fmt.Sprintf("INTERVAL '%d days %d us'", days, us-days*int64(vec.Day))
	case s.Intn(3) == 0:
		x := s.Int63n(1e9)
		return fmt.Sprintf("(INTERVAL %d MICROSECOND + INTERVAL %d MICROSECOND)", x, us-x)
	}
	return fmt.Sprintf("INTERVAL '%d microseconds'", us)
}

// bound writes right − left ≥ us, or ≤ us.
func (s *spelling) bound(low bool, us int64) string {
	cmp := map[bool]string{true: ">=", false: "<="}[low]
	if s.Intn(2) == 0 { // strictly, from one further out
		cmp = cmp[:1]
		us += map[bool]int64{true: -1, false: 1}[low]
	}
	x := s.Int63n(4e9) - 2e9
	var left, right string
	switch s.Intn(5) {
	case 0:
		left, right = s.r, s.l+" + "+s.interval(us)
	case 1:
		left, right = s.r+" - "+s.interval(us), s.l
	case 2:
		left, right = s.r+" + "+s.interval(x), s.interval(us+x)+" + "+s.l
	case 3:
		left, right = s.r+" - "+s.l, s.interval(us)
	case 4:
		left, right = s.interval(x)+" - ("+s.l+" - "+s.r+")", s.interval(us+x)
	}
	if s.Intn(2) == 0 {
		left, right, cmp = right, left, map[string]string{">=": "<=", "<=": ">=", ">": "<", "<": ">"}[cmp]
	}
	if s.Intn(4) == 0 {
		return "NOT " + left + map[string]string{">=": " < ", "<=": " > ", ">": " <= ", "<": " >= "}[cmp] + right
	}
	return left + " " + cmp + " " + right
}

func (s *spelling) band(lo, hi int64) string {
	x := s.Int63n(4e9) - 2e9
	var terms []string
	switch s.Intn(6) {
	case 0:
		terms = append(terms, fmt.Sprintf("%s BETWEEN %s + %s AND %s + %s", s.r, s.l, s.interval(lo), s.l, s.interval(hi)))
	case 1:
		terms = append(terms, fmt.Sprintf("%s BETWEEN %s - %s AND %s - %s", s.l, s.r, s.interval(hi), s.r, s.interval(lo)))
	case 2:
		terms = append(terms, fmt.Sprintf("%s - %s BETWEEN %s AND %s", s.r, s.l, s.interval(lo), s.interval(hi)))
	case 3:
		terms = append(terms, fmt.Sprintf("%s + %s BETWEEN %s - %s AND %s - %s", s.l, s.interval(x), s.r, s.interval(hi-x), s.r, s.interval(lo-x)))
	case 4:
		return fmt.Sprintf("NOT (NOT (%s) OR NOT (%s))", s.bound(true, lo), s.bound(false, hi))
	default:
		terms = append(terms, s.bound(true, lo), s.bound(false, hi))
	}
	for s.Intn(3) == 0 { // limits that say less
		terms = append(terms, s.bound(true, lo-s.Int63n(1e9)))
	}
	s.Shuffle(len(terms), func(i, k int) { terms[i], terms[k] = terms[k], terms[i] })
	return strings.Join(terms, " AND ")
}

// truth evaluates a condition on a.t and s.t for pairs of times: as a query over one source that has both as fields.
func truth(t *testing.T, cond, left, right string, times [][2]int64) []bool {
	t.Helper()
	fields, err := Schema(fmt.Sprintf("a STRUCT(t %s), s STRUCT(t %s)", left, right))
	if err != nil {
		t.Fatal(err)
	}
	p := build(t, Request{Query: "SELECT (" + cond + ") AS x FROM pairs", Sources: []Source{{Name: "pairs", Schema: fields, Delay: -1}}})
	b := &vec.Batch{N: len(times)}
	for _, c := range p.Sources[0].Columns {
		v := vec.NewVector(c.Type)
		v.Resize(len(times))
		for i, pair := range times {
			v.I64[i] = pair[map[string]int{"a": 0, "s": 1}[c.Path[0]]]
			if c.Type.Kind == vec.Date {
				v.I64[i] /= int64(vec.Day)
			}
		}
		b.Cols = append(b.Cols, v)
	}
	var errs expr.Errors
	v := expr.Compile(p.Inputs[0].Exprs[0]).Eval(b, nil, &errs)
	if len(errs.Faults) > 0 {
		t.Fatalf("%s: %s", cond, errs.Faults[0].Msg)
	}
	out := make([]bool, len(times))
	for i := range out {
		out[i] = !v.IsNull(i) && v.Bools[i]
	}
	return out
}

func TestABandHoldsWhereItsConditionDoes(t *testing.T) {
	types := []string{"TIMESTAMP", "TIMESTAMP", "TIMESTAMPTZ", "DATE"}
	for seed := range int64(2000) {
		s := &spelling{Rand: rand.New(rand.NewSource(seed)), l: "a.t", r: "s.t"}
		left, right := types[s.Intn(4)], types[s.Intn(4)]
		if left == "DATE" && right == "DATE" {
			left = "TIMESTAMP" // the difference of two dates is a number, not an INTERVAL
		}
		lo := s.Int63n(4e9) - 2e9
		if s.Intn(2) == 0 {
			lo = (s.Int63n(20) - 10) * int64(vec.Day)
		}
		hi := lo + s.Int63n(3)*s.Int63n(3e11)
		cond := s.band(lo, hi)
		request := Request{Query: "SELECT a.k FROM a JOIN s ON a.k = s.k AND " + cond, Sources: make([]Source, 2)}
		for i, typ := range []string{left, right} {
			fields, err := Schema("k INTEGER, t " + typ)
			if err != nil {
				t.Fatal(err)
			}
			request.Sources[i] = Source{Name: []string{"a", "s"}[i], Schema: fields, Delay: -1}
		}
		n := build(t, request).Stages[0].Node.(*op.BandJoin)
		if int64(n.Lo) != lo || int64(n.Hi) != hi || n.Residual != nil {
			t.Fatalf("seed %d: %s\nis the band %d..%d with %v, want %d..%d", seed, cond, n.Lo, n.Hi, n.Residual, lo, hi)
		}
		var times [][2]int64
		day := func(typ string, us int64) int64 {
			if typ == "DATE" {
				us -= us % int64(vec.Day)
			}
			return us
		}
		for range 20 {
			l := day(left, s.Int63n(1e15)+1e15)
			for _, d := range []int64{lo - 1, lo, lo + 1, hi - 1, hi, hi + 1, lo - int64(vec.Day), hi + int64(vec.Day), lo + s.Int63n(hi-lo+1)} {
				times = append(times, [2]int64{l, day(right, l+d)})
			}
		}
		for i, ok := range truth(t, cond, left, right, times) {
			d := times[i][1] - times[i][0]
			if ok != (int64(n.Lo) <= d && d <= int64(n.Hi)) {
				t.Fatalf("seed %d: %s\nis %v for %s %d and %s %d, %d apart, but the band is %d..%d", seed, cond, ok, left, times[i][0], right, times[i][1], d, n.Lo, n.Hi)
			}
		}
	}
}
