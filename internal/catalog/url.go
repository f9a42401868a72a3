package catalog

import (
	"path/filepath"
	"regexp"
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
	return nil, usage(try, "no connector for "+scheme+":// in "+withoutLogin(url))
}

// withoutLogin hides what stands before the @ of a URL's host.
func withoutLogin(url string) string {
	scheme, rest, _ := strings.Cut(url, "://")
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		return scheme + "://…" + rest[at:]
	}
	return url
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

// baseName is the last name of a path up to its first dot; of a pattern that says no name, such as d/*.csv, that of the
// directory.
func baseName(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	if !strings.ContainsAny(name, `*?[\`) {
		return name
	}
	if name = strings.Trim(patternPart.ReplaceAllString(name, ""), "-_ "); name != "" {
		return name
	}
	if dir := filepath.Base(filepath.Dir(path)); dir != "." && dir != ".." && dir != "/" && !strings.ContainsAny(dir, `*?[\`) {
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
