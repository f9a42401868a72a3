package naive

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"unicode/utf8"
)

const depthMax = 512

// jsonDouble is a finite number as encoding/json writes it; there is no −0.
func jsonDouble(f float64) string {
	if f == 0 {
		return "0"
	}
	b, err := json.Marshal(f)
	if err != nil {
		panic(err) // finite numbers have a text
	}
	return string(b)
}

// checkRecord says what is wrong with a record as JSON, "" if nothing.
func checkRecord(rec []byte) string {
	if rec == nil {
		return "a tombstone"
	}
	if flaw := flawOf(rec); flaw != "" {
		return flaw
	}
	if bytes.TrimLeft(rec, " \t\r\n")[0] != '{' {
		return "not an object"
	}
	return ""
}

// flawOf says what is wrong with a text as JSON, "" if nothing.
func flawOf(text []byte) string {
	switch {
	case !json.Valid(text):
		return "not JSON"
	case !utf8.Valid(text):
		return "not UTF-8"
	case loneSurrogate(text):
		return "a lone surrogate"
	case deepest(text) > depthMax:
		return "too deep"
	}
	return ""
}

// deepest is the number of open brackets at the deepest place of a valid text.
func deepest(rec []byte) int {
	depth, most := 0, 0
	quoted := false
	for i := 0; i < len(rec); i++ {
		switch c := rec[i]; {
		case c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

func loneSurrogate(rec []byte) bool {
	unit := func(i int) int { // the UTF-16 unit of an escape at i, or −1
		if i+6 > len(rec) || rec[i] != '\\' || rec[i+1] != 'u' {
			return -1
		}
		n, ok := new(big.Int).SetString(string(rec[i+2:i+6]), 16)
		if !ok {
			return -1
		}
		return int(n.Int64())
	}
	for i := 0; i < len(rec); i++ {
		if rec[i] != '\\' {
			continue
		}
		switch u := unit(i); {
		case u >= 0xDC00 && u <= 0xDFFF:
			return true
		case u >= 0xD800 && u <= 0xDBFF:
			if low := unit(i + 6); low < 0xDC00 || low > 0xDFFF {
				return true
			}
			i += 11
		default:
			i++
		}
	}
	return false
}

// member finds the text of the value at a path of an object, nil if there is none. A name on the path that occurs
// twice, or whose value is no object where the path goes on, is a fault.
func member(object []byte, path []string) ([]byte, error) {
	var found []byte
	for _, m := range inside(object) {
		if m.name == path[0] {
			if found != nil {
				return nil, fault("%q occurs twice", path[0])
			}
			found = m.text
		}
	}
	if len(path) == 1 || found == nil || string(found) == "null" {
		return found, nil
	}
	if found[0] != '{' {
		return nil, fault("%q is no object", path[0])
	}
	return member(found, path[1:])
}

// field is the value of a record's column.
func field(rec []byte, path []string, t Type) (any, error) {
	raw, err := member(rec, path)
	if err != nil || raw == nil || string(raw) == "null" {
		return nil, err
	}
	no := func() (any, error) { return nil, fault("%s is not %s", raw, t) }
	switch c := raw[0]; {
	case t.isJSON():
		if begins := map[string]byte{"JSON": c, "LIST": '['}[t.Name]; c != begins && (begins != 0 || c != '{') {
			return no()
		}
		if err := distinctNames(raw); err != nil {
			return nil, err
		}
		return compact(raw), nil
	case c == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, err
		}
		return parse(s, t)
	case t.Name == "VARCHAR":
		return string(raw), nil
	case c == 't' || c == 'f':
		if t.Name != "BOOLEAN" {
			return no()
		}
		return c == 't', nil
	case c == '{' || c == '[':
		return no()
	}
	switch {
	case t.Name == "BOOLEAN":
		if s := string(raw); s != "0" && s != "1" {
			return no()
		}
		return raw[0] == '1', nil
	case t.isInt():
		r, ok := rational(string(raw))
		if !ok || !r.IsInt() || !t.fits(r.Num()) {
			return no()
		}
		return new(big.Int).Set(r.Num()), nil
	case t.isNumeric():
		return parse(string(raw), t)
	}
	return no()
}

// rational is the exact value of a number's text; false also for an exponent beyond all types.
func rational(s string) (*big.Rat, bool) {
	if !isNumber(s) {
		return nil, false
	}
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, ok := new(big.Int).SetString(strings.TrimPrefix(s[i+1:], "+"), 10)
		mantissa, good := new(big.Rat).SetString(s[:i])
		switch {
		case !ok || !good:
			return nil, false
		case mantissa.Sign() == 0:
			return mantissa, true
		case e.Cmp(big.NewInt(-5000)) < 0: // smaller than any digit kept, but a fraction
			return new(big.Rat).SetFrac(big.NewInt(int64(mantissa.Sign())), pow10(5000)), true
		case e.Cmp(big.NewInt(5000)) > 0:
			return nil, false
		}
	}
	return new(big.Rat).SetString(s)
}

// round brings a rational to an integer, half away from zero.
func round(r *big.Rat) *big.Int {
	twice := new(big.Int).Mul(r.Num(), big.NewInt(2))
	if r.Sign() >= 0 {
		twice.Add(twice, r.Denom())
	} else {
		twice.Sub(twice, r.Denom())
	}
	return twice.Quo(twice, new(big.Int).Mul(r.Denom(), big.NewInt(2)))
}

// scaled is r · 10^scale rounded half away from zero.
func scaled(r *big.Rat, scale int) *big.Int {
	return round(new(big.Rat).Mul(r, new(big.Rat).SetInt(pow10(scale))))
}

// ratio is v / 10^scale.
func ratio(v *big.Int, scale int) *big.Rat { return new(big.Rat).SetFrac(v, pow10(scale)) }

// toDouble is the DOUBLE next to a rational.
func toDouble(r *big.Rat) float64 {
	f, _ := r.Float64()
	return f
}
