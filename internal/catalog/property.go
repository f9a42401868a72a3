package catalog

import (
	"maps"
	"slices"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/sql"
)

// property is a client property of librdkafka, which WITH takes by its name, with or without properties. before it.
type property struct {
	name  string
	same  string // the name of the property that this is another name of, "": none
	takes string
	doc   string
}

// properties are those that the Kafka connector knows; it checks their values.
var properties = []property{
	{"acks", "", "all", "What a write waits for."},
	{"client.id", "", "a name", "The client's name in the broker's logs."},
	{"compression.codec", "", "none, gzip, snappy, lz4 or zstd", "How written batches are compressed."},
	{"compression.type", "compression.codec", "none, gzip, snappy, lz4 or zstd", "The same as compression.codec."},
	{"delivery.timeout.ms", "", "milliseconds", "How long a write is tried."},
	{"enable.idempotence", "", "true", "Writes are not repeated by the client."},
	{"enable.ssl.certificate.verification", "", "true or false", "Whether the broker's certificate is checked."},
	{"fetch.max.bytes", "", "bytes", "The most that one answer holds."},
	{"fetch.message.max.bytes", "max.partition.fetch.bytes", "bytes", "The same as max.partition.fetch.bytes."},
	{"fetch.wait.max.ms", "", "milliseconds", "How long the broker waits for records."},
	{"isolation.level", "", "read_committed", "Which records are read."},
	{"linger.ms", "", "milliseconds", "How long a batch to write is gathered."},
	{"max.partition.fetch.bytes", "", "bytes", "The most that one answer holds of a partition."},
	{"message.timeout.ms", "delivery.timeout.ms", "milliseconds", "The same as delivery.timeout.ms."},
	{"queue.buffering.max.ms", "linger.ms", "milliseconds", "The same as linger.ms."},
	{"sasl.mechanism", "sasl.mechanisms", "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", "The same as sasl.mechanisms."},
	{"sasl.mechanisms", "", "PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512", "How the client proves who it is."},
	{"sasl.password", "", "text", "The password. Better given by -X, which others do not read with the script."},
	{"sasl.username", "", "text", "The user."},
	{"security.protocol", "", "plaintext, ssl, sasl_plaintext or sasl_ssl", "How brokers are spoken to."},
	{"socket.connection.setup.timeout.ms", "", "milliseconds", "How long a connection may take."},
	{"ssl.ca.location", "", "a path", "The certificates, in PEM form, that the broker's is checked with."},
	{"ssl.certificate.location", "", "a path", "The client's certificate in PEM form."},
	{"ssl.endpoint.identification.algorithm", "", "https or none", "Whether the broker's name must be in its certificate."},
	{"ssl.key.location", "", "a path", "The key of the client's certificate in PEM form."},
}

// brokerNames name the brokers.
var brokerNames = []string{"bootstrap.servers", "metadata.broker.list"}

// javaProperties are properties of the Java client, as Flink SQL hands them on, that have another name or form here.
var javaProperties = []Option{
	{Name: "fetch.max.wait.ms", Takes: "milliseconds", Doc: "fetch.wait.max.ms.", set: rename("fetch.wait.max.ms")},
	{Name: "sasl.jaas.config", Secret: true, Takes: "the configuration of a login module", Doc: "sasl.username and sasl.password, of PlainLoginModule or ScramLoginModule.", set: setJaas},
	{Name: "ssl.truststore.location", Takes: "a path", Doc: "ssl.ca.location; the file must be in PEM form.", set: setStore("ssl.ca.location")},
	{Name: "ssl.truststore.type", Takes: "PEM", Doc: "The form of ssl.truststore.location.", set: setStoreType},
	{Name: "ssl.keystore.type", Takes: "PEM", Doc: "The form of a keystore.", set: setStoreType},
	{Name: "ssl.keystore.location", Refused: "certificate and key are files of their own", Try: "give them as 'ssl.certificate.location' and 'ssl.key.location', in PEM form"},
	{Name: "ssl.truststore.password", Secret: true, Refused: "a PEM file of certificates has no password", Try: "convert the store: keytool -list -rfc -keystore …; and give it as 'ssl.ca.location'"},
	{Name: "ssl.keystore.password", Secret: true, Refused: "certificate and key are PEM files, the key without a password", Try: "convert the store, and give them as 'ssl.certificate.location' and 'ssl.key.location'"},
	{Name: "ssl.key.password", Secret: true, Refused: "the key is taken without a password", Try: "decrypt it: openssl pkey -in key.pem -out plain.pem; and give that as 'ssl.key.location'"},
	{Name: "ssl.key.pem", Secret: true, Refused: "the key is read from a file", Try: "write it into one, and give that as 'ssl.key.location'"},
	{Name: "ssl.certificate.pem", Secret: true, Refused: "certificates are read from files", Try: "write it into one, and give that as 'ssl.certificate.location'"},
	{Name: "ssl.ca.pem", Secret: true, Refused: "certificates are read from files", Try: "write them into one, and give that as 'ssl.ca.location'"},
	{Name: "auto.offset.reset", Refused: "where to begin is an option of the table", Try: "write 'scan.startup.mode' = 'earliest-offset'"},
	{Name: "enable.auto.commit", Refused: "positions are in the checkpoint", Try: "leave it out"},
	{Name: "group.id", Refused: "no consumer group is joined: positions are in the checkpoint", Try: "leave it out"},
	{Name: "partition.assignment.strategy", Refused: "no consumer group is joined: all partitions are read", Try: "leave it out"},
	{Name: "session.timeout.ms", Refused: "no consumer group is joined", Try: "leave it out"},
	{Name: "heartbeat.interval.ms", Refused: "no consumer group is joined", Try: "leave it out"},
	{Name: "max.poll.interval.ms", Refused: "no consumer group is joined", Try: "leave it out"},
	{Name: "max.poll.records", Refused: "records are taken in as they come", Try: "leave it out, or bound an answer by 'max.partition.fetch.bytes'"},
	{Name: "fetch.min.bytes", Refused: "the broker answers as soon as there is a record", Try: "leave it out, or let it wait by 'fetch.wait.max.ms'"},
	{Name: "batch.size", Refused: "how many bytes a batch holds follows from the rows", Try: "leave it out, or gather for longer by 'linger.ms'"},
	{Name: "batch.num.messages", Refused: "how many rows a batch holds follows from the rows", Try: "leave it out, or gather for longer by 'linger.ms'"},
	{Name: "retries", Refused: "a write is tried for as long as 'delivery.timeout.ms' says", Try: "give that"},
	{Name: "request.timeout.ms", Refused: "how long a request may take follows from how long a write is tried", Try: "give 'delivery.timeout.ms'"},
	{Name: "socket.timeout.ms", Refused: "how long a request may take follows from how long a write is tried", Try: "give 'delivery.timeout.ms'"},
	{Name: "socket.keepalive.enable", Refused: "connections are kept alive always", Try: "leave it out"},
	{Name: "transactional.id", Refused: "rows are written once by their keys, without transactions", Try: "leave it out"},
	{Name: "key.deserializer", Refused: "the bytes of a key are the column _key", Try: "leave it out"},
	{Name: "key.serializer", Refused: "the key is a JSON object of the key columns", Try: "leave it out"},
	{Name: "value.deserializer", Refused: "how a record is spelled is an option of the table", Try: "write 'format' = 'json'"},
	{Name: "value.serializer", Refused: "how a record is spelled is an option of the table", Try: "write 'format' = 'json'"},
}

// clientOptions are the options that set client properties.
func clientOptions() []Option {
	list := []Option{{Name: brokerNames[0], Of: "kafka", Source: true, Sink: true, Takes: "host1:9092,host2:9092", Doc: "The brokers to ask first."}}
	list = append(list, Option{Name: brokerNames[1], Of: "kafka", Source: true, Sink: true, Takes: "host1:9092,host2:9092", Doc: "The same as bootstrap.servers.", Same: brokerNames[0]})
	for _, p := range properties {
		list = append(list, Option{Name: p.name, Of: "kafka", Same: p.same, Source: true, Sink: true, Takes: p.takes, Doc: p.doc, Secret: p.name == "sasl.password", set: setProperty(p)})
	}
	for _, o := range javaProperties {
		o.Of, o.Source, o.Sink = "kafka", o.Refused == "", o.Refused == ""
		list = append(list, o)
	}
	return append(list, Option{Name: "properties.*", Of: "kafka", Source: true, Sink: true, Takes: "as the property does", set: setPrefixed,
		Doc: "A client property: 'properties.bootstrap.servers' is bootstrap.servers, and so for each."})
}

// setPrefixed takes a property by its name behind the prefix.
func setPrefixed(d *draft, s *setting) error {
	key := strings.TrimPrefix(s.key, "properties.")
	list := clientOptions()
	known := func(o *Option) bool { return o.Name != "properties.*" }
	o := findOption(list, key, known)
	if o == nil {
		e := sql.Errorf(s.at, "there is no client property %s", key)
		if near := sql.Nearest(key, optionNames(list, known)); near != "" {
			return e.WithHint("did you mean 'properties.%s'?", near)
		}
		return e.WithHint("docs/SQL.md lists the properties")
	}
	s.option = o
	d.settings = d.settings[:len(d.settings)-1] // where take put it
	return d.take(s)
}

// twice says that a setting repeats another.
func (s *setting) twice(first *setting) error {
	return sql.Errorf(s.at, "option %s says what %s says", s.key, first.key).WithHint("give one of them")
}

func setProperty(p property) func(*draft, *setting) error {
	name := p.name
	if p.same != "" {
		name = p.same
	}
	return rename(name)
}

// rename sets a property of another name.
func rename(name string) func(*draft, *setting) error {
	return func(d *draft, s *setting) error {
		value := s.text
		if name == "ssl.endpoint.identification.algorithm" && value == "" {
			value = "none" // as the Java client has it
		}
		return d.property(s, name, value)
	}
}

// property sets a client property.
func (d *draft) property(s *setting, name, value string) error {
	for _, o := range d.settings {
		if o != s && o.sets(name) {
			return s.twice(o)
		}
	}
	if d.table.Client == nil {
		d.table.Client = map[string]string{}
	}
	d.table.Client[name] = value
	s.client = append(s.client, name)
	return nil
}

// sets reports whether a setting gave a client property.
func (s *setting) sets(name string) bool { return slices.Contains(s.client, name) }

// setStore takes a file of the Java client, of which only one form can be read.
func setStore(name string) func(*draft, *setting) error {
	return func(d *draft, s *setting) error {
		lower := strings.ToLower(s.text)
		for _, ending := range []string{".jks", ".p12", ".pfx", ".keystore", ".truststore"} {
			if strings.HasSuffix(lower, ending) {
				return s.wrong("convert it: keytool -list -rfc -keystore …; and give it as '"+name+"'", "must be a file in PEM form")
			}
		}
		return d.property(s, name, s.text)
	}
}

func setStoreType(_ *draft, s *setting) error {
	if !strings.EqualFold(s.text, "PEM") {
		return s.wrong("convert the store: keytool -list -rfc -keystore …; and give it as 'ssl.ca.location'", "can only be PEM")
	}
	return nil
}

// setJaas takes user and password out of the configuration of a login module of the Java client:
//
//	org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="p";
//
// No message holds any of it.
func setJaas(d *draft, s *setting) error {
	module, values, ok := parseJaas(s.text)
	if !ok {
		return s.wrong("write …PlainLoginModule required username=\"…\" password=\"…\";", "is not the configuration of a login module")
	}
	switch module[strings.LastIndexByte(module, '.')+1:] {
	case "PlainLoginModule", "ScramLoginModule":
	default:
		return s.wrong("use SASL PLAIN or SCRAM: …PlainLoginModule, or …ScramLoginModule", "names a login module that is not supported")
	}
	for _, need := range []string{"username", "password"} {
		if values[need] == "" {
			return s.wrong("add "+need+"=\"…\"", "has no %s", need)
		}
	}
	if err := d.property(s, "sasl.username", values["username"]); err != nil {
		return err
	}
	return d.property(s, "sasl.password", values["password"])
}

// parseJaas splits module, a word, and name="value" …;
func parseJaas(text string) (module string, values map[string]string, ok bool) {
	text = strings.TrimSuffix(strings.TrimSpace(text), ";")
	module, text, _ = strings.Cut(strings.TrimSpace(text), " ")
	_, text, _ = strings.Cut(strings.TrimSpace(text), " ")
	values = map[string]string{}
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		name, rest, found := strings.Cut(text, "=")
		rest = strings.TrimSpace(rest)
		if !found || rest == "" {
			return "", nil, false
		}
		value, end := "", 0
		if quote := rest[0]; quote == '"' || quote == '\'' {
			for end = 1; end < len(rest) && rest[end] != quote; end++ {
				if rest[end] == '\\' && end+1 < len(rest) {
					end++
				}
				value += rest[end : end+1]
			}
			if end++; end > len(rest) {
				return "", nil, false
			}
		} else {
			value, _, _ = strings.Cut(rest, " ")
			end = len(value)
		}
		values[strings.TrimSpace(name)] = value
		text = rest[end:]
	}
	return module, values, module != ""
}

// client is what the client of a connector is given: what a declaration says, and the flags, which win.
func (l *loader) client(k *connector.Kind, declared map[string]string) map[string]string {
	if k.Name != kafkaKind || len(declared)+len(l.in.Flags.Client) == 0 {
		return nil
	}
	out := maps.Clone(declared)
	if out == nil {
		out = map[string]string{}
	}
	for name := range out {
		if l.overruled(name) {
			delete(out, name)
		}
	}
	maps.Copy(out, l.in.Flags.Client)
	return out
}

// overruled reports whether a flag gives a client property, by one of its names.
func (l *loader) overruled(name string) bool {
	for given := range l.in.Flags.Client {
		if given == name {
			return true
		}
		for _, p := range properties {
			if p.name == given && p.same == name {
				return true
			}
		}
	}
	return false
}
