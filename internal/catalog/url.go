package catalog

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/sql"
)

// The names of the connectors that a declaration knows.
const (
	kafkaKind = "kafka"
	fileKind  = "file"
	stdKind   = "std"
)

// usage is a fault of the command line.
func usage(try, msg string) error { return fault.New(fault.Usage, msg, try) }

// kindOf finds the connector of a URL by its scheme.
func kindOf(kinds []*connector.Kind, url string) (*connector.Kind, error) {
	if err := almostURL(kinds, url); err != nil {
		return nil, err
	}
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
	return nil, usage(try, "no connector for "+scheme+":// in "+RedactURL(url))
}

// almostForm is the beginning of what is meant to be a URL and is none: its scheme, what stands in place of ://, and what
// may be a user and a password.
var almostForm = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*)([:;]+/*|//+)(.*@)?`)

// almostURL refuses what is meant to be a URL and would be taken for a file: by its scheme, or by a login, which is not
// shown. A file of such a name can be written with ./ before it.
func almostURL(kinds []*connector.Kind, url string) error {
	m := almostForm.FindStringSubmatch(url)
	if m == nil || strings.HasPrefix(url[len(m[1]):], "://") {
		return nil
	}
	scheme := strings.ToLower(m[1])
	known := slices.ContainsFunc(kinds, func(k *connector.Kind) bool { return k.Name != fileKind && slices.Contains(k.Schemes, scheme) })
	if !known && (m[3] == "" || strings.HasPrefix(m[2], "/")) {
		return nil
	}
	rest, _, _ := strings.Cut(url[len(m[0]):], "?") // parameters may be secrets, too
	shown := m[1] + m[2] + rest
	if m[3] != "" {
		shown = m[1] + m[2] + strings.Repeat("*", len(m[3])-1) + "@" + rest
	}
	what := "is no URL"
	if m[2] == ":/" {
		what = "lacks a slash"
	}
	if !known {
		scheme = kafkaKind
	}
	return usage("write "+scheme+"://HOST:PORT/TOPIC; a file of that name is written with ./ before it", shown+" "+what)
}

// kindNamed returns the connector of a name, nil without one.
func kindNamed(kinds []*connector.Kind, name string) *connector.Kind {
	for _, k := range kinds {
		if k.Name == name {
			return k
		}
	}
	return nil
}

// tableName is the table name of a URL for which none is given, and how the fingerprint names its log.
func tableName(k *connector.Kind, url string) (name, log string) {
	path := url
	if _, rest, ok := strings.Cut(url, "://"); ok {
		path = rest
	}
	switch k.Name {
	case kafkaKind:
		path, _, _ = strings.Cut(path, "?")
		topic := path[strings.LastIndexByte(path, '/')+1:]
		return topic, "kafka " + topic
	case stdKind:
		return "stdin", "stdin" // of standard output too: checkpoints name it so
	}
	return baseName(path), "file " + filepath.Clean(path)
}

// baseName is the last name of a path up to its first dot, but for one that it begins with; of a pattern that says no name,
// such as d/*.csv or d/**/*.csv, that of the directory; files where nothing has a name, as in . and ..
func baseName(path string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(filepath.Base(path), "./"), ".")
	switch {
	case name == "":
		return "files"
	case !strings.ContainsAny(name, `*?[\`):
		return name
	}
	if name = strings.Trim(patternPart.ReplaceAllString(name, ""), "-_ "); name != "" {
		return name
	}
	above := filepath.Dir(path)
	for filepath.Base(above) == "**" {
		above = filepath.Dir(above)
	}
	if dir := filepath.Base(above); dir != "." && dir != ".." && dir != "/" && !strings.ContainsAny(dir, `*?[\`) {
		return dir
	}
	return "files"
}

// patternPart is what stands for other characters in a pattern.
var patternPart = regexp.MustCompile(`\*|\?|\[[^\]]*\]|\\`)

// EndingFormat is the format that the ending of a file's path tells, "" for none.
func EndingFormat(path string) string { return endingFormat(&connector.Kind{Name: fileKind}, path) }

// endingFormat is the format that the ending of a path tells, "" for none.
func endingFormat(k *connector.Kind, url string) string {
	if k.Name != fileKind {
		return ""
	}
	path := strings.ToLower(url)
	for _, packed := range []string{".gz", ".gzip", ".zst", ".zstd"} {
		if rest, ok := strings.CutSuffix(path, packed); ok {
			path = rest
			break
		}
	}
	switch filepath.Ext(path) {
	case ".csv":
		return "csv"
	case ".tsv", ".tab":
		return "tsv"
	case ".json", ".jsonl", ".ndjson":
		return "json"
	case ".log", ".txt":
		return "raw"
	}
	return ""
}

// TableName is the name of the table that a source of --from, [NAME=]URL, is.
func TableName(kinds []*connector.Kind, from string) (string, error) {
	name, url := split(from)
	k, err := kindOf(kinds, url)
	if err != nil {
		return "", err
	}
	if name == "" {
		name, _ = tableName(k, url)
	}
	return name, nil
}
