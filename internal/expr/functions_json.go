package expr

import (
	"fmt"

	"ubik/internal/jsontext"
	"ubik/internal/vec"
)

// newExtract is a value within JSON, as JSON or as text. A VARCHAR is read as JSON; the path is a constant.
func newExtract(name string, t vec.Type, args []Expr) (Expr, error) {
	if len(args) != 2 {
		return nil, noForm(name, extractForms(name), args)
	}
	j, at := args[0], args[1]
	switch kind := j.Type(); {
	case kind.Kind == vec.JSON:
	case kind.Kind == vec.Varchar || kind.Kind == vec.Null:
		var err error
		if j, err = NewCast(j, jsonType, false); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	case kind.IsJSON():
		return nil, fmt.Errorf("%s does not take %s: cast it to JSON", name, kind)
	default:
		return nil, noForm(name, extractForms(name), args)
	}
	if k := at.Type(); k.Kind != vec.Varchar && k.Kind != vec.Null && (!k.IsInteger() || k.Kind == vec.HugeInt) {
		return nil, noForm(name, extractForms(name), args)
	}
	l, ok := at.(*Literal)
	if !ok {
		return nil, fmt.Errorf("%s: the path must be a literal, a text or the number of an element", name)
	}
	if l.IsNull() {
		return NewTypedNull(t), nil
	}
	path := jsontext.Path{}
	if l.v.Type.Kind == vec.Varchar {
		var err error
		if path, err = jsontext.ParsePath(string(l.v.Bytes(0))); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	} else {
		path = jsontext.ElementPath(l.v.I64[0])
	}
	kernel := extractJSON(path)
	if t.Kind == vec.Varchar {
		kernel = extractText(path)
	}
	return newCallOp(name, []Expr{j, l}, t, &Overload{Kernel: kernel})
}

func extractForms(name string) []string {
	return []string{name + "(JSON, VARCHAR)", name + "(JSON, BIGINT)"}
}

// extractJSON gives the value as it is written, but compact; NULL when there is none. A JSON null is no NULL.
func extractJSON(path jsontext.Path) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			value := path.Find(c.Args[0].Bytes(int(i)))
			if value == nil {
				c.Out.SetNull(int(i))
				continue
			}
			from := len(c.Out.Arena)
			c.Out.Arena = jsontext.AppendCompact(c.Out.Arena, value)
			c.end(i, from)
		}
	}
}

// extractText gives the text of a string, and of other values what extractJSON gives; NULL for a JSON null too.
func extractText(path jsontext.Path) func(c *Call) {
	return func(c *Call) {
		for _, i := range c.Rows {
			value := path.Find(c.Args[0].Bytes(int(i)))
			from := len(c.Out.Arena)
			switch {
			case value == nil || value[0] == 'n':
				c.Out.SetNull(int(i))
				continue
			case value[0] == '"':
				c.Out.Arena = jsontext.AppendUnescaped(c.Out.Arena, value[1:len(value)-1])
			default:
				c.Out.Arena = jsontext.AppendCompact(c.Out.Arena, value)
			}
			c.end(i, from)
		}
	}
}

func jsonFunctions() []Function {
	const asWritten = "numbers and escapes stay as they are written"
	return []Function{
		{
			Name: "json_extract", Aliases: []string{"json_extract_path"},
			Doc:   "The value at a constant path of a JSON value, NULL when there is none; `j -> 'a'` is the same.",
			Forms: extractForms("json_extract"),
			build: func(args []Expr) (Expr, error) { return newExtract("json_extract", jsonType, args) },
			Examples: []Example{
				{`json_extract('{"a": {"b": [1, 2]}}', 'a')`, `{"b":[1,2]}`, ""}, {`json_extract('{"a": {"b": [1, 2]}}', '$.a.b[-1]')`, "2", ""},
				{`json_extract('{"a": {"b": [1, 2]}}', '/a/b/0')`, "1", ""}, {`json_extract('["x", "é"]', 1)`, `"é"`, ""},
				{`json_extract('{"a.b": null}', 'a.b')`, "null", ""}, {`json_extract('{"a": 1}', 'b')`, "NULL", ""}, {`json_extract('{"a": 1}', '')`, `{"a":1}`, ""},
				{`json_extract('{"a": 1e2}', 'a')`, "1e2", asWritten}, {`json_extract('{"a": "\u0041\/"}', 'a')`, `"\u0041\/"`, asWritten}, {`json_extract(NULL, 'a')`, "NULL", ""},
			},
		},
		{
			Name: "json_extract_string", Aliases: []string{"json_extract_path_text"},
			Doc:   "The value at a constant path of a JSON value as text, NULL for null and when there is none; `j ->> 'a'` is the same.",
			Forms: extractForms("json_extract_string"),
			build: func(args []Expr) (Expr, error) { return newExtract("json_extract_string", varcharType, args) },
			Examples: []Example{
				{`json_extract_string('{"a": "\u00e9\n"}', 'a')`, "é\n", ""}, {`json_extract_string('{"a": {"b": [1, 2]}}', '$.a')`, `{"b":[1,2]}`, ""},
				{`json_extract_string('{"a": true}', 'a')`, "true", ""}, {`json_extract_string('[""]', 0)`, "", ""}, {`json_extract_string('{"a": null}', 'a')`, "NULL", ""},
				{`json_extract_string('{"a": 1e2}', 'a')`, "1e2", asWritten}, {`json_extract_string(NULL, 'a')`, "NULL", ""},
			},
		},
	}
}
