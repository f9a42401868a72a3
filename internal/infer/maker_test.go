package infer

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// maker makes random records that look alike.
type maker struct {
	rnd   *rand.Rand
	kinds map[string]int // by path, how values are made there
	maps  bool           // columns are objects of many names
}

var makerNames = []string{"a", "b", "c", "A", "order", "event time", "ä", "x1", "", `q"q`, "*/"}

func (m *maker) record() []byte { return m.object(nil, "", 0) }

func (m *maker) object(dst []byte, path string, depth int) []byte {
	dst = append(dst, '{')
	n := m.rnd.IntN(5)
	for i, at := range m.rnd.Perm(len(makerNames))[:n] {
		if i > 0 {
			dst = append(dst, ',')
		}
		name, _ := json.Marshal(makerNames[at])
		dst = append(append(dst, name...), ':')
		dst = m.value(dst, path+"."+makerNames[at], depth)
	}
	return append(dst, '}')
}

func (m *maker) value(dst []byte, path string, depth int) []byte {
	kind, ok := m.kinds[path]
	if !ok {
		kind = m.rnd.IntN(16)
		if m.maps && depth == 0 {
			kind = 15
		}
		m.kinds[path] = kind
	}
	if !m.maps && m.rnd.IntN(200) == 0 {
		kind = m.rnd.IntN(16)
	}
	pick := func(texts ...string) []byte { return append(dst, texts[m.rnd.IntN(len(texts))]...) }
	if m.rnd.IntN(12) == 0 || depth > 4 {
		return pick("null")
	}
	switch kind {
	case 0:
		return pick("true", "false")
	case 1, 2:
		return fmt.Appendf(dst, "%d", m.rnd.IntN(1000)-500)
	case 3:
		return pick("9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809", "1e3", "12E+17", "1e19")
	case 4:
		return pick("170141183460469231731687303715884105727", "-170141183460469231731687303715884105728", "0", "1e38", "3")
	case 5:
		return pick("170141183460469231731687303715884105728", "-170141183460469231731687303715884105729", "1e39", "1e400", "7")
	case 6:
		return pick("1.5", "2.0", "3", "1e-2", "-0.125", "10e-1", `"NaN"`)
	case 7:
		return pick(`"2026-01-01"`, `"2026/2/28"`, `"0099-12-31"`)
	case 8:
		return pick(`"2026-01-01"`, `"2026-01-01T10:00:00Z"`, `"2026-01-01 10:00"`, `"2026-01-01 10:00:00.5+02"`)
	case 9:
		return pick(`"2026-01-01"`, `"2026-01-01 10:00"`, `"2026-01-01 25:00"`, `""`)
	case 10:
		return pick(`"abc"`, `"1"`, `"1,5"`, `"\u00e9\n"`, `"007"`, `"Infinity"`, `"31.12.2026"`)
	case 11, 12:
		return m.object(dst, path, depth+1)
	case 13, 14:
		dst = append(dst, '[')
		for i := range m.rnd.IntN(4) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = m.value(dst, path+"[]", depth+1)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i := range m.rnd.IntN(9) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = fmt.Appendf(dst, `"key%d-%d":`, i, m.rnd.IntN(100))
		dst = m.value(dst, path+".*", depth+1)
	}
	return append(dst, '}')
}
