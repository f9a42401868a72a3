package plan

import (
	"fmt"
	"math/big"

	"ubik/internal/sql"
)

// missing is the error of a join without a band, with what to write.
func (s *bandSearch) missing() error {
	j := s.j
	for _, l := range s.limits {
		if l.pair < 0 || l.fixed() {
			continue
		}
		p := s.pairs[l.pair]
		low, high, _ := s.bounds(l.pair)
		if l.varies == nil {
			return monthsRefused(l.cond, l.months)
		}
		return sql.Errorf(l.cond, "a bound of the band must be a constant INTERVAL, but %s varies by row", sql.Format(l.varies)).
			WithHint("add the most that it can be, beside this condition: AND %s", bandText([2]string{sql.Format(p.at[0]), sql.Format(p.at[1])}, low, high))
	}
	if len(s.pairs) > 0 {
		p := s.pairs[0]
		low, high, _ := s.bounds(0)
		side, word := 0, "upper"
		if low == nil {
			side, word = 1, "lower"
		}
		return sql.Errorf(s.first(0), "the band has no %s bound, so rows of %s would be kept forever", word, j.sides[side].text()).
			WithHint("add: AND %s", bandText([2]string{sql.Format(p.at[0]), sql.Format(p.at[1])}, low, high))
	}
	return sql.Errorf(j.at, "the join of %s and %s has no bound on how far apart their times are, so rows would be kept forever", j.sides[0].text(), j.sides[1].text()).
		WithHint("%s", j.bandAdvice())
}

// monthsRefused is the error of a bound of so many months more or less.
func monthsRefused(cond sql.Expr, months int64) error {
	e := sql.Errorf(cond, "a bound of the band is in months, which have no fixed length")
	if months < 0 {
		months = -months
	}
	days := daysMost(months)
	switch {
	case months == 0:
		return e.WithHint("leave them away: a month more and a month less is not always the same day")
	case months > bandYears*12:
		return e.WithHint("give it in days, of which a band has %d at most", bandMost)
	case months == 1:
		return e.WithHint("give it in days: 1 month is at most INTERVAL %d DAY", days)
	}
	return e.WithHint("give it in days: %d months are at most INTERVAL %d DAY", months, min(days, bandMost))
}

// daysMost is the most days that so many months can have.
func daysMost(months int64) int64 {
	years, rest := months/12, months%12
	leap := years/400*97 + min((years%400+3)/4, 97)
	return years*365 + leap + [12]int64{0, 31, 62, 92, 123, 153, 184, 215, 245, 276, 306, 337}[rest]
}

// bandText is an example of the bounds that are missing, fit to the one that is there.
func bandText(times [2]string, low, high *big.Int) string {
	l, r := times[0], times[1]
	away := func(from *big.Int, sign int) string {
		const second, step = 1_000_000, 600 // 10 minutes further than the bound that is there
		far := "INTERVAL 10 MINUTE"
		if from != nil && from.Sign() == sign && from.CmpAbs(big.NewInt(second)) >= 0 {
			seconds := new(big.Int).Quo(new(big.Int).Abs(from), big.NewInt(second))
			far = distance(seconds.Mul(seconds.Add(seconds, big.NewInt(step)), big.NewInt(second)))
		}
		return l + map[int]string{-1: " - ", 1: " + "}[sign] + far
	}
	switch {
	case low == nil && high == nil:
		return fmt.Sprintf("%s BETWEEN %s AND %s", r, away(nil, -1), away(nil, 1))
	case low == nil:
		return fmt.Sprintf("%s >= %s", r, away(high, -1))
	}
	return fmt.Sprintf("%s <= %s", r, away(low, 1))
}
