package catalog

import (
	"errors"
	"maps"
	"regexp"
	"slices"
	"strings"

	"ubik/internal/sql"
)

// ClientProperties takes the client properties of the command line as WITH takes them: those of the Java client become
// librdkafka's, or are refused for the same reasons. What is none of them is left as it is, for the connector to judge. No
// error holds a value.
func ClientProperties(given map[string]string) (map[string]string, error) {
	out := maps.Clone(given)
	d := &draft{table: &Table{}}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if bare, ok := strings.CutPrefix(name, "properties."); ok {
			return nil, usage("write -X "+bare+"=…", "there is no client property "+name)
		}
		o := findOption(javaProperties, name, func(*Option) bool { return true })
		if o == nil {
			continue
		}
		if o.Refused != "" {
			return nil, usage(tryOnCommandLine(o), "client property "+name+" is not supported: "+o.Refused)
		}
		delete(out, name)
		s := &setting{option: o, key: name, text: given[name], at: sql.Span{}, value: sql.Span{}}
		d.settings = append(d.settings, s)
		if err := o.set(d, s); err != nil {
			var at *sql.Error
			if errors.As(err, &at) {
				err = usage(unquoted(at.Hint), "client property "+strings.TrimPrefix(at.Msg, "option "))
			}
			return nil, err
		}
		for _, set := range s.client {
			for _, other := range slices.Sorted(maps.Keys(given)) {
				if other == set || sameProperty(other) == set {
					return nil, usage("give one of them", "client property "+name+" says what "+other+" says")
				}
			}
		}
	}
	maps.Copy(out, d.table.Client)
	return out, nil
}

// sameProperty is the property that one is another name of, "" for none.
func sameProperty(name string) string {
	for _, p := range properties {
		if p.name == name {
			return p.same
		}
	}
	return ""
}

// tryOnCommandLine is what to do instead of a property that is refused.
func tryOnCommandLine(o *Option) string {
	switch o.Name {
	case "auto.offset.reset":
		return "write --start earliest"
	case "value.deserializer", "value.serializer":
		return "write --format json, and --to-format json of what is written"
	}
	return unquoted(o.Try)
}

// unquoted writes names as the command line has them.
func unquoted(try string) string { return quotedProperty.ReplaceAllString(try, "-X $1") }

var quotedProperty = regexp.MustCompile(`'([a-z.]+)'`)
