package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"ubik/internal/catalog"
	"ubik/internal/fault"
	"ubik/internal/sql"
)

// list is a flag that may be given several times.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// options are the flags of a run.
type options struct {
	from, schema, delay, format, start, client list

	to, toFormat, resume, key, onError, file string
	untilEnd, keepOpen, follow, fresh, quiet bool
	interval, status, shutdown, inferWait    time.Duration
	workers, keep                            int
	maxRecord                                int
	query                                    string
	properties                               map[string]string // of client
}

// usageFault is a fault of the command line.
func usageFault(try, format string, args ...any) error {
	return fault.New(fault.Usage, fmt.Sprintf(format, args...), try)
}

func newFlags(o *options) *flag.FlagSet {
	fs := flag.NewFlagSet("ubik", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Var(&o.from, "from", "read this source `URL`: kafka://HOST:PORT/TOPIC, a file, a directory, a glob, or - for standard input; NAME=URL names its table")
	fs.StringVar(&o.to, "to", "", "write to this sink `URL`: kafka://HOST:PORT/TOPIC, a file, or - for standard output")
	fs.StringVar(&o.resume, "resume", "", "keep state and positions in this checkpoint `FILE`, and go on from it when it exists")
	fs.Var(&o.schema, "schema", "the source's `COLUMNS`: \"merchant VARCHAR, amount DECIMAL(18,2)\"; NAME=COLUMNS for one of several sources (default: found in its first records, and shown)")
	fs.Var(&o.format, "format", "how records are written, by `NAME`: json, csv, tsv or raw; TABLE=NAME for one of several sources (default: by the ending of a file; else json)")
	fs.StringVar(&o.toFormat, "to-format", "", "how rows are written, by `NAME`: json, csv, tsv or raw (default: by the ending of a file; else json)")
	fs.Var(&o.start, "start", "where the first start begins to read: earliest, latest, a `TIME` of the log, or {PARTITION:OFFSET, …}; NAME=… for one of several sources (default earliest)")
	fs.Var(&o.delay, "delay", "how far a record may come behind the newest of its partition and not be late: a `DURATION` such as 5s, or unlimited; NAME=DURATION for one of several sources (default 5s; unlimited for files read to their end)")
	fs.BoolVar(&o.untilEnd, "until-end", false, "read topics to the end they have at the first start, and standard input to its end, close every window, and stop")
	fs.BoolVar(&o.keepOpen, "keep-open", false, "stop at the present end with the windows open; the next run goes on")
	fs.BoolVar(&o.follow, "follow", false, "read files on and on as they grow")
	fs.DurationVar(&o.inferWait, "infer-wait", 10*time.Second, "how long to wait for the first records of a topic whose columns are to be found")
	fs.StringVar(&o.key, "key", "", "the output `COLUMNS` that are the key of the sink's records, separated by commas (default: window and group, or the record's position)")
	fs.StringVar(&o.onError, "on-error", "stop", "what happens at a malformed record, by `MODE`: stop the run, or skip the record, counted and reported")
	fs.DurationVar(&o.interval, "checkpoint-interval", time.Second, "time between checkpoints")
	fs.IntVar(&o.keep, "keep", 0, "keep `N` predecessors of the checkpoint as FILE.1, FILE.2, …")
	fs.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "`N` workers, 1 to 256; may change from run to run")
	fs.DurationVar(&o.shutdown, "shutdown-timeout", 25*time.Second, "how long the end may take after SIGTERM or SIGINT")
	fs.BoolVar(&o.fresh, "fresh", false, "start without a checkpoint although the sink holds rows: a file is emptied, a topic keeps them")
	fs.IntVar(&o.maxRecord, "max-record", 64<<20, "the largest record in `BYTES`; larger ones are malformed")
	fs.DurationVar(&o.status, "status-every", 10*time.Second, "time between status lines; 0 for none")
	fs.BoolVar(&o.quiet, "quiet", false, "print only warnings and errors")
	fs.StringVar(&o.file, "f", "", "read the query from this `FILE`")
	fs.Var(&o.client, "X", "a Kafka client property by librdkafka's name, `NAME=VALUE`; may be given several times")
	return fs
}

// parseFlags reads the command line; flags may stand before and behind the query.
func parseFlags(args []string) (*options, error) {
	o := &options{}
	fs := newFlags(o)
	var words []string
	for {
		if err := fs.Parse(args); err != nil {
			return nil, flagFault(fs, err)
		}
		args = fs.Args()
		if len(args) == 0 {
			break
		}
		words = append(words, args[0])
		args = args[1:]
	}
	if err := o.splitProperties(); err != nil {
		return nil, err // before anything is quoted: a word may be a secret that lost its name
	}
	if err := refuseEmpty(fs); err != nil {
		return nil, err
	}
	if len(words) > 0 && isCommand(words[0]) {
		return nil, usageFault("write ubik "+words[0]+" and its flags behind it", "the command %s stands behind flags", words[0])
	}
	switch {
	case len(words) > 1:
		return nil, usageFault("quote the query: ubik --from … \"SELECT … FROM …\"", "more than one argument%s", o.quoted(words))
	case len(words) == 1 && o.file != "":
		return nil, usageFault("give one of them", "a query and -f %s", o.file)
	case len(words) == 1:
		o.query = words[0]
	}
	switch {
	case o.onError != "stop" && o.onError != "skip":
		return nil, usageFault("write --on-error stop or --on-error skip", "--on-error %s is not known", o.onError)
	case o.workers < 1 || o.workers > 256:
		return nil, usageFault("give a number from 1 to 256", "--workers %d is out of range", o.workers)
	case o.interval < time.Millisecond:
		return nil, usageFault("give 1ms or more; the default is 1s", "--checkpoint-interval %v is too short", o.interval)
	case o.shutdown <= 0:
		return nil, usageFault("the default is 25s", "--shutdown-timeout %v is not a time", o.shutdown)
	case o.maxRecord < 1 || o.maxRecord > 1<<30:
		return nil, usageFault("the default is 67108864", "--max-record %d is out of range (1 to 1073741824)", o.maxRecord)
	case o.keep < 0 || o.keep > 1000:
		return nil, usageFault("give a number from 0 to 1000", "--keep %d is out of range", o.keep)
	case o.keepOpen && o.untilEnd:
		return nil, usageFault("give one of them", "--keep-open leaves windows open and --until-end closes them")
	case o.follow && o.keepOpen:
		return nil, usageFault("give one of them", "--follow waits for more and --keep-open stops at the present end")
	case o.status < 0:
		return nil, usageFault("the default is 10s, 0 is none", "--status-every %v is not a time", o.status)
	case o.inferWait < 0:
		return nil, usageFault("the default is 10s", "--infer-wait %v is not a time", o.inferWait)
	}
	return o, nil
}

// refuseEmpty fails for a flag that was given without a value, as by a variable that is not set: it would silently
// count as left out, and a run without its checkpoint is another run.
func refuseEmpty(fs *flag.FlagSet) (err error) {
	fs.Visit(func(f *flag.Flag) {
		switch f.Name {
		case "resume", "key", "f":
			if f.Value.String() == "" && err == nil {
				err = usageFault("give one, or leave "+dashed(f.Name)+" away", "%s has no value", dashed(f.Name))
			}
		}
	})
	return err
}

// quoted shows two of several arguments, of which one may be a secret that lost its name.
func (o *options) quoted(words []string) string {
	if len(o.client) > 0 {
		return ""
	}
	return fmt.Sprintf(": %q and %q", catalog.Redact(words[0]), catalog.Redact(words[1]))
}

// splitProperties takes the -X values apart. They may be secrets, so that no message holds more than a name.
func (o *options) splitProperties() error {
	o.properties = map[string]string{}
	for _, x := range o.client {
		name, value, ok := strings.Cut(x, "=")
		if !ok {
			return usageFault("write -X NAME=VALUE", "-X %s has no value", propertyOf(x))
		}
		o.properties[name] = value
	}
	var err error
	o.properties, err = catalog.ClientProperties(o.properties)
	return err
}

// propertyOf is the client property whose name a text begins with; the rest, or all of it, may be a value.
func propertyOf(text string) string {
	name := ""
	for _, o := range catalog.Options() {
		if o.Of == "kafka" && strings.HasPrefix(text, o.Name) && len(o.Name) > len(name) {
			name = o.Name
		}
	}
	if name == "" {
		return "…"
	}
	return name
}

// flagFault turns the flag package's error into one that names the nearest flag.
func flagFault(fs *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: -"); ok {
		name = strings.TrimPrefix(name, "-")
		var names []string
		fs.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
		if len(name) > 1 && fs.Lookup(name[:1]) != nil && shortForm.MatchString(name) {
			return usageFault("write -"+name[:1]+" "+name[1:], "unknown flag -%s", name)
		}
		if near := sql.Nearest(name, names); near != "" {
			return usageFault("did you mean "+dashed(near)+"?", "unknown flag %s", dashed(name))
		}
		return usageFault("'ubik help' lists the flags", "unknown flag %s", dashed(name))
	}
	if m := flagForm.FindStringSubmatch(msg); m != nil {
		takes := "a value"
		if f := fs.Lookup(m[2]); f != nil {
			takes = valueForm(f)
		}
		if m[1] == "" {
			return usageFault("it takes "+takes, "%s needs a value", dashed(m[2]))
		}
		value, err := strconv.Unquote(m[1])
		if err != nil {
			value = m[1]
		}
		if days := catalog.NoDays(dashed(m[2])+" ", value); days != nil && takes == aDuration {
			return days
		}
		return usageFault("it takes "+takes, "%s %s is not understood", dashed(m[2]), value)
	}
	return usageFault("'ubik help' shows the flags", "%s", msg)
}

// shortForm is a flag of one letter with its value right behind it, as far as that is no longer flag misspelt.
var shortForm = regexp.MustCompile(`^[A-Za-z]([0-9]+|.*[./].*)$`)

// flagForm are the flag package's complaints about a value: a wrong one, or none.
var flagForm = regexp.MustCompile(`^(?:invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?|flag needs an argument: )-([^ :]+)`)

func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

const aDuration = "a duration, such as 500ms, 5s or 1m30s"

// textForms say what the flags take that take a text.
var textForms = map[string]string{
	"from":      "a source, such as kafka://localhost:9092/txns or txns.jsonl",
	"to":        "a sink, such as kafka://localhost:9092/txn_counts or counts.jsonl",
	"resume":    "the checkpoint's file, such as txns.ckpt",
	"schema":    "columns, such as \"merchant VARCHAR, amount DECIMAL(18,2)\"",
	"format":    "json, csv, tsv or raw",
	"to-format": "json, csv, tsv or raw",
	"start":     "earliest, latest, a time such as \"2026-01-01 00:00:00\", or positions such as {0:5,1:7}",
	"delay":     aDuration + ", or unlimited",
	"key":       "output columns, separated by commas",
	"on-error":  "stop or skip",
	"f":         "the query's file, such as job.sql",
	"X":         "a client property, NAME=VALUE",
}

// valueForm says what kind of value a flag takes.
func valueForm(f *flag.Flag) string {
	if text := textForms[f.Name]; text != "" {
		return text
	}
	switch f.Value.(flag.Getter).Get().(type) {
	case time.Duration:
		return aDuration
	case int:
		return "a whole number"
	case bool:
		return "no value, or =true or =false"
	}
	panic("ubik: it is not said what --" + f.Name + " takes")
}
