package catalog

import (
	"ubik/internal/connector"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

// Table is a source or a sink, however it was declared.
type Table struct {
	Name string // as SQL names it; no two sources have the same, case apart
	Kind *connector.Kind
	URL  string // as Kind takes it
	Log  string // how the fingerprint names it: addresses of brokers may change, what is read may not
	// Client are the properties of its client by librdkafka's names, those of flags included, which win. They may be
	// secrets. nil: none, or the connector has no client.
	Client map[string]string
	Format string // "json", "csv", "tsv", "raw"; "": not said
	// FormatOptions are what is said about the format, by these names: delimiter, quote and escape, one ASCII character
	// each, a quote of "" meaning that there are none; header, true or false; null, the text that is NULL. nil: nothing.
	FormatOptions map[string]string
	Schema        []vec.Field // declared columns in order, which for CSV without a header is that of the fields; nil: to be inferred
	Time          string      // the column that WATERMARK FOR names, ""
	Delay         vec.Time    // µs; vec.Forever: unlimited; -1: the default
	Key           []string    // sink: columns of PRIMARY KEY; nil: none
	KeyAt         sql.Node    // where Key is declared; nil: it is not
	KeySaid       string      // what declares it: PRIMARY KEY or key.fields
	Start         string      // source: where to begin, as ParseStart takes it; "": not said
	UntilEnd      bool        // source: a log that goes on is read to the end it has at the first start
	Follow        bool        // source: files are read on and on
	At            sql.Node    // where it was declared; nil: by a flag
}

// Input is what a run is told.
type Input struct {
	Text    string // the script
	Flags   Flags
	Kinds   []*connector.Kind
	Formats []string // the formats there are
}

// Flags are the flags of a run that concern its tables, as given.
type Flags struct {
	From, Schema, Delay, Format, Start []string          // each [NAME=]VALUE
	To, ToFormat                       string            // "": not given
	Key                                string            // columns separated by commas; "": not given
	Client                             map[string]string // client properties by librdkafka's names
	UntilEnd, KeepOpen, Follow         bool
}

// Job is a script with its names resolved.
type Job struct {
	// Sources are those of --from, read or not, in the order given; then the declared tables that the query reads, in
	// the order of their declarations; then the paths that it names, in the order of the text.
	Sources []Table
	Sink    Table
	// Views are those that the query reads, each behind those that it reads itself.
	Views []*sql.CreateView
	// Query is the query. Where FROM named a path, also in a view, there is a TableName of a source, with the span of
	// what it replaced.
	Query   sql.Query
	Key     []string    // the columns of --key or of the sink's PRIMARY KEY; nil: the default key
	Columns []sql.Ident // of INSERT INTO name (columns); nil: none
}

// TextError is a fault of another text than the script.
type TextError struct {
	Err  error // a *sql.Error
	Name string
	Text string
}

func (e *TextError) Error() string { return e.Err.Error() }
func (e *TextError) Unwrap() error { return e.Err }
