package plan

import (
	"math/big"

	"ubik/internal/expr"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// bandYears is the longest distance that a band may reach, as that of a window; bandMost are its days.
const (
	bandYears = 1000
	bandMost  = 365243
)

// limit is a comparison that bounds how far apart two times are: right − left ≥ low, ≤ high.
type limit struct {
	cond      sql.Expr
	pair      int      // which times; −1: the comparison is no limit
	low, high *big.Int // µs, inclusive; nil: none on that side
	varies    sql.Expr // of a limit of no fixed length, which is a condition like others: what it depends on; nil: months
	months    int64    // of the sum
	idle      bool     // no row comes to it
}

func (l *limit) fixed() bool { return l.low != nil || l.high != nil }

// timePair is a time of the left and one of the right side.
type timePair struct {
	x  [2]expr.Expr
	at [2]sql.Expr
}

// bandSearch finds the band among the conditions of a join.
type bandSearch struct {
	j      *join
	limits []limit
	pairs  []timePair
}

// add looks at a condition.
func (s *bandSearch) add(b *binder, cond sql.Expr) error {
	halves := []sql.Expr{cond}
	if e, ok := cond.(*sql.Between); ok && !e.Not {
		halves = []sql.Expr{
			&sql.Binary{Span: e.Span, Op: sql.OpGe, L: e.X, R: e.Low},
			&sql.Binary{Span: e.Span, Op: sql.OpLe, L: e.X, R: e.High},
		}
	}
	var found []limit
	isLimit := false
	for _, h := range halves {
		l, err := s.limit(b, h)
		if err != nil {
			return err
		}
		l.idle = s.j.b.p.idle[cond]
		found = append(found, l)
		isLimit = isLimit || l.pair >= 0
	}
	if !isLimit {
		found = []limit{{cond: cond, pair: -1, idle: s.j.b.p.idle[cond]}}
	}
	s.limits = append(s.limits, found...)
	return nil
}

// limit reads a comparison of a time of each side.
func (s *bandSearch) limit(b *binder, cond sql.Expr) (limit, error) {
	none := limit{cond: cond, pair: -1}
	from := map[expr.Expr]sql.Expr{}
	b.from = from
	x, err := b.bind(cond)
	b.from = nil
	if err != nil {
		return none, err
	}
	cmp, ok := x.(*expr.Op)
	if !ok {
		return none, nil
	}
	op := cmp.Name()
	if mirrored[op] == "" {
		return none, nil
	}
	l, r := formOf(cmp.Args()[0]), formOf(cmp.Args()[1])
	if l == nil || r == nil {
		return none, nil
	}
	f := l.plus(-1, r)
	var times [2]*term
	var others []term
	for i := range f.terms {
		t := &f.terms[i]
		side := s.j.sidesOf(t.x)
		switch {
		case !t.time || t.n == 0:
			others = append(others, *t)
			continue
		case side != leftSide && side != rightSide, times[side-1] != nil:
			return none, nil
		}
		times[side-1] = t
	}
	if times[0] == nil || times[1] == nil || times[0].n != -times[1].n || times[0].n*times[1].n != -1 {
		return none, nil
	}
	if times[1].n < 0 {
		f, op = (&form{micros: new(big.Int)}).plus(-1, f), mirrored[op]
	}
	// Now right − left + constant op 0.
	lim := limit{cond: cond, months: f.months}
	lim.pair = s.pair(times, [2]sql.Expr{textOf(times[0].x, from, cond), textOf(times[1].x, from, cond)})
	if others != nil {
		lim.varies = textOf(others[0].x, from, cond)
	}
	if others != nil || f.calendar {
		return lim, nil
	}
	at := func(strict string, step int64) *big.Int {
		v := new(big.Int).Neg(f.micros)
		if op == strict {
			v.Add(v, big.NewInt(step))
		}
		return v
	}
	if op != "<=" && op != "<" {
		lim.low = at(">", 1)
	}
	if op != ">=" && op != ">" {
		lim.high = at("<", -1)
	}
	return lim, nil
}

// textOf is where in the text an expression comes from: a part of cond. A cast that is not written comes from its operand.
func textOf(x expr.Expr, from map[expr.Expr]sql.Expr, cond sql.Expr) sql.Expr {
	for {
		if e := from[x]; e != nil {
			return e
		}
		if len(x.Args()) != 1 {
			return cond
		}
		x = x.Args()[0]
	}
}

// mirrored is a comparison with its sides exchanged.
var mirrored = map[string]string{"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}

func (s *bandSearch) pair(t [2]*term, at [2]sql.Expr) int {
	for i, p := range s.pairs {
		if expr.Equal(p.x[0], t[0].x) && expr.Equal(p.x[1], t[1].x) {
			return i
		}
	}
	s.pairs = append(s.pairs, timePair{x: [2]expr.Expr{t[0].x, t[1].x}, at: at})
	return len(s.pairs) - 1
}

// bounds combines the fixed limits of a pair. isRange tells that one of them is no equality.
func (s *bandSearch) bounds(pair int) (low, high *big.Int, isRange bool) {
	for _, l := range s.limits {
		if l.pair != pair || !l.fixed() {
			continue
		}
		if l.low != nil && (low == nil || l.low.Cmp(low) > 0) {
			low = l.low
		}
		if l.high != nil && (high == nil || l.high.Cmp(high) < 0) {
			high = l.high
		}
		isRange = isRange || l.low == nil || l.high == nil
	}
	return low, high, isRange
}

// choose returns the pair that is the band. Of several with both bounds it is the first that is not a mere equality, which
// serves as a key as well, of times by which the rows of both sides come.
func (s *bandSearch) choose() (int, error) {
	var refused error
	var equal []int
	for i := range s.pairs {
		low, high, isRange := s.bounds(i)
		if low == nil || high == nil {
			continue
		}
		if err := s.usable(i); err != nil {
			if refused == nil {
				refused = err
			}
			continue
		}
		if isRange {
			return i, nil
		}
		equal = append(equal, i)
	}
	switch {
	case len(equal) == 1:
		return equal[0], nil
	case len(equal) > 1:
		a, b := s.first(equal[0]), s.first(equal[1])
		p := s.pairs[equal[0]]
		return 0, sql.Errorf(b, "two equalities of times could be the band: %s and %s", sql.Format(a), sql.Format(b)).
			WithHint("write the one that is as a range, such as %s BETWEEN %s AND %s", sql.Format(p.at[1]), sql.Format(p.at[0]), sql.Format(p.at[0]))
	case refused != nil:
		return 0, refused
	}
	return 0, s.missing()
}

// usable checks that the times of a pair are those by which the rows of the sides come.
func (s *bandSearch) usable(pair int) error {
	for side, x := range s.pairs[pair].x {
		t, err := asTimestamp(x)
		if err != nil {
			return sql.Errorf(s.pairs[pair].at[side], "%s", err)
		}
		if err := s.j.b.comesBy(s.j.sides[side], s.j.own(side, t), s.pairs[pair].at[side], "band"); err != nil {
			return err
		}
	}
	return nil
}

// take makes a pair the band of the join and returns the conditions that are no part of it.
func (s *bandSearch) take(band int) (rest []limit, err error) {
	low, high, _ := s.bounds(band)
	p := s.pairs[band]
	if low.Cmp(high) > 0 {
		return nil, sql.Errorf(s.first(band), "this band is empty: %s − %s would have to be at least %s and at most %s",
			sql.Format(p.at[1]), sql.Format(p.at[0]), distance(low), distance(high)).WithHint("exchange the bounds, or their signs")
	}
	most := new(big.Int).Mul(big.NewInt(bandMost), big.NewInt(int64(vec.Day)))
	for _, v := range []*big.Int{low, high} {
		if v.CmpAbs(most) > 0 {
			return nil, sql.Errorf(s.first(band), "a bound of this band is longer than %d years", bandYears).WithHint("give a shorter one")
		}
	}
	for _, l := range s.limits {
		if l.pair != band || !l.fixed() {
			rest = append(rest, l)
		}
	}
	j := s.j
	for i := range j.time {
		if j.time[i], err = asTimestamp(p.x[i]); err != nil {
			return nil, sql.Errorf(p.at[i], "%s", err)
		}
	}
	j.timeAt, j.lo, j.hi = p.at, vec.Time(low.Int64()), vec.Time(high.Int64())
	return rest, nil
}

// asTimestamp brings a time to the type that operators compare.
func asTimestamp(x expr.Expr) (expr.Expr, error) {
	if x.Type().Kind == vec.Timestamp {
		return x, nil
	}
	return expr.NewCast(x, vec.TypeOf(vec.Timestamp), false)
}

// first is the first limit of a pair, where a message points.
func (s *bandSearch) first(pair int) sql.Expr {
	for _, l := range s.limits {
		if l.pair == pair {
			return l.cond
		}
	}
	panic("plan: a pair of times without a limit")
}

// distance writes µs as an INTERVAL.
func distance(us *big.Int) string {
	if !us.IsInt64() {
		return us.String() + " µs"
	}
	return sql.Format(&sql.IntervalLit{Micros: us.Int64()})
}
