package catalog

import (
	"strings"

	"ubik/internal/sql"
)

const skipMalformed = "malformed records stop the run or are skipped and counted, as the run says"

// formatOptions belong to formats. One of them also says the format, where nothing else does.
var formatOptions = []Option{
	{Name: "csv.field-delimiter", Of: "csv", Source: true, Sink: true, Takes: `one character, \t for a tab`, set: setDelimiter, Doc: "What parts two fields. Of a source that does not say it, it is guessed."},
	{Name: "csv.quote-character", Of: "csv", Source: true, Sink: true, Takes: "one character", set: setQuote, Doc: "What stands around a field that holds the delimiter."},
	{Name: "csv.disable-quote-character", Of: "csv", Source: true, Sink: true, Takes: "true or false", set: setNoQuote, Doc: "There are no quotes."},
	{Name: "csv.escape-character", Of: "csv", Source: true, Sink: true, Takes: "one character", set: setEscape, Doc: "What makes a quote within quotes a part of the text; not given: a second quote."},
	{Name: "csv.null-literal", Of: "csv", Source: true, Sink: true, Takes: "text", set: setNull, Doc: "The text that is NULL where it is not quoted; not given: the empty one."},
	{Name: "csv.header", Of: "csv", Source: true, Sink: true, Takes: "true or false", set: setHeader, Doc: "The first record names the columns. Of a source that does not say it, it is guessed."},
	{Name: "csv.allow-comments", Of: "csv", Only: "false", Refused: "every line is a record", Try: "take such lines out first, as with grep -v '^#'"},
	{Name: "csv.ignore-parse-errors", Of: "csv", Only: "false", Refused: skipMalformed, Try: "leave it out, and run with --on-error skip"},
	{Name: "csv.array-element-delimiter", Of: "csv", Refused: "a field holds one value", Try: "declare it VARCHAR and take it apart in the query"},
	{Name: "csv.write-bigdecimal-in-scientific-notation", Of: "csv", Only: "false", Refused: "a DECIMAL is written with all its digits", Try: "cast it to DOUBLE in the query"},
	{Name: "json.ignore-parse-errors", Of: "json", Only: "false", Refused: skipMalformed, Try: "leave it out, and run with --on-error skip"},
	{Name: "json.fail-on-missing-field", Of: "json", Only: "false", Refused: "a field that a record lacks is NULL", Try: "filter in the query: WHERE column IS NOT NULL"},
	{Name: "json.timestamp-format.standard", Of: "json", Source: true, Sink: true, Takes: "SQL or ISO-8601", set: setTimestampFormat,
		Doc: "How times are spelled. Both are read whichever is given; what is written is not changed by it."},
	{Name: "json.encode.decimal-as-plain-number", Of: "json", Only: "true", Refused: "a DECIMAL is written with all its digits", Try: "cast it to DOUBLE in the query"},
	{Name: "json.encode.ignore-null-fields", Of: "json", Only: "false", Refused: "a row is written with all its columns", Try: "leave it out"},
	{Name: "json.map-null-key.*", Of: "json", Refused: "a MAP is not written", Try: "leave it out"},
	{Name: "json.decode.json-parser.enabled", Of: "json", Refused: "it changes nothing", Try: "leave it out"},
	{Name: "raw.charset", Of: "raw", Only: "UTF-8", Refused: "text is UTF-8", Try: "convert it first, as with iconv -t UTF-8"},
	{Name: "raw.endianness", Of: "raw", Refused: "a raw record is text or bytes", Try: "leave it out"},
}

func setDelimiter(d *draft, s *setting) error { return d.character(s, "delimiter") }
func setEscape(d *draft, s *setting) error    { return d.character(s, "escape") }

func (d *draft) character(s *setting, name string) error {
	c, err := s.character()
	if err == nil {
		d.format(name, c)
	}
	return err
}

func setQuote(d *draft, s *setting) error {
	if s.text == "" { // as read_csv has it
		d.format("quote", "")
		return nil
	}
	if n := d.given("csv.disable-quote-character"); n != nil && strings.EqualFold(n.text, "true") {
		return n.wrong("give one of them", "says that there are no quotes, and csv.quote-character gives one")
	}
	return d.character(s, "quote")
}

func setNoQuote(d *draft, s *setting) error {
	off, err := s.flag()
	if err != nil || !off {
		return err
	}
	if q := d.given("csv.quote-character"); q != nil && q.text != "" {
		return s.wrong("give one of them", "says that there are no quotes, and csv.quote-character gives one")
	}
	d.format("quote", "")
	return nil
}

func setNull(d *draft, s *setting) error {
	d.format("null", s.text)
	return nil
}

func setHeader(d *draft, s *setting) error {
	on, err := s.flag()
	if err != nil {
		return err
	}
	d.format("header", "false")
	if on {
		d.format("header", "true")
	}
	return nil
}

func setTimestampFormat(_ *draft, s *setting) error {
	if !strings.EqualFold(s.text, "SQL") && !strings.EqualFold(s.text, "ISO-8601") {
		return s.takesOneOf([]string{"SQL", "ISO-8601"})
	}
	return nil
}

// byTable is what to write where a call has no room for it.
const byTable = "declare the table: CREATE TABLE name (column TYPE, …) WITH ('connector' = 'filesystem', 'path' = '…', 'format' = "

// arguments are the options of read_csv and read_json. Those of DuckDB that are not here are refused by name.
var arguments = []Option{
	{Name: "header", Table: "csv.header", Of: "read_csv", Source: true, Takes: "true or false", set: setHeader, Doc: "The first record names the columns."},
	{Name: "delim", Table: "csv.field-delimiter", Of: "read_csv", Source: true, Takes: `one character, \t for a tab`, set: setDelimiter, Doc: "What parts two fields."},
	{Name: "sep", Table: "csv.field-delimiter", Same: "delim", Of: "read_csv", Source: true, Takes: `one character, \t for a tab`, set: setDelimiter, Doc: "The same as delim."},
	{Name: "delimiter", Table: "csv.field-delimiter", Same: "delim", Of: "read_csv", Source: true, Takes: `one character, \t for a tab`, set: setDelimiter, Doc: "The same as delim."},
	{Name: "quote", Table: "csv.quote-character", Of: "read_csv", Source: true, Takes: "one character, or '' for none", set: setQuote, Doc: "What stands around a field that holds the delimiter."},
	{Name: "escape", Table: "csv.escape-character", Of: "read_csv", Source: true, Takes: "one character", set: setEscape, Doc: "What makes a quote within quotes a part of the text."},
	{Name: "nullstr", Table: "csv.null-literal", Of: "read_csv", Source: true, Takes: "text", set: setNull, Doc: "The text that is NULL where it is not quoted."},
	{Name: "skip", Of: "read_csv", Only: "0", Refused: "every line is a record", Try: "take the lines out first: tail -n +N FILE | ubik --from - …, N being the line that the header is in"},
	{Name: "comment", Of: "read_csv", Refused: "every line is a record", Try: "take such lines out first, as with grep -v '^#'"},
	{Name: "all_varchar", Of: "read_csv", Only: "false", Refused: "columns have the types that are found or declared", Try: byTable + "'csv'), with every column a VARCHAR"},
	{Name: "names", Of: "read_csv", Refused: "a call names no columns", Try: byTable + "'csv'), its columns in the order of the fields"},
	{Name: "types", Of: "read_csv", Refused: "a call gives no types", Try: byTable + "'csv')"},
	{Name: "dtypes", Of: "read_csv", Refused: "a call gives no types", Try: byTable + "'csv')"},
	{Name: "column_types", Of: "read_csv", Refused: "a call gives no types", Try: byTable + "'csv')"},
	{Name: "null_padding", Of: "read_csv", Only: "false", Refused: "a record with another number of fields is malformed", Try: "run with --on-error skip to leave such records out"},
	{Name: "strict_mode", Of: "read_csv", Only: "true", Refused: "a record that is not well quoted is malformed", Try: "run with --on-error skip to leave such records out"},
	{Name: "normalize_names", Of: "read_csv", Only: "false", Refused: "columns have the names of the header", Try: "name them in the query with AS"},
	{Name: "encoding", Of: "read_csv", Only: "utf-8", Refused: "text is UTF-8", Try: "convert it first, as with iconv -t UTF-8"},
	{Name: "decimal_separator", Of: "read_csv", Only: ".", Refused: "numbers are written with a point", Try: "declare it VARCHAR and cast it in the query: CAST(replace(x, ',', '.') AS DECIMAL(18,2))"},
	{Name: "store_rejects", Of: "read_csv", Only: "false", Refused: "malformed records are reported by the run", Try: "run with --on-error skip"},
	{Name: "max_line_size", Of: "read_csv", Refused: "the largest record is one of the run's", Try: "give it by --max-record"},
	{Name: "format", Of: "read_json", Source: true, Takes: "newline_delimited or auto", set: setJSONFormat, Doc: "How objects are parted: one a line."},
	{Name: "records", Of: "read_json", Source: true, Takes: "auto or true", set: setJSONRecords, Doc: "The fields of an object are columns."},
	{Name: "maximum_object_size", Of: "read_json", Refused: "the largest record is one of the run's", Try: "give it by --max-record"},
	{Name: "convert_strings_to_integers", Of: "read_json", Only: "false", Refused: "text is text", Try: "cast it in the query"},
	{Name: "columns", Refused: "a call gives no types", Try: byTable + "'…')"},
	{Name: "auto_detect", Only: "true", Refused: "what is not declared is found in the records", Try: byTable + "'…')"},
	{Name: "sample_size", Refused: "types are found in the first 1,000 records, always alike", Try: "leave it out, or declare the table: CREATE TABLE name (column TYPE, …)"},
	{Name: "ignore_errors", Only: "false", Refused: skipMalformed, Try: "leave it out, and run with --on-error skip"},
	{Name: "compression", Only: "auto", Refused: "the first bytes of a file tell", Try: "leave it out"},
	{Name: "filename", Only: "false", Refused: "the path of a record's file is the column _topic", Try: "leave it out"},
	{Name: "union_by_name", Only: "false", Refused: "files that are read together have the same columns", Try: "read them one by one"},
	{Name: "hive_partitioning", Only: "false", Refused: "directories are not columns", Try: "the path of a record's file is the column _topic"},
	{Name: "dateformat", Refused: "every usual spelling of a date is read", Try: "read other ones as VARCHAR, with strptime(text, format) in the query"},
	{Name: "timestampformat", Refused: "every usual spelling of a time is read", Try: "read other ones as VARCHAR, with strptime(text, format) in the query"},
}

func setJSONFormat(_ *draft, s *setting) error {
	switch sql.FoldName(s.text) {
	case "newline_delimited", "nd", "auto":
		return nil
	case "array":
		return s.wrong("convert it first: jq -c '.[]'", "cannot be array: a record is an object on a line of its own")
	case "unstructured":
		return s.wrong("convert it first: jq -c .", "cannot be unstructured: a record is an object on a line of its own")
	}
	return s.takesOneOf([]string{"newline_delimited", "auto"})
}

func setJSONRecords(_ *draft, s *setting) error {
	switch sql.FoldName(s.text) {
	case "auto", "true":
		return nil
	case "false":
		return s.wrong("use --format raw for lines as they are: the column _value", "cannot be false: the fields of an object are columns")
	}
	return s.takesOneOf([]string{"auto", "true"})
}

// takesArgument reports whether the reader that is called has an option.
func (d *draft) takesArgument(o *Option) bool { return o.Of == "" || o.Of == "read_"+d.table.Format }

// argument takes one option of the call of a reader.
func (d *draft) argument(a *sql.NamedArg) error {
	fits := d.takesArgument
	s := &setting{key: sql.FoldName(a.Name.Name), at: a.Name, value: a.Value}
	s.option = findOption(arguments, s.key, fits)
	if s.option == nil {
		if err := d.foreignArgument(a.Name.Name, a.Name, a.Value); err != nil {
			return err
		}
		e := sql.Errorf(a.Name, "%s has no option %s", d.function, sql.QuoteName(a.Name.Name))
		if near := sql.Nearest(a.Name.Name, optionNames(arguments, fits)); near != "" {
			return e.WithHint("did you mean %s?", near)
		}
		return e.WithHint("its options are: %s", sql.Listed(optionNames(arguments, func(o *Option) bool { return fits(o) && o.Refused == "" })))
	}
	if s.option.Refused == "" || s.option.Only != "" {
		text, ok := constant(a.Value)
		if !ok {
			return s.wrong("", "takes %s", takesOf(s.option))
		}
		if takes := takesOf(s.option); takes == "true" || takes == "false" || takes == "true or false" {
			switch text {
			case "0":
				text = "false"
			case "1":
				text = "true"
			}
		}
		s.text = text
	}
	return d.take(s)
}

func takesOf(o *Option) string {
	if o.Takes != "" {
		return o.Takes
	}
	return o.Only
}

// constant is the text of a string, a number or a boolean.
func constant(x sql.Expr) (string, bool) {
	switch x := x.(type) {
	case *sql.StringLit:
		return x.Value, true
	case *sql.BoolLit, *sql.NumberLit:
		return sql.FoldName(sql.Format(x)), true
	case *sql.ListLit:
		if len(x.Items) == 1 { // nullstr = ['NA']
			return constant(x.Items[0])
		}
	}
	return "", false
}
