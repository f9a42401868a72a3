package catalog

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"ubik/internal/fault"
	"ubik/internal/sql"
)

func TestRedact(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`SELECT password, t.password FROM t WHERE token = 'x' AND password > 3 AND keyword = 'x'`, ``},
		{`SELECT a FROM t WHERE t.password = 'xy' AND x = 'y'`, `SELECT a FROM t WHERE t.password = '**' AND x = 'y'`},
		{`WITH ('sasl.password' = 'it''s', a = 'b')`, `WITH ('sasl.password' = '*****', a = '*')`},
		{`WITH (sasl.password='x', "sasl"."password" = 'yy')`, `WITH (sasl.password='*', "sasl"."password" = '**')`},
		{"WITH ('properties.sasl.jaas.config' /* it is = */ = -- this\n 'a\nb', topic = 'b')", "WITH ('properties.sasl.jaas.config' /* it is = */ = *******\n***\n*', topic = 'b')"},
		{`WITH ('SASL.Pasword' = 'x')`, `WITH ('SASL.Pasword' = '*')`},
		{`WITH ('ssl.key.password' = 12, 'linger.ms' = 1)`, `WITH ('ssl.key.password' = **, 'linger.ms' = 1)`},
		{`WITH ('sasl.password' = 'never closed`, `WITH ('sasl.password' = '************`},
		{`WITH ('sasl.password' '' 'x', 'linger.ms' = 1)`, `WITH ('sasl.password' '****', 'linger.ms' = 1)`},
		{`WITH ('sasl.password'`, ``},
		{`WITH ('sasl.mechanism' = 'PLAIN', 'sasl.username' = 'me')`, ``},
		{`FROM 'kafka://me:secret@h/t'`, `FROM 'kafka://*********@h/t'`},
		{`FROM 'kafka:/me:secret@h/t', 'kafak:///me:secret@h/t', 'kafka;//me:secret@h/t', 'kafka//me:secret@h/t', 'kafka:me:secret@h/t'`,
			`FROM 'kafka:/*********@h/t', 'kafak:///*********@h/t', 'kafka;//*********@h/t', 'kafka//*********@h/t', '***************@h/t'`},
		{`me:secret@h/t`, `*********@h/t`},
		{`FROM 'kafka://me:sec/r@et@h/t'`, `FROM 'kafka://***********@h/t'`},
		{`FROM 'kafka://h/t?compacted=yes&token=abc&x'`, `FROM 'kafka://h/t?compacted=yes&token=***&x'`},
		{`'bootstrap.servers' = 'h,me:secret@h'`, `'bootstrap.servers' = 'h,*********@h'`},
		// An option is shown because it is known, wherever it stands.
		{`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'properties.linger.ms' = -5, format = TRUE, 'nope' = 'v', nope.a = v, "n" = 5)`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'properties.linger.ms' = -5, format = TRUE, 'nope' = '*', nope.a = *, "n" = *)`},
		{`CREATE TABLE t ('nope' = 'v', a INT DEFAULT 'd', WATERMARK FOR x AS x - INTERVAL '5' SECOND, b INT METADATA FROM 'topic')`,
			`CREATE TABLE t ('nope' = '*', a INT DEFAULT '*', WATERMARK FOR x AS x - INTERVAL '5' SECOND, b INT METADATA FROM 'topic')`},
		{`CREATE TABLE t (a INT) WIHT ('nope' = 'v'); SELECT 'v' FROM t`, `CREATE TABLE t (a INT) WIHT ('nope' = '*'); SELECT 'v' FROM t`},
		{`CREATE TABLE t (a INT) WITH ('nope' 'v', 'topic' 't', 'nope' : 'v') x 'v' SELECT a`, `CREATE TABLE t (a INT) WITH ('****' '*', 'topic' 't', 'nope' : '*') x '*' SELECT a`},
		{`CREATE TABLE t WITH ('format' = 'json' 'topic' = 't')`, ``},
		{`CREATE TABLE t WITH ('nope' = 'json' 'topic' = 't')`, `CREATE TABLE t WITH ('nope' = '****' '*****' * '*')`},
		{`CREATE TABLE t WITH ('topic' = 't'x', 'nope' = 'v')`, `CREATE TABLE t WITH ('topic' = '*'*'**'****'***'*'*`},
		{`CREATE TABLE t WITH ('nope' = '')9xy, b = 'z'); SELECT a`, `CREATE TABLE t WITH ('nope' = '')**** * * '*'*; SELECT a`},
		{`CREATE TABLE t WITH ('nope' = ''){xy)`, `CREATE TABLE t WITH ('nope' = '')****`},
		{`CREATE TABLE t WITH ('nope' = 'a'--xy`, `CREATE TABLE t WITH ('nope' = '*'****`},
		{`SELECT a FROM read_csv('p', columns = {'a': 'INT', b: 'x'}, types = {'a' 'x'})`, `SELECT a FROM read_csv('p', columns = {'a': 'INT', b: 'x'}, types = *'*' '*'*)`},
		{`CREATE TABLE t WITH ('topic' = 't') SELECT a FROM t WHERE b = 'x'`, `CREATE TABLE t WITH ('topic' = 't') SELECT a FROM t WHERE b = '*'`},
		{"CREATE TABLE t WITH ('topic' = 't' -- 'nope' = 'v', it's\n) /* nope = v */; SELECT a -- 'nope' = 'v'", "CREATE TABLE t WITH ('topic' = 't' -- 'nope' = '*', **'*\n) /* nope = * */; SELECT a -- 'nope' = '*'"},
		{`INSERT INTO t WITH ('nope' = 'v') SELECT a FROM u /*+ OPTIONS('nope'='v') */ WHERE b = 'x'`, `INSERT INTO t WITH ('nope' = '*') SELECT a FROM u /*+ OPTIONS('nope'='*') */ WHERE b = 'x'`},
		{`CREATE VIEW v AS SELECT a FROM t WHERE a = 'x' OR 'x' = a`, ``},
		{`SELECT a FROM read_csv('p.csv', header = true, nullstr = ['a', 'b'], delim := ';', nope = 'v', 'nope' => 'v') WHERE a = 'x'`,
			`SELECT a FROM read_csv('p.csv', header = true, nullstr = ['a', 'b'], delim := ';', nope = '*', 'nope' => '*') WHERE a = 'x'`},
		{`SELECT a FROM read_jsn('p', nope = v(1, 'x'), header = true)`, `SELECT a FROM read_jsn('p', nope = **** '*'*, header = true)`},
		{`SELECT f(a = 'x', coalesce(b, 'y') = 'z') FROM TUMBLE(DATA => TABLE t, SIZE => INTERVAL '1' MINUTE)`, ``},
		{"é 'topic' = 't' \xff ' \" /* -- ; ) (", ``},
		{``, ``},
	} {
		if c.want == "" {
			c.want = c.text
		}
		if got := Redact(c.text); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.text, got, c.want)
		}
	}
}

// secretNames are options of clients, registries and other systems whose values are secrets, all but the first few without
// a word that says so.
var secretNames = []string{
	"sasl.password", "properties.sasl.password", "sasl.jaas.config", "properties.sasl.jaas.config", "ssl.truststore.password",
	"ssl.key.pem", "ssl.key.password", "ssl.keystore.key", "properties.ssl.keystore.key", "ssl.keystore.password",
	"ssl_key", "ssl.certificate.pem", "sasl.oauthbearer.client.secret", "sasl.oauthbearer.config", "sasl.oauthbearer.token.endpoint.url",
	"value.avro-confluent.basic-auth.user-info", "value.avro-confluent.bearer-auth.token", "schema.registry.basic.auth.user.info",
	"basic.auth.user.info", "aws.secret-key", "s3.access.key", "fs.azure.account.key", "token", "pin", "x", "Properties.Sasl.Pasword", "sink.key",
	"scan.bounded.key", "partition.key",
}

func TestTheValueOfNoSecretNameIsShown(t *testing.T) {
	const secret = "u:hunter2/7Qx+="
	for _, name := range secretNames {
		for _, form := range []string{
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME' = 'SECRET', 'topic' = 't'); SELECT a FROM t`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME'='SECRET' 'topic' = 't'); SELECT a FROM t`,
			`CREATE TABLE t (a INT, 'NAME' = 'SECRET') WITH ('connector' = 'kafka'); SELECT a FROM t`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME' = 'SECRET', 'topic' = 't') SELEC a FROM t`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME' = 'SECRET', 'topic' = 't'`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME' 'SECRET', 'topic' = 't')`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME' = SECRET', 'topic' = 't')`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME = 'SECRET', 'topic' = 't')`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka, 'NAME' = 'SECRET', 'topic' = 't')`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', 'NAME' = ''SECRET'')`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', NAME = 'SECRET') SELEC a FROM t`,
			`CREATE TABLE t (a INT) WITH ('connector' = 'kafka', NAME = SECRET) SELEC a FROM t`,
			`CREATE TABLE t (a INT) ('connector' = 'kafka', 'NAME' = 'SECRET', 'topic' = 't'); SELECT a FROM t`,
			`CREATE VIEW v WITH ('NAME' = 'SECRET') AS SELECT a FROM t; SELECT a FROM v`,
			`INSERT INTO t WITH ('NAME' = 'SECRET') SELECT a FROM u`,
			`SELECT a FROM t /*+ OPTIONS('NAME' = 'SECRET') */ WHERE`,
			`SELECT a FROM t WITH ('NAME' = 'SECRET')`,
			`SELECT a FROM t OPTIONS ('NAME' = 'SECRET')`,
			`SELECT a FROM read_csv('x.csv', 'NAME' = 'SECRET')`,
			`SELECT a FROM read_csv('x.csv', "NAME" = 'SECRET')`,
			`SELECT a FROM read_csvv('x.csv', "NAME" := 'SECRET')`,
			`SELECT a FROM 'kafka://h/t?NAME=SECRET'`,
			`SELECT a FROM 's3://h/t?a=b&NAME=SECRET'`,
		} {
			text := strings.ReplaceAll(strings.ReplaceAll(form, "NAME", name), "SECRET", secret)
			if shown := Redact(text); strings.Contains(shown, "hunter2") {
				t.Errorf("%s\nis shown %s", text, shown)
			}
			_, err := Load(Input{Text: text, Kinds: kinds, Formats: formats})
			if err == nil {
				continue
			}
			if said := sql.Describe(err, "query", Redact(text)); strings.Contains(said, "hunter2") {
				t.Errorf("%s\nsays %s", text, said)
			}
			if f, ok := err.(*fault.Error); ok && strings.Contains(f.Msg+f.Try, "hunter2") {
				t.Errorf("%s\nsays %s; %s", text, f.Msg, f.Try)
			}
		}
	}
}

// An option that is known to be no secret has no name that says that it is one.
func TestKnownSecretsAreMarked(t *testing.T) {
	for _, o := range append(Options(), Arguments()...) {
		said := false
		for _, word := range []string{"pass", "secret", "jaas", "token", "credential", "pem", "auth", "private"} {
			said = said || strings.Contains(o.Name, word)
		}
		if said != o.Secret {
			t.Errorf("%s: secret is %v", o.Name, o.Secret)
		}
	}
}

// TestNoMessageHoldsASecret damages a script with a password in many ways and looks for it in what is said.
func TestNoMessageHoldsASecret(t *testing.T) {
	const secret = "hunter2-7Qx"
	pieces := []string{
		"CREATE TABLE t WITH (", "'connector' = 'kafka', ", "'topic' = 't', ", "'bootstrap.servers' = 'h', ",
		"'security.protocol' = 'SASL_SSL', ", "'properties.sasl.mechanism' = 'PLAIN', ", "'sasl.username' = 'me', ",
		"'sasl.password' = '" + secret + "', ",
		"'properties.sasl.jaas.config' = 'a.PlainLoginModule required username=\"u\" password=\"" + secret + "\";', ",
		"'ssl.key.pem' = '" + secret + "', ",
		"'linger.ms' = 5", ");\n", "SELECT a FROM t",
	}
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	said := 0
	for range 1000 {
		list := append([]string{}, pieces...)
		for range 1 + rng.IntN(3) {
			i := rng.IntN(len(list))
			switch rng.IntN(4) {
			case 0:
				list = append(list[:i], list[i+1:]...)
			case 1:
				list[i] = strings.Replace(list[i], []string{"'", "=", ",", " ", ".", "\""}[rng.IntN(6)], "", 1)
			case 2:
				list[i] = strings.Replace(list[i], "' = ", []string{"' ", "'", " = ", "=", "' := "}[rng.IntN(5)], 1)
			default:
				j := rng.IntN(len(list))
				list[i], list[j] = list[j], list[i]
			}
		}
		text := strings.Join(list, "")
		hidden := Redact(text)
		if len(hidden) != len(text) || strings.Count(hidden, "\n") != strings.Count(text, "\n") {
			t.Fatalf("seed %d: %s\nbecomes %s", seed, text, hidden)
		}
		job, err := Load(Input{Text: text, Kinds: kinds, Formats: formats})
		if err == nil {
			if strings.Contains(job.Sources[0].Log, secret) {
				t.Fatalf("seed %d: %s", seed, job.Sources[0].Log)
			}
			continue
		}
		said++
		message := err.Error()
		var f *fault.Error
		if errors.As(err, &f) {
			message += f.Try
		}
		if strings.Contains(message, secret) || strings.Contains(strings.ReplaceAll(sql.Describe(err, "query", hidden), "…", ""), secret) {
			t.Fatalf("seed %d: %s\nsays %s\nshown %s", seed, text, message, sql.Describe(err, "query", hidden))
		}
	}
	if said < 200 {
		t.Errorf("seed %d: %d messages", seed, said)
	}
}

func TestParseStart(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"earliest", "earliest"}, {" LATEST ", "latest"},
		{"2026-01-01", "2026-01-01 00:00:00"}, {"2026-01-01T01:00:00.5+01:00", "2026-01-01 00:00:00.5"},
		{"0001-01-01", "0001-01-01 00:00:00"}, {"9999-12-31 23:59:59.999999", "9999-12-31 23:59:59.999999"},
		{"{1:5, 0 : 7}", "{0:7,1:5}"}, {"{3:0}", "{3:0}"},
		{"", ""}, {"{}", ""}, {"{0:5", ""}, {"{0:-5}", ""}, {"{-1:5}", ""}, {"{0}", ""}, {"{0:1,0:2}", ""}, {"{4294967296:1}", ""},
		{"10000-01-01", ""}, {"infinity", ""}, {"-infinity", ""}, {"noon", ""}, {"1767225600000", ""},
	} {
		s, err := ParseStart(c.text)
		got := s.String()
		if again, err2 := ParseStart(got); err == nil && (err2 != nil || !reflect.DeepEqual(again, s)) {
			t.Errorf("%q is written %q, which is %v, %v", c.text, got, again, err2)
		}
		if err != nil {
			got = ""
			if fault.ClassOf(err) != fault.Usage {
				t.Errorf("%q: %v", c.text, err)
			}
		}
		if got != c.want {
			t.Errorf("%q is %s, not %s", c.text, got, c.want)
		}
	}
}
