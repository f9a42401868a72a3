package catalog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"ubik/internal/sql"
)

// kafkaOptions belong to topics. The client's properties are apart: see clientOptions.
var kafkaOptions = []Option{
	{Name: "topic", Of: "kafka", Source: true, Sink: true, Takes: "a name", set: setTopic, Doc: "The topic."},
	{Name: "topic-pattern", Of: "kafka", Refused: "a table is one topic", Try: "declare a table for each topic"},
	{Name: "compacted", Of: "kafka", Source: true, Takes: "true or false", set: checkFlag,
		Doc: "The topic may be compacted: what compaction removed before it was read is not missed."},
	{Name: "partitions", Of: "kafka", Sink: true, Takes: "a number from 1 to 100000", set: setPartitions,
		Doc: "How many partitions the topic gets if it does not exist; not given: as the broker has it."},
	{Name: "scan.startup.mode", Of: "kafka", Source: true, Takes: "earliest-offset, latest-offset, timestamp or specific-offsets", set: setStartMode,
		Doc: "Where the first run begins, as --start, which wins. Not given: earliest-offset."},
	{Name: "scan.startup.timestamp-millis", Of: "kafka", Source: true, Takes: "milliseconds since 1970 UTC", set: setStartMillis,
		Doc: "The time to begin at, of scan.startup.mode = 'timestamp'."},
	{Name: "scan.startup.specific-offsets", Of: "kafka", Source: true, Takes: "partition:0,offset:42;partition:1,offset:300", set: setStartOffsets,
		Doc: "The positions to begin at, of scan.startup.mode = 'specific-offsets'."},
	{Name: "scan.bounded.mode", Of: "kafka", Source: true, Takes: "unbounded or latest-offset", set: setBoundedMode,
		Doc: "latest-offset: the topic is read to the end it has at the first start, as by --until-end."},
	{Name: "scan.bounded.*", Of: "kafka", Refused: "a topic is read to the end it has at the first start, or without end", Try: "write 'scan.bounded.mode' = 'latest-offset', and filter in the query"},
	{Name: "scan.topic-partition-discovery.interval", Of: "kafka", Refused: "new partitions are looked for every few seconds", Try: "leave it out"},
	{Name: "scan.header-filter", Of: "kafka", Refused: "headers are not read", Try: "filter in the query"},
	{Name: "scan.check.duplicated.group.id", Of: "kafka", Refused: "no consumer group is joined", Try: "leave it out"},
}

func setTopic(_ *draft, s *setting) error {
	valid := s.text != "." && s.text != ".." && s.text != "" && len(s.text) <= 249
	for _, c := range []byte(s.text) {
		valid = valid && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-')
	}
	switch {
	case valid:
		return nil
	case strings.ContainsAny(s.text, ";,"):
		return s.wrong("declare a table for each topic", "is one topic, this is a list")
	}
	return s.takes("a name of letters, digits, '.', '_' and '-'")
}

func checkFlag(_ *draft, s *setting) error {
	_, err := s.flag()
	return err
}

func setPartitions(_ *draft, s *setting) error {
	if n, err := strconv.ParseInt(s.text, 10, 32); err != nil || n < 1 || n > 100_000 {
		return s.takes("a number from 1 to 100000")
	}
	return nil
}

func setStartMode(_ *draft, s *setting) error {
	modes := []string{"earliest-offset", "latest-offset", "timestamp", "specific-offsets"}
	switch {
	case slices.Contains(modes, s.text):
		return nil
	case s.text == "group-offsets":
		return s.wrong("leave it out: a run that resumes goes on where its checkpoint is", "cannot be group-offsets: no consumer group is joined, positions are in the checkpoint")
	}
	return s.takesOneOf(modes)
}

func setBoundedMode(_ *draft, s *setting) error {
	switch s.text {
	case "unbounded", "latest-offset":
		return nil
	case "group-offsets":
		return s.wrong("write 'latest-offset'", "cannot be group-offsets: no consumer group is joined")
	case "timestamp", "specific-offsets":
		return s.wrong("write 'latest-offset', and filter in the query", "cannot be %s: a topic is read to the end it has at the first start, or without end", s.text)
	}
	return s.takesOneOf([]string{"unbounded", "latest-offset"})
}

// takesOneOf says that a value is none of a few words, with the nearest.
func (s *setting) takesOneOf(words []string) error {
	if near := sql.Nearest(s.text, words); near != "" {
		return s.wrong("did you mean '"+near+"'?", "cannot be %s", sql.QuoteString(s.text))
	}
	return s.wrong("it is one of "+strings.Join(words, ", "), "cannot be %s", sql.QuoteString(s.text))
}

func setStartMillis(_ *draft, s *setting) error {
	if _, ok := millisText(s.text); !ok {
		return s.takes("a number of milliseconds since 1970, of the years 1 to 9999")
	}
	return nil
}

// millisText is a time given in milliseconds as --start takes it.
func millisText(text string) (string, bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	t := time.UnixMilli(n).UTC()
	if err != nil || t.Year() < 1 || t.Year() > 9999 {
		return "", false
	}
	return t.Format("2006-01-02 15:04:05.999"), true
}

func setStartOffsets(_ *draft, s *setting) error {
	if _, ok := offsetsText(s.text); !ok {
		return s.takes("positions such as 'partition:0,offset:42;partition:1,offset:300'")
	}
	return nil
}

// offsetsText is partition:0,offset:42;… as --start takes it: {0:42,…}.
func offsetsText(text string) (string, bool) {
	var list []string
	for _, one := range strings.Split(strings.TrimSuffix(text, ";"), ";") {
		p, o, ok := strings.Cut(strings.TrimSpace(one), ",")
		p, okP := strings.CutPrefix(strings.TrimSpace(p), "partition:")
		o, okO := strings.CutPrefix(strings.TrimSpace(o), "offset:")
		if !ok || !okP || !okO {
			return "", false
		}
		list = append(list, strings.TrimSpace(p)+":"+strings.TrimSpace(o))
	}
	text = "{" + strings.Join(list, ",") + "}"
	_, ok := parseStart(text)
	return text, ok
}

// finishKafka makes the URL of a topic, and where it is read from and to.
func (d *draft) finishKafka(ct *sql.CreateTable) error {
	name := sql.QuoteName(ct.Name.Name)
	servers, topic := d.given("bootstrap.servers"), d.given("topic")
	switch {
	case servers == nil:
		return sql.Errorf(ct.Name, "%s has no bootstrap.servers", name).WithHint("name the brokers: 'bootstrap.servers' = 'host1:9092,host2:9092'")
	case topic == nil:
		return sql.Errorf(ct.Name, "%s has no topic", name).WithHint("name it: 'topic' = 'txns'")
	}
	d.table.Client = d.loader.client(d.table.Kind, d.table.Client)
	var hosts []string
	for _, h := range strings.Split(servers.text, ",") {
		h = strings.TrimSpace(h)
		if strings.Contains(h, "@") {
			return servers.wrong("write 'sasl.username' = '…', and -X sasl.password=…", "holds no user or password")
		}
		if h == "" || strings.ContainsAny(h, "/?#@ ;") {
			return servers.takes("brokers such as 'host1:9092,host2:9092'")
		}
		hosts = append(hosts, h)
	}
	d.table.URL = "kafka://" + strings.Join(hosts, ",") + "/" + topic.text
	if d.sink {
		if n := d.text("partitions"); n != "" {
			d.table.URL += "?partitions=" + n
		}
		return nil
	}
	if strings.EqualFold(d.text("compacted"), "true") {
		d.table.URL += "?compacted=yes"
	}
	d.table.UntilEnd = d.text("scan.bounded.mode") == "latest-offset"
	if d.table.UntilEnd && d.loader.in.Flags.KeepOpen {
		return sql.Errorf(d.given("scan.bounded.mode").at, "--keep-open leaves windows open and scan.bounded.mode closes them").WithHint("give one of them")
	}
	return d.start()
}

// start puts the three options of where to begin together.
func (d *draft) start() error {
	const modeName = "scan.startup.mode"
	mode := d.text(modeName)
	for _, of := range []struct{ mode, name, form string }{
		{"timestamp", "scan.startup.timestamp-millis", "1767225600000"},
		{"specific-offsets", "scan.startup.specific-offsets", "partition:0,offset:42"},
	} {
		s := d.given(of.name)
		switch {
		case s == nil && mode == of.mode:
			return d.given(modeName).wrong(fmt.Sprintf("add '%s' = '%s'", of.name, of.form), "= '%s' needs %s", mode, of.name)
		case s != nil && mode != of.mode:
			return sql.Errorf(s.at, "option %s is for %s = '%s'", s.key, modeName, of.mode).WithHint("add '%s' = '%s', or leave it out", modeName, of.mode)
		}
	}
	switch mode {
	case "earliest-offset":
		d.table.Start = "earliest"
	case "latest-offset":
		d.table.Start = "latest"
	case "timestamp":
		d.table.Start, _ = millisText(d.text("scan.startup.timestamp-millis"))
	case "specific-offsets":
		d.table.Start, _ = offsetsText(d.text("scan.startup.specific-offsets"))
	}
	return nil
}
