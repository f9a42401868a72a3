package infer

import (
	"bytes"
	"encoding/json"
	"math/big"
	"regexp"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// The inference once more, over encoding/json, from whole lists of values.

type member struct {
	name  string
	value any
}

// object is an object in its own order.
type object []member

// naiveRead reads the value ahead: nil, bool, json.Number, string, []any or object.
func naiveRead(dec *json.Decoder) any {
	tok, err := dec.Token()
	if err != nil {
		panic(err)
	}
	switch tok {
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			list = append(list, naiveRead(dec))
		}
		dec.Token()
		return list
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			name, _ := dec.Token()
			o = append(o, member{name.(string), naiveRead(dec)})
		}
		dec.Token()
		return o
	}
	return tok
}

func naiveRecord(record []byte) object {
	dec := json.NewDecoder(bytes.NewReader(record))
	dec.UseNumber()
	return naiveRead(dec).(object)
}

// naiveDDL is the DDL of records that are valid.
func naiveDDL(records []object) string {
	fields := naiveFields(records)
	var cols []string
	for _, f := range fields {
		cols = append(cols, quoteName(f.name)+" "+naiveType(f.value.([]any)))
	}
	return strings.Join(cols, ", ")
}

// naiveFields returns the names of the objects in order of first appearance and the list of values of each.
func naiveFields(objects []object) []member {
	var out []member
	seen := map[string]bool{}
	for _, o := range objects {
		for _, m := range o {
			if key := strings.ToLower(m.name); seen[key] || m.name == "" {
				continue
			}
			seen[strings.ToLower(m.name)] = true
			var values []any
			for _, p := range objects {
				for _, q := range p {
					if q.name == m.name {
						values = append(values, q.value)
					}
				}
			}
			out = append(out, member{m.name, values})
		}
	}
	return out
}

func naiveType(values []any) string {
	var numbers, texts []string
	var lists []any
	var objects []object
	bools, containers, scalars := 0, 0, 0
	for _, v := range values {
		switch v := v.(type) {
		case bool:
			bools = 1
		case json.Number:
			numbers = append(numbers, v.String())
		case string:
			texts = append(texts, v)
		case []any:
			lists = append(lists, v...)
			containers |= 1
		case object:
			objects = append(objects, v)
			containers |= 2
		}
	}
	if len(numbers) > 0 { // the numbers that JSON cannot write are texts
		rest := texts[:0]
		for _, text := range texts {
			if text != "NaN" && text != "Infinity" && text != "-Infinity" {
				rest = append(rest, text)
			}
		}
		if len(rest) < len(texts) {
			numbers = append(numbers, "0.5")
		}
		texts = rest
	}
	scalars = bools + min(len(numbers), 1) + min(len(texts), 1)
	switch {
	case containers == 3 || containers > 0 && scalars > 0:
		return "JSON"
	case containers == 1:
		return naiveType(lists) + "[]"
	case containers == 2:
		return naiveObject(objects)
	case scalars != 1:
		return "VARCHAR"
	case bools > 0:
		return "BOOLEAN"
	case len(numbers) > 0:
		return naiveNumber(numbers)
	}
	return naiveText(texts)
}

func naiveObject(objects []object) string {
	names := map[string]bool{}
	members := 0
	var all []any
	for _, o := range objects {
		for _, m := range o {
			names[m.name] = true
			members++
			all = append(all, m.value)
		}
	}
	if len(names) > 100 && float64(members)/float64(len(objects)) < float64(len(names))/10 {
		kinds := map[string]bool{}
		for _, v := range all {
			switch v := v.(type) {
			case nil:
			case bool:
				kinds["bool"] = true
			case json.Number:
				kinds["number"] = true
			case string:
				if v == "NaN" || v == "Infinity" || v == "-Infinity" {
					kinds["special"] = true
				} else {
					kinds["text"] = true
				}
			case []any:
				kinds["list"] = true
			case object:
				kinds["object"] = true
			}
		}
		if kinds["special"] && !kinds["number"] {
			kinds["text"] = true
		}
		delete(kinds, "special")
		if len(kinds) <= 1 {
			return "MAP(VARCHAR, " + naiveType(all) + ")"
		}
	}
	var fields []string
	for _, f := range naiveFields(objects) {
		fields = append(fields, quoteName(f.name)+" "+naiveType(f.value.([]any)))
	}
	if fields == nil {
		return "JSON"
	}
	return "STRUCT(" + strings.Join(fields, ", ") + ")"
}

func naiveNumber(numbers []string) string {
	bits := 63
	for _, n := range numbers {
		x, ok := new(big.Rat).SetString(n)
		if !ok {
			panic("not a number: " + n)
		}
		if strings.Contains(n, ".") || !x.IsInt() {
			return "DOUBLE"
		}
		for _, b := range []int{63, 127, 1 << 20} {
			limit := new(big.Int).Lsh(big.NewInt(1), uint(b))
			if i := x.Num(); i.Cmp(limit) < 0 && i.Cmp(new(big.Int).Neg(limit)) >= 0 {
				bits = max(bits, b)
				break
			}
		}
	}
	switch bits {
	case 63:
		return "BIGINT"
	case 127:
		return "HUGEINT"
	}
	return "DOUBLE"
}

var plainDate = regexp.MustCompile(`^\s*\d+[-/]\d+[-/]\d+\s*$`)

func naiveText(texts []string) string {
	v := vec.NewVector(vec.TypeOf(vec.Timestamp))
	v.Resize(1)
	name := "DATE"
	for _, text := range texts {
		if expr.CastText(v, 0, []byte(text)) != "" {
			return "VARCHAR"
		}
		if !plainDate.MatchString(text) {
			name = "TIMESTAMP"
		}
	}
	return name
}
