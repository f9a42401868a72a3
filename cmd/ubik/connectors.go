package main

import (
	"path/filepath"
	"regexp"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/connector/kafka"
	"ubik/internal/connector/std"
	"ubik/internal/fault"
	"ubik/internal/sql"
)

// kinds are the connectors.
var kinds = []*connector.Kind{&kafka.Kind, &file.Kind, &std.Kind}

// kindOf finds the connector of a URL by its scheme.
func kindOf(url string) (*connector.Kind, error) {
	scheme, _, ok := strings.Cut(url, "://")
	switch {
	case url == "-":
		scheme = "-"
	case !ok:
		scheme = ""
	}
	var known []string
	for _, k := range kinds {
		for _, s := range k.Schemes {
			if s == scheme {
				return k, nil
			}
			if len(s) > 1 {
				known = append(known, s+"://")
			}
		}
	}
	try := "the schemes are: " + strings.Join(known, ", ") + "; a plain path is a file, - is standard input or output"
	if near := sql.Nearest(scheme+"://", known); near != "" {
		try = "did you mean " + near + "?"
	}
	return nil, fault.New(fault.Usage, "no connector for "+scheme+":// in "+url, try)
}

// named splits NAME=VALUE; name is "" when there is none.
func named(s string) (name, value string) {
	if m := nameForm.FindStringSubmatch(s); m != nil {
		return m[1], s[len(m[0]):]
	}
	return "", s
}

var nameForm = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=`)

// tableName is the table name of a source for which none is given, and how the fingerprint names its log: addresses of
// brokers may change, what is read may not.
func tableName(k *connector.Kind, url string) (name, log string) {
	path := url
	if _, rest, ok := strings.Cut(url, "://"); ok {
		path = rest
	}
	switch k {
	case &kafka.Kind:
		path, _, _ = strings.Cut(path, "?")
		topic := path[strings.LastIndexByte(path, '/')+1:]
		return topic, "kafka " + topic
	case &std.Kind:
		return "stdin", "stdin"
	}
	base := filepath.Base(path)
	name, _, _ = strings.Cut(base, ".")
	return name, "file " + filepath.Clean(path)
}
