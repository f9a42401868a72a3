package catalog

import (
	"fmt"
	"slices"
	"strings"

	"ubik/internal/sql"
)

// Option is something that WITH (…) of a CREATE TABLE, or a call of a reader, may say.
type Option struct {
	Name string // as it is written; one that ends in .* stands for all names that begin so
	// Of is what it belongs to: "" every declared table; a connector as declarations name it, "kafka", "filesystem"; a
	// format, "csv", "json", "raw"; or a reader, "read_csv", "read_json".
	Of      string
	Same    string // the option that it is another name of; "": none
	Source  bool   // it concerns what is read
	Sink    bool   // it concerns what is written
	Takes   string // the form of its value: true or false, text, …
	Doc     string
	Refused string // why it is not taken; "": it is
	Only    string // refused: the value with which it says what is the case anyway, and is taken; "": none
	Try     string // refused: what to do instead
	Secret  bool   // nobody is shown its value
	Table   string // of an argument: the option of a declared table that says the same; "": none

	set func(d *draft, s *setting) error
}

// setting is one option as it was given.
type setting struct {
	option *Option
	key    string
	text   string   // its value
	at     sql.Node // the key
	value  sql.Node
	client []string // the client properties that it set
}

// draft is a table being made of the options of its declaration.
type draft struct {
	loader   *loader
	table    *Table
	function string // the reader that is called; "": a declared table
	sink     bool
	conn     *connectorEntry
	settings []*setting
}

// wrong says what is wrong with a setting's value. verb goes on behind the name.
func (s *setting) wrong(try, format string, args ...any) error {
	e := sql.Errorf(s.value, "%s %s", s.key, fmt.Sprintf(format, args...))
	if try != "" {
		return e.WithHint("%s", try)
	}
	return e
}

// takes says that a value is none of those that there are.
func (s *setting) takes(what string) error {
	return s.wrong("", "takes %s, this is %s", what, sql.QuoteString(s.text))
}

// canonical is the name of an option of which it may be another.
func (o *Option) canonical() string {
	if o.Same != "" {
		return o.Same
	}
	return o.Name
}

// given returns the setting of an option, by whichever of its names; nil when it is not given.
func (d *draft) given(name string) *setting {
	for _, s := range d.settings {
		if s.option.canonical() == name {
			return s
		}
	}
	return nil
}

// text returns the value of an option, "" when it is not given.
func (d *draft) text(name string) string {
	if s := d.given(name); s != nil {
		return s.text
	}
	return ""
}

// take checks a setting and applies it.
func (d *draft) take(s *setting) error {
	o := s.option
	if o.Refused != "" {
		if o.Only == "" {
			return sql.Errorf(s.at, "option %s is not supported: %s", s.key, o.Refused).WithHint("%s", o.Try)
		}
		if !strings.EqualFold(s.text, o.Only) {
			return s.wrong(o.Try, "can only be %s: %s", o.Only, o.Refused)
		}
	}
	if first := d.given(o.canonical()); first != nil && !strings.HasSuffix(o.Name, "*") {
		return s.twice(first)
	}
	d.settings = append(d.settings, s)
	if o.set == nil {
		return nil
	}
	return o.set(d, s)
}

// findOption finds an option by the name that was given, among those of a list of owners.
func findOption(list []Option, key string, fits func(*Option) bool) *Option {
	for i := range list {
		if list[i].Name == key && fits(&list[i]) {
			return &list[i]
		}
	}
	for i := range list {
		if prefix, ok := strings.CutSuffix(list[i].Name, "*"); ok && strings.HasPrefix(key, prefix) && len(key) > len(prefix) && fits(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

// optionNames are the names of a list that a misspelt one may have meant.
func optionNames(list []Option, fits func(*Option) bool) []string {
	var names []string
	for i := range list {
		if fits(&list[i]) && !strings.HasSuffix(list[i].Name, "*") {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// Options returns what WITH (…) of a CREATE TABLE may say, in the order of the reference.
func Options() []Option {
	return slices.Concat(tableOptions, kafkaOptions, clientOptions(), fileOptions, formatOptions)
}

// Arguments returns the options of read_csv and read_json.
func Arguments() []Option { return slices.Clone(arguments) }

// flag reads true or false.
func (s *setting) flag() (bool, error) {
	switch {
	case strings.EqualFold(s.text, "true"):
		return true, nil
	case strings.EqualFold(s.text, "false"):
		return false, nil
	}
	return false, s.takes("true or false")
}

// character reads one ASCII character, \t for a tab and \\ for a backslash.
func (s *setting) character() (string, error) {
	text := s.text
	switch text {
	case `\t`:
		text = "\t"
	case `\\`:
		text = `\`
	}
	if len(text) != 1 || text[0] >= 0x80 || text == "\n" || text == "\r" || text == "\x00" {
		return "", s.takes("one ASCII character that ends no line, such as ';' or '\\t'")
	}
	return text, nil
}

// format notes an option of the format.
func (d *draft) format(name, value string) {
	if d.table.FormatOptions == nil {
		d.table.FormatOptions = map[string]string{}
	}
	d.table.FormatOptions[name] = value
}
