package jsonrec

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"ubik/internal/codec"
	"ubik/internal/expr"
	"ubik/internal/ubiktest/cells"
	"ubik/internal/vec"
)

// The decoder once more, by encoding/json and math/big, in the plainest way.

var errMalformed = errors.New("malformed")

// naiveRow returns the record's values as cells.Text, or errMalformed.
func naiveRow(rec []byte, cols []codec.Column) ([]string, error) {
	top := bytes.TrimLeft(rec, " \t\r\n")
	if !json.Valid(rec) || !utf8.Valid(rec) || loneSurrogate(rec) || deepest(rec) > 512 || top[0] != '{' {
		return nil, errMalformed
	}
	var row []string
	for _, c := range cols {
		raw, err := naiveFind(rec, c.Path)
		if err != nil {
			return nil, err
		}
		value := "NULL"
		if raw != nil && string(raw) != "null" {
			if value, err = naiveCast(raw, c.Type); err != nil {
				return nil, err
			}
		}
		row = append(row, value)
	}
	return row, nil
}

// naiveFind returns the text of the value at the path, nil if there is none.
func naiveFind(object []byte, path []string) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(object))
	dec.UseNumber()
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var found []byte
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		if name == path[0] {
			if found != nil {
				return nil, errMalformed
			}
			found = raw
		}
	}
	if len(path) == 1 || found == nil || string(found) == "null" {
		return found, nil
	}
	if found[0] != '{' {
		return nil, errMalformed
	}
	return naiveFind(found, path[1:])
}

func naiveCast(raw []byte, t vec.Type) (string, error) {
	switch c := raw[0]; {
	case t.IsJSON():
		if t.Kind == vec.List && c != '[' || t.Kind > vec.JSON && t.Kind != vec.List && c != '{' || naiveTwice(raw) {
			return "", errMalformed
		}
		var out bytes.Buffer
		err := json.Compact(&out, raw)
		return strconv.Quote(out.String()), err
	case c == '"':
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", err
		}
		if t.Kind == vec.Varchar {
			return strconv.Quote(s), nil
		}
		v := vec.NewVector(t)
		v.Resize(1)
		if expr.CastText(v, 0, []byte(s)) != "" {
			return "", errMalformed
		}
		return cells.Text(v, 0), nil
	case t.Kind == vec.Varchar:
		return strconv.Quote(string(raw)), nil
	case c == 't' || c == 'f':
		if t.Kind != vec.Bool {
			return "", errMalformed
		}
		return string(raw), nil
	case c == '{' || c == '[':
		return "", errMalformed
	case t.Kind == vec.Bool:
		if s := string(raw); s == "0" || s == "1" {
			return strconv.FormatBool(s == "1"), nil
		}
		return "", errMalformed
	case t.Kind == vec.Double:
		x, err := strconv.ParseFloat(string(raw), 64)
		if err != nil && !math.IsInf(x, 0) {
			return "", err
		}
		return cells.Double(x), nil
	case t.IsInteger():
		x, whole, ok := naiveScaled(string(raw), 0)
		bits := map[vec.Kind]uint{vec.Int8: 7, vec.Int16: 15, vec.Int32: 31, vec.Int64: 63, vec.HugeInt: 127}[t.Kind]
		limit := new(big.Int).Lsh(big.NewInt(1), bits)
		if !ok || !whole || x.Cmp(limit) >= 0 || x.Cmp(new(big.Int).Neg(limit)) < 0 {
			return "", errMalformed
		}
		return x.String(), nil
	case t.Kind == vec.Decimal:
		x, _, ok := naiveScaled(string(raw), int(t.Scale))
		limit := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Precision)), nil)
		if !ok || new(big.Int).Abs(x).Cmp(limit) >= 0 {
			return "", errMalformed
		}
		return x.String(), nil
	}
	return "", errMalformed
}

// naiveTwice reports whether an object in a value has a name twice.
func naiveTwice(raw []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var read func() bool
	read = func() bool {
		tok, _ := dec.Token()
		twice := false
		switch tok {
		case json.Delim('{'):
			names := map[json.Token]bool{}
			for dec.More() {
				name, _ := dec.Token()
				twice = read() || names[name] || twice
				names[name] = true
			}
			dec.Token()
		case json.Delim('['):
			for dec.More() {
				twice = read() || twice
			}
			dec.Token()
		}
		return twice
	}
	return read()
}

// naiveScaled returns the number times 10^scale rounded half away from zero, whether it was whole, and false when it is
// far out of range.
func naiveScaled(s string, scale int) (x *big.Int, whole, ok bool) {
	s, neg := strings.CutPrefix(s, "-")
	mantissa, exponent, _ := strings.Cut(strings.ToLower(s), "e")
	digits, fraction, _ := strings.Cut(mantissa, ".")
	m, _ := new(big.Int).SetString(digits+fraction, 10)
	e, err := strconv.Atoi(exponent)
	if exponent != "" && err != nil {
		e = math.MaxInt32
		if exponent[0] == '-' {
			e = math.MinInt32
		}
	}
	e += scale - len(fraction)
	ten := big.NewInt(10)
	switch {
	case m.Sign() == 0:
		return m, true, true
	case e > 100:
		return nil, false, false
	case e >= 0:
		x, whole = m.Mul(m, ten.Exp(ten, big.NewInt(int64(e)), nil)), true
	case -e > len(digits+fraction)+1:
		x = new(big.Int)
	default:
		var rest *big.Int
		p := ten.Exp(ten, big.NewInt(int64(-e)), nil)
		x, rest = new(big.Int).QuoRem(m, p, new(big.Int))
		whole = rest.Sign() == 0
		if rest.Lsh(rest, 1).Cmp(p) >= 0 {
			x.Add(x, big.NewInt(1))
		}
	}
	if neg {
		x.Neg(x)
	}
	return x, whole, true
}

// loneSurrogate reports whether valid JSON has one in its escapes.
func loneSurrogate(rec []byte) bool {
	high := false // the escape before was a high surrogate
	for i := 0; i < len(rec); i++ {
		if rec[i] == '\\' && rec[i+1] == 'u' {
			u, _ := strconv.ParseUint(string(rec[i+2:i+6]), 16, 16)
			low := u >= 0xDC00 && u <= 0xDFFF
			if low != high {
				return true
			}
			high = u >= 0xD800 && u <= 0xDBFF
			i += 5
			continue
		}
		if high {
			return true
		}
		if rec[i] == '\\' {
			i++
		}
	}
	return high
}

func deepest(rec []byte) int {
	depth, most, text := 0, 0, false
	for i := 0; i < len(rec); i++ {
		switch c := rec[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

// decodeAlone decodes one record by a fresh decoder.
func decodeAlone(cols []codec.Column, rec []byte) []string {
	data := append(make([]byte, 0, len(rec)), rec...)
	r := &codec.Records{Data: data, Spans: []vec.Span{{Off: 0, Len: uint32(len(rec))}}}
	return cells.Decode(newDecoder(cols), cols, r)[0]
}
