package kafka

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"ubik/internal/fault"
)

// properties are the client properties, by librdkafka's names, checked and in our own types.
type properties struct {
	clientID   string
	tls        bool
	sasl       bool
	mechanism  string
	user, pass string
	ca         string // paths
	cert, key  string
	anyHost    bool // the certificate's name is not compared
	anyCert    bool // the certificate is not checked at all
	codec      string
	linger     time.Duration
	delivery   time.Duration
	fetchWait  time.Duration
	fetchBytes int32 // most bytes of one answer
	partBytes  int32 // most bytes of one partition in an answer
	dial       time.Duration
}

// property is one entry of the list of names. set gets the value; its error is a phrase without the value, so that no
// secret can get into a message.
type property struct {
	name string
	set  func(p *properties, v string) error
}

func text(field func(*properties) *string) func(*properties, string) error {
	return func(p *properties, v string) error {
		*field(p) = v
		return nil
	}
}

func millis(field func(*properties) *time.Duration, from, to int64) func(*properties, string) error {
	return func(p *properties, v string) error {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < from || n > to {
			return fmt.Errorf("takes a number of milliseconds from %d to %d", from, to)
		}
		*field(p) = time.Duration(n) * time.Millisecond
		return nil
	}
}

func bytesOf(field func(*properties) *int32) func(*properties, string) error {
	return func(p *properties, v string) error {
		n, err := strconv.ParseInt(v, 10, 32)
		if err != nil || n < 1024 || n > 1<<30 {
			return fmt.Errorf("takes a number of bytes from 1024 to %d", 1<<30)
		}
		*field(p) = int32(n)
		return nil
	}
}

func oneOf(apply map[string]func(*properties)) func(*properties, string) error {
	return func(p *properties, v string) error {
		f, ok := apply[strings.ToLower(v)]
		if !ok {
			return fmt.Errorf("takes one of %s", strings.Join(sortedKeys(apply), ", "))
		}
		f(p)
		return nil
	}
}

// fixed is a property that the guarantee rests on: it may be given, with the only value it has.
func fixed(value string) func(*properties, string) error {
	return func(_ *properties, v string) error {
		if !strings.EqualFold(v, value) {
			return fmt.Errorf("is always %s here: exactly-once effect rests on it", value)
		}
		return nil
	}
}

func setMechanism(p *properties, v string) error {
	switch v = strings.ToUpper(v); v {
	case "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512":
		p.mechanism = v
		return nil
	}
	return fmt.Errorf("takes one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512")
}

func setCodec(p *properties, v string) error {
	switch v = strings.ToLower(v); v {
	case "none", "gzip", "snappy", "lz4", "zstd":
		p.codec = v
		return nil
	}
	return fmt.Errorf("takes one of none, gzip, snappy, lz4, zstd")
}

var propertyList = []property{
	{"acks", fixed("all")},
	{"client.id", text(func(p *properties) *string { return &p.clientID })},
	{"compression.codec", setCodec},
	{"compression.type", setCodec},
	{"delivery.timeout.ms", millis(func(p *properties) *time.Duration { return &p.delivery }, 1000, 86_400_000)},
	{"enable.idempotence", fixed("true")},
	{"enable.ssl.certificate.verification", oneOf(map[string]func(*properties){
		"true": func(p *properties) { p.anyCert = false }, "false": func(p *properties) { p.anyCert = true }})},
	{"fetch.max.bytes", bytesOf(func(p *properties) *int32 { return &p.fetchBytes })},
	{"fetch.message.max.bytes", bytesOf(func(p *properties) *int32 { return &p.partBytes })},
	{"fetch.wait.max.ms", millis(func(p *properties) *time.Duration { return &p.fetchWait }, 1, 10_000)},
	{"isolation.level", fixed("read_committed")},
	{"linger.ms", millis(func(p *properties) *time.Duration { return &p.linger }, 0, 10_000)},
	{"max.partition.fetch.bytes", bytesOf(func(p *properties) *int32 { return &p.partBytes })},
	{"message.timeout.ms", millis(func(p *properties) *time.Duration { return &p.delivery }, 1000, 86_400_000)},
	{"queue.buffering.max.ms", millis(func(p *properties) *time.Duration { return &p.linger }, 0, 10_000)},
	{"sasl.mechanism", setMechanism},
	{"sasl.mechanisms", setMechanism},
	{"sasl.password", text(func(p *properties) *string { return &p.pass })},
	{"sasl.username", text(func(p *properties) *string { return &p.user })},
	{"security.protocol", oneOf(map[string]func(*properties){
		"plaintext":      func(p *properties) { p.tls, p.sasl = false, false },
		"ssl":            func(p *properties) { p.tls, p.sasl = true, false },
		"sasl_plaintext": func(p *properties) { p.tls, p.sasl = false, true },
		"sasl_ssl":       func(p *properties) { p.tls, p.sasl = true, true }})},
	{"socket.connection.setup.timeout.ms", millis(func(p *properties) *time.Duration { return &p.dial }, 100, 600_000)},
	{"ssl.ca.location", text(func(p *properties) *string { return &p.ca })},
	{"ssl.certificate.location", text(func(p *properties) *string { return &p.cert })},
	{"ssl.endpoint.identification.algorithm", oneOf(map[string]func(*properties){
		"https": func(p *properties) { p.anyHost = false }, "none": func(p *properties) { p.anyHost = true }})},
	{"ssl.key.location", text(func(p *properties) *string { return &p.key })},
}

// parseProperties checks the properties of the command line. It touches no file.
func parseProperties(client map[string]string) (properties, error) {
	p := properties{clientID: "ubik", codec: "lz4", linger: 5 * time.Millisecond, delivery: 2 * time.Minute,
		fetchWait: 500 * time.Millisecond, fetchBytes: 8 << 20, partBytes: 1 << 20, dial: 10 * time.Second}
	wrong := func(try, format string, args ...any) error {
		return fault.New(fault.Usage, fmt.Sprintf(format, args...), try)
	}
	for _, name := range sortedKeys(client) {
		if name == "bootstrap.servers" || name == "metadata.broker.list" {
			return p, wrong(example, "client property %s is not taken: the URL names the brokers", name)
		}
		entry, ok := findProperty(name)
		if !ok {
			return p, wrong(suggestion(name), "there is no client property %q", name)
		}
		if err := entry.set(&p, client[name]); err != nil {
			return p, wrong("", "client property %s %v", name, err)
		}
	}
	switch {
	case p.sasl && p.mechanism == "":
		return p, wrong("add -X sasl.mechanism=PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", "security.protocol asks for SASL, but sasl.mechanism is not given")
	case p.sasl && (p.user == "" || p.pass == ""):
		return p, wrong("add -X sasl.username=… -X sasl.password=…", "security.protocol asks for SASL, but sasl.username or sasl.password is not given")
	case !p.sasl && (p.mechanism != "" || p.user != "" || p.pass != ""):
		return p, wrong("add -X security.protocol=SASL_SSL (or SASL_PLAINTEXT)", "sasl properties are given, but security.protocol does not ask for SASL")
	case !p.tls && (p.ca != "" || p.cert != "" || p.key != ""):
		return p, wrong("add -X security.protocol=SSL (or SASL_SSL)", "ssl properties are given, but security.protocol does not ask for SSL")
	case (p.cert == "") != (p.key == ""):
		return p, wrong("", "ssl.certificate.location and ssl.key.location belong together: only one is given")
	}
	return p, nil
}

func findProperty(name string) (property, bool) {
	for _, e := range propertyList {
		if e.name == name {
			return e, true
		}
	}
	return property{}, false
}

func suggestion(name string) string {
	var names []string
	for _, e := range propertyList {
		names = append(names, e.name)
	}
	if near := nearest(name, names, 1); len(near) > 0 {
		return "did you mean " + near[0] + "?"
	}
	return "the properties are " + strings.Join(names, ", ")
}
