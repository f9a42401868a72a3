package kafka

import (
	"errors"
	"strings"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

func TestURLsAreTakenApart(t *testing.T) {
	for url, want := range map[string]string{
		"kafka://h/t":                              "h:9092 t",
		"kafka://h1:9093,h2/prod.txns-v1_x":        "h1:9093,h2:9092 prod.txns-v1_x",
		"kafka://[::1]/t":                          "[::1]:9092 t",
		"kafka://[::1]:1,10.0.0.1/t?compacted=yes": "[::1]:1,10.0.0.1:9092 t",
		"kafka://broker.example.com:65535/" + strings.Repeat("x", 249): "broker.example.com:65535 " + strings.Repeat("x", 249),
	} {
		u, err := parseURL(url, roleSource)
		if err != nil {
			t.Errorf("%s: %v", url, err)
		} else if got := strings.Join(u.brokers, ",") + " " + u.topic; got != want || u.compacted != strings.Contains(url, "compacted") {
			t.Errorf("%s gives %q, want %q", url, got, want)
		}
	}
	u, err := parseURL("kafka://h/t?partitions=12", roleSink)
	if err != nil || u.partitions != 12 {
		t.Errorf("partitions are %d (%v), want 12", u.partitions, err)
	}
}

func TestWrongURLsAreToldWhatToWrite(t *testing.T) {
	const sourceParameters = "its one parameter is compacted=yes; client properties go to -X, such as -X client.id=me"
	for _, c := range []struct {
		url  string
		role role
		msg  string
		try  string
	}{
		{"kafka://h", roleSource, "the Kafka URL names no topic", example},
		{"kafka://h/", roleSource, "the Kafka URL names no topic", example},
		{"kafka:///t", roleSource, "the Kafka URL names no broker", example},
		{"kafka:h/t", roleSource, "a Kafka URL begins with kafka://", example},
		{"kafka://h,/t", roleSource, "the Kafka URL names no broker", example},
		{"kafka://h:x/t", roleSource, `broker "h:x" of the Kafka URL has no valid port`, example},
		{"kafka://h:70000/t", roleSource, `broker "h:70000" of the Kafka URL has no valid port`, example},
		{"kafka://:9092/t", roleSource, `broker ":9092" of the Kafka URL is not host:port`, example},
		{"kafka://::1/t", roleSource, `broker "::1" of the Kafka URL is not host:port`, example},
		{"kafka://h/a/b", roleSource, "the Kafka URL has several path parts (a/b): a topic's name is one", example},
		{"kafka://h/..", roleSource, `the Kafka URL names no valid topic: ".."`, example},
		{"kafka://h/a%20b", roleSource, `the Kafka URL names no valid topic: "a%20b" has a character that is none of letters, digits, '.', '_' and '-'`, example},
		{"kafka://me:secret@h/t", roleSource, "a Kafka URL holds no user or password", "give them as client properties: -X sasl.username=… -X sasl.password=…"},
		{"kafka://h/t?compact=yes", roleSource, `the Kafka URL of a source has no parameter "compact"`, sourceParameters},
		{"kafka://h/t?partitions=3", roleSource, `the Kafka URL of a source has no parameter "partitions"`, sourceParameters},
		{"kafka://h/t?compacted=1", roleSource, `parameter compacted of the Kafka URL is "1"`, "write compacted=yes, or leave it out"},
		{"kafka://h/t?partitions=0", roleSink, `parameter partitions of the Kafka URL is "0"`, "write a number from 1 to 100000, such as partitions=12"},
		{"kafka://h/t?compacted=yes", roleSink, `the Kafka URL of a sink has no parameter "compacted"`, "its one parameter is partitions, such as partitions=12; client properties go to -X, such as -X client.id=me"},
		{"kafka://h/t?%zz", roleSink, "the Kafka URL has a query that cannot be read", example},
	} {
		_, err := parseURL(c.url, c.role)
		wantError(t, err, fault.Usage, c.msg, c.try)
	}
}

func TestWrongPropertiesAreToldWithoutTheirSecrets(t *testing.T) {
	type m = map[string]string
	for _, c := range []struct {
		client   m
		msg, try string
	}{
		{m{"sasl.usrname": "me"}, `there is no client property "sasl.usrname"`, "did you mean sasl.username?"},
		{m{"bootstrap.servers": "h"}, "client property bootstrap.servers is not taken: the URL names the brokers", example},
		{m{"acks": "1"}, "client property acks is always all here: exactly-once effect rests on it", ""},
		{m{"isolation.level": "read_uncommitted"}, "client property isolation.level is always read_committed here: exactly-once effect rests on it", ""},
		{m{"security.protocol": "tls"}, "client property security.protocol takes one of plaintext, sasl_plaintext, sasl_ssl, ssl", ""},
		{m{"sasl.mechanism": "GSSAPI"}, "client property sasl.mechanism takes one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512", ""},
		{m{"compression.type": "best"}, "client property compression.type takes one of none, gzip, snappy, lz4, zstd", ""},
		{m{"delivery.timeout.ms": "2m"}, "client property delivery.timeout.ms takes a number of milliseconds from 1000 to 86400000", ""},
		{m{"fetch.max.bytes": "-1"}, "client property fetch.max.bytes takes a number of bytes from 1024 to 1073741824", ""},
		{m{"sasl.password": "secret"}, "sasl properties are given, but security.protocol does not ask for SASL", "add -X security.protocol=SASL_SSL (or SASL_PLAINTEXT)"},
		{m{"security.protocol": "SASL_SSL", "sasl.username": "me"}, "security.protocol asks for SASL, but sasl.mechanism is not given", "add -X sasl.mechanism=PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512"},
		{m{"security.protocol": "SASL_SSL", "sasl.mechanism": "plain", "sasl.password": "secret"}, "security.protocol asks for SASL, but sasl.username or sasl.password is not given", "add -X sasl.username=… -X sasl.password=…"},
		{m{"ssl.ca.location": "ca.pem"}, "ssl properties are given, but security.protocol does not ask for SSL", "add -X security.protocol=SSL (or SASL_SSL)"},
		{m{"security.protocol": "ssl", "ssl.key.location": "k"}, "ssl.certificate.location and ssl.key.location belong together: only one is given", ""},
	} {
		_, err := Kind.NewSource("kafka://h/t", &connector.Options{Client: c.client})
		wantError(t, err, fault.Usage, c.msg, c.try)
		var f *fault.Error
		if errors.As(err, &f); strings.Contains(f.Msg+f.Try, "secret") {
			t.Errorf("the message %q shows a secret", f.Msg)
		}
	}
	if _, err := Kind.NewSource("kafka://h/t", &connector.Options{Client: m{
		"acks": "all", "enable.idempotence": "true", "client.id": "me", "security.protocol": "SASL_SSL", "sasl.mechanisms": "SCRAM-SHA-512", "sasl.username": "u", "sasl.password": "p",
		"ssl.ca.location": "/nowhere", "linger.ms": "0", "message.timeout.ms": "5000"}}); err != nil {
		t.Error(err)
	}
}
