package catalog

import (
	"slices"
	"strings"

	"ubik/internal/sql"
)

// tableOptions belong to every declared table.
var tableOptions = []Option{
	{Name: "connector", Source: true, Sink: true, Takes: "kafka, filesystem, stdin (source) or print (sink)", Doc: "Where the records are."},
	{Name: "format", Source: true, Sink: true, Takes: "json, csv, tsv or raw", set: setFormat,
		Doc: "How a record is spelled. Not given: by the ending of the path; json for a topic."},
	{Name: "value.format", Same: "format", Source: true, Sink: true, Takes: "json, csv, tsv or raw", set: setFormat, Doc: "The same as format."},
	{Name: "key.fields", Sink: true, Takes: "column names, separated by semicolons", Doc: "The columns that are the key of what is written: another spelling of PRIMARY KEY."},
	{Name: "key.format", Source: true, Sink: true, Takes: "raw for a source, json for a sink", set: setKeyFormat,
		Doc: "How a key is spelled: of a source, the column _key has its bytes; of a sink, it is a JSON object of the key columns."},
	{Name: "key.fields-prefix", Refused: "the columns of a key have the names of the query's columns", Try: "name them with AS"},
	{Name: "value.fields-include", Sink: true, Takes: "ALL", Only: "ALL", Refused: "a row is written with all its columns, those of the key included",
		Doc: "The key columns are also in the value.", Try: "leave it out"},
	{Name: "scan.parallelism", Refused: "a run has one number of workers", Try: "give it by --workers"},
	{Name: "scan.watermark.idle-timeout", Refused: "a partition without records holds the watermark back, so that results do not depend on the clock", Try: "leave it out"},
	{Name: "scan.watermark.*", Refused: "the watermark is a function of the records alone", Try: "the delay is that of WATERMARK FOR, or of --delay"},
	{Name: "sink.delivery-guarantee", Refused: "rows are always written with exactly-once effect", Try: "leave it out"},
	{Name: "sink.semantic", Refused: "rows are always written with exactly-once effect", Try: "leave it out"},
	{Name: "sink.transactional-id-prefix", Refused: "rows are written once by their keys, without transactions", Try: "leave it out"},
	{Name: "sink.partitioner", Refused: "a row goes to the partition that the hash of its key tells, so that a run that resumes finds it there", Try: "leave it out"},
	{Name: "sink.parallelism", Refused: "one writer keeps the order of rows", Try: "the workers that compute them are given by --workers"},
	{Name: "sink.buffer-flush.*", Refused: "rows are flushed at each checkpoint", Try: "its interval is given by --checkpoint-interval"},
	{Name: "sink.rolling-policy.*", Refused: "a sink is one file, which a run that resumes goes on with", Try: "split it when the run is over"},
	{Name: "sink.partition-commit.*", Refused: "a sink is one file", Try: "leave it out"},
	{Name: "sink.*", Refused: "a sink is what its connector, its path or topic, and its PRIMARY KEY say", Try: "leave it out"},
}

func setFormat(d *draft, s *setting) error {
	text := sql.FoldName(s.text)
	known := d.loader.in.Formats
	if !slices.Contains(known, text) {
		e := sql.Errorf(s.value, "there is no format %s", s.text)
		if near := sql.Nearest(s.text, known); near != "" {
			return e.WithHint("did you mean '%s'?", near)
		}
		return e.WithHint("the formats are: %s", strings.Join(known, ", "))
	}
	d.table.Format = text
	return nil
}

func setKeyFormat(d *draft, s *setting) error {
	text := sql.FoldName(s.text)
	switch {
	case d.sink && text != "json":
		return s.wrong("leave it out", "can only be json: the key of a row is a JSON object of its key columns")
	case !d.sink && text != "raw":
		return s.wrong("leave it out, and take what is needed out of _key", "can only be raw: the key of a record is the column _key, its bytes as they are")
	}
	return nil
}

// fileOptions belong to files.
var fileOptions = []Option{
	{Name: "path", Of: "filesystem", Source: true, Sink: true, Takes: "a path", Doc: "A file; of a source also a directory, or a pattern such as logs/2026-*.jsonl or logs/**/*.jsonl."},
	{Name: "follow", Of: "filesystem", Source: true, Takes: "true or false", set: setFollow, Doc: "Files are read on and on as they grow."},
	{Name: "source.monitor-interval", Of: "filesystem", Source: true, Takes: "a duration, such as 10 s", set: setMonitor,
		Doc: "Files are read on and on as they grow, as by follow; how often they are looked at is not taken from it."},
	{Name: "source.path.regex-pattern", Of: "filesystem", Refused: "a pattern stands in the path", Try: "write 'path' = 'logs/2026-*.jsonl'"},
	{Name: "source.report-statistics", Of: "filesystem", Refused: "a plan does not depend on sizes", Try: "leave it out"},
	{Name: "partition.*", Of: "filesystem", Refused: "directories are not columns", Try: "the column _topic has the path of a record's file"},
	{Name: "auto-compaction", Of: "filesystem", Refused: "a sink is one file", Try: "leave it out"},
	{Name: "compaction.*", Of: "filesystem", Refused: "a sink is one file", Try: "leave it out"},
}

func setFollow(d *draft, s *setting) error {
	on, err := s.flag()
	if err != nil {
		return err
	}
	if !on {
		return d.followsAndNot()
	}
	return d.follow(s)
}

func setMonitor(d *draft, s *setting) error {
	if !isDuration(s.text) {
		return s.takes("a duration above zero, such as '10 s'")
	}
	if err := d.followsAndNot(); err != nil {
		return err
	}
	return d.follow(s)
}

// followsAndNot fails when source.monitor-interval and follow contradict each other.
func (d *draft) followsAndNot() error {
	m, f := d.given("source.monitor-interval"), d.given("follow")
	if m == nil || f == nil || !strings.EqualFold(f.text, "false") {
		return nil
	}
	return f.wrong("give one of them", "= false, but source.monitor-interval says that files are followed")
}

func (d *draft) follow(s *setting) error {
	if d.sink {
		return nil
	}
	switch f := d.loader.in.Flags; {
	case f.KeepOpen:
		return sql.Errorf(s.at, "a followed file has no end, and --keep-open stops at it").WithHint("leave one of them away")
	case f.UntilEnd:
		return sql.Errorf(s.at, "a followed file has no end, and --until-end stops at it").WithHint("leave one of them away")
	}
	d.table.Follow = true
	return nil
}

// isDuration reports whether a text is a duration as Flink SQL has them, above zero: 10 s, 1min, 500 ms.
func isDuration(text string) bool {
	digits := 0
	for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' {
		digits++
	}
	number, unit := text[:digits], strings.ToLower(strings.TrimSpace(text[digits:]))
	if strings.Trim(number, "0") == "" {
		return false
	}
	return slices.Contains([]string{"", "ms", "milli", "millis", "millisecond", "milliseconds", "s", "sec", "secs", "second", "seconds",
		"m", "min", "mins", "minute", "minutes", "h", "hour", "hours", "d", "day", "days"}, unit)
}
