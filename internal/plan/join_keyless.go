package plan

import (
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// keyless is the error of a join without keys, with what to write. band is the pair of times that is its band.
func (j *join) keyless(s *bandSearch, band int) error {
	if e := j.unfit; e != nil {
		return sql.Errorf(e, "%s is no key: equal INTERVALs have several spellings", sql.Format(e)).
			WithHint("cast both to VARCHAR, or compare parts of them, or %s", j.advice(j.keyGuess()))
	}
	err := sql.Errorf(j.at, "the join of %s and %s has no equality of a column of each", j.sides[0].text(), j.sides[1].text())
	for _, l := range s.limits {
		if l.pair == band && l.fixed() && l.low != nil && l.high != nil {
			err = sql.Errorf(l.cond, "%s is the band of the join of %s and %s, which has no equality of keys besides", sql.Format(l.cond), j.sides[0].text(), j.sides[1].text())
			break
		}
	}
	return err.WithHint("%s", j.advice(j.keyGuess()))
}

// keyGuess is the equality that a join is likely about: of the first column that both sides have, with the same type.
func (j *join) keyGuess() string {
	for _, t := range j.sides[0].shown(false) {
		for _, f := range t.fields {
			for _, u := range j.sides[1].shown(false) {
				if g, ok := u.find(f.Name); ok && g.Type.Equal(f.Type) && !isInstant(f.Type) && canBeKey(f.Type) {
					return t.qualify(f.Name) + " = " + u.qualify(f.Name)
				}
			}
		}
	}
	return j.sides[0].shown(false)[0].qualify("key") + " = " + j.sides[1].shown(false)[0].qualify("key")
}

// canBeKey reports whether values of a type can be keys of a join.
func canBeKey(t vec.Type) bool {
	return !t.IsJSON() && t.Kind != vec.Null && t.Kind != vec.Interval
}
