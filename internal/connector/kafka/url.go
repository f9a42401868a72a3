package kafka

import (
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"ubik/internal/fault"
)

const example = "write kafka://host1:9092,host2:9092/topic"

const defaultPort = "9092"

// role says which end of a run a URL names; the query parameters differ.
type role int

const (
	roleSource role = iota
	roleSink
)

// target is a parsed URL.
type target struct {
	brokers    []string // host:port
	topic      string
	compacted  bool  // source: the user accepts a compacted topic
	partitions int32 // sink: partitions of a topic that is created, -1: as the broker has it
}

// parseURL parses a URL of the package comment's form. Its errors are Usage and show no more of the URL than the part
// that is wrong, since a password may stand in it.
func parseURL(s string, r role) (target, error) {
	t := target{partitions: -1}
	rest, ok := strings.CutPrefix(s, "kafka://")
	if !ok {
		return t, fault.New(fault.Usage, "a Kafka URL begins with kafka://", example)
	}
	rest, query, _ := strings.Cut(rest, "?")
	hosts, topic, _ := strings.Cut(rest, "/")
	if strings.Contains(hosts, "@") {
		return t, fault.New(fault.Usage, "a Kafka URL holds no user or password",
			"give them as client properties: -X sasl.username=… -X sasl.password=…")
	}
	for _, h := range strings.Split(hosts, ",") {
		b, err := brokerAddress(h)
		if err != nil {
			return t, err
		}
		t.brokers = append(t.brokers, b)
	}
	if err := checkTopic(topic); err != nil {
		return t, err
	}
	t.topic = topic
	return t, t.parameters(query, r)
}

func brokerAddress(h string) (string, error) {
	wrong := func(what string) error {
		return fault.New(fault.Usage, fmt.Sprintf("broker %q of the Kafka URL %s", h, what), example)
	}
	if h == "" {
		return "", fault.New(fault.Usage, "the Kafka URL names no broker", example)
	}
	if strings.HasPrefix(h, "[") && strings.HasSuffix(h, "]") || !strings.Contains(h, ":") {
		h += ":" + defaultPort
	}
	host, port, err := net.SplitHostPort(h)
	if err != nil || host == "" {
		return "", wrong("is not host:port")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", wrong("has no valid port")
	}
	return h, nil
}

// checkTopic accepts what a broker accepts as a topic's name.
func checkTopic(name string) error {
	wrong := func(what string) error {
		return fault.New(fault.Usage, "the Kafka URL "+what, example)
	}
	switch {
	case name == "":
		return wrong("names no topic")
	case strings.Contains(name, "/"):
		return wrong(fmt.Sprintf("has several path parts (%s): a topic's name is one", name))
	case name == "." || name == ".." || len(name) > 249:
		return wrong(fmt.Sprintf("names no valid topic: %q", name))
	}
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '_' || c == '-') {
			return wrong(fmt.Sprintf("names no valid topic: %q has a character that is none of letters, digits, '.', '_' and '-'", name))
		}
	}
	return nil
}

func (t *target) parameters(query string, r role) error {
	wrong := func(msg, try string) error { return fault.New(fault.Usage, msg, try) }
	values, err := url.ParseQuery(query)
	if err != nil {
		return wrong("the Kafka URL has a query that cannot be read", example)
	}
	for _, name := range sortedKeys(values) {
		v := values.Get(name)
		switch {
		case name == "compacted" && r == roleSource:
			if v != "yes" {
				return wrong(fmt.Sprintf("parameter compacted of the Kafka URL is %q", v), "write compacted=yes, or leave it out")
			}
			t.compacted = true
		case name == "partitions" && r == roleSink:
			n, err := strconv.ParseInt(v, 10, 32)
			if err != nil || n < 1 || n > 100_000 {
				return wrong(fmt.Sprintf("parameter partitions of the Kafka URL is %q", v), "write a number from 1 to 100000, such as partitions=12")
			}
			t.partitions = int32(n)
		case r == roleSource:
			return wrong(fmt.Sprintf("the Kafka URL of a source has no parameter %q", name),
				"its one parameter is compacted=yes; client properties go to -X, such as -X client.id=me")
		default:
			return wrong(fmt.Sprintf("the Kafka URL of a sink has no parameter %q", name),
				"its one parameter is partitions, such as partitions=12; client properties go to -X, such as -X client.id=me")
		}
	}
	return nil
}
