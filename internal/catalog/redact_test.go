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
		{`WITH ('sasl.password' = 'it''s', a = 'b')`, `WITH ('sasl.password' = '*****', a = 'b')`},
		{`WITH (sasl.password='x', "sasl"."password" = 'yy')`, `WITH (sasl.password='*', "sasl"."password" = '**')`},
		{"WITH ('properties.sasl.jaas.config' /* it is = */ = -- this\n 'a\nb', a = 'b')", "WITH ('properties.sasl.jaas.config' /* it is = */ = -- this\n '*\n*', a = 'b')"},
		{`WITH ('SASL.Pasword' = 'x')`, `WITH ('SASL.Pasword' = '*')`},
		{`WITH ('ssl.key.password' = 12, a = 1)`, `WITH ('ssl.key.password' = **, a = 1)`},
		{`WITH ('sasl.password' = 'never closed`, `WITH ('sasl.password' = '************`},
		{`WITH ('sasl.password' '' 'x', a = 1)`, `WITH ('sasl.password' '****', a = 1)`},
		{`WITH ('sasl.password'`, ``},
		{`WITH ('sasl.mechanism' = 'PLAIN', 'sasl.username' = 'me')`, ``},
		{`FROM 'kafka://me:secret@h/t'`, `FROM 'kafka://*********@h/t'`},
		{`'bootstrap.servers' = 'h,me:secret@h'`, `'bootstrap.servers' = 'h,*********@h'`},
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

// TestNoMessageHoldsASecret damages a script with a password in many ways and looks for it in what is said.
func TestNoMessageHoldsASecret(t *testing.T) {
	const secret = "hunter2-7Qx"
	pieces := []string{
		"CREATE TABLE t WITH (", "'connector' = 'kafka', ", "'topic' = 't', ", "'bootstrap.servers' = 'h', ",
		"'security.protocol' = 'SASL_SSL', ", "'properties.sasl.mechanism' = 'PLAIN', ", "'sasl.username' = 'me', ",
		"'sasl.password' = '" + secret + "', ",
		"'properties.sasl.jaas.config' = 'a.PlainLoginModule required username=\"u\" password=\"" + secret + "\";', ",
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
