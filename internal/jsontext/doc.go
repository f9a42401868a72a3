// Package jsontext is the grammar of JSON: strict scanners of values, and what can be said and taken of a value that is
// known to be valid.
//
// Strict means RFC 8259, valid UTF-8, no lone surrogates and at most 512 levels. A flaw is what makes a text not JSON.
// A value used as a whole is compact when no white space stands between its tokens; its strings and numbers stay as they
// are written.
//
//	jsontext.Valid([]byte(`{"a": [1.50, 2]}`))                  // true
//	jsontext.AppendCompact(nil, []byte(`{"a": [1.50, 2]}`))     // {"a":[1.50,2]}
//	path, err := jsontext.ParsePath("$.a[0]")
//	path.Find([]byte(`{"a": [1.50, 2]}`))                       // 1.50
package jsontext
