package sql

import "sort"

// ReservedWords returns the words that are names only when quoted, in order.
func ReservedWords() []string {
	var words []string
	for w := range reserved {
		words = append(words, w)
	}
	sort.Strings(words)
	return words
}

// TypeSpellings returns the other spellings of a type by its canonical name, in order.
func TypeSpellings() map[string][]string {
	out := map[string][]string{}
	for _, word := range typeWords {
		canonical := typeAliases[word]
		if word != canonical {
			out[canonical] = append(out[canonical], word)
		}
	}
	return out
}

// UnitSpellings returns the spellings of a unit of time that are allowed inside the quotes of an INTERVAL only, by
// the unit, in order; and the units from the shortest to the longest.
func UnitSpellings() (units []string, short map[string][]string) {
	short = map[string][]string{}
	for word, unit := range intervalShort {
		short[unit] = append(short[unit], word)
	}
	for _, list := range short {
		sort.Strings(list)
	}
	for unit := range intervalUnits {
		units = append(units, unit)
	}
	sort.Slice(units, func(i, j int) bool {
		a, b := intervalUnits[units[i]], intervalUnits[units[j]]
		if a.months != b.months {
			return a.months < b.months
		}
		if a.days != b.days {
			return a.days < b.days
		}
		return a.micros < b.micros
	})
	return units, short
}
