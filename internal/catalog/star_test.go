package catalog

import (
	"math/rand/v2"
	"strings"
	"testing"

	"ubik/internal/sql"
)

func TestNoMessageQuotesWhatIsHidden(t *testing.T) {
	const text = "CREATE TABLE t (a INT -- it's the column\n) WITH ('topic' = 't', 'sasl.password' = 'a' 'Hun-ter2 é+x')"
	for _, c := range []struct{ msg, want string }{
		{"found 'Hun-ter2 é+x'", "found '*************'"},
		{"found Hun", "found ***"},
		{"found HUN, hun-t…, ter2 é…", "found ***, *****…, *******…"},
		{"found Hunt and xHun", "found Hunt and xHun"},
		{"the column a of topic t", "the column a of topic t"},
	} {
		e := RedactError(&sql.Error{Pos: 3, End: 5, Msg: c.msg, Hint: c.msg}, text).(*sql.Error)
		if want := (sql.Error{Pos: 3, End: 5, Msg: c.want, Hint: c.want}); *e != want {
			t.Errorf("%s: got %+v, want %+v", c.msg, *e, want)
		}
	}
}

func TestRedactMessage(t *testing.T) {
	for _, c := range []struct{ arg, msg, want string }{
		{"kafka://u:sec/r@et@h/t", `broker "u:sec" r@et h/t`, `broker "*****" **** h/t`},
		{"--to=x=kafka:/u:sec@h/t", "kafka:/u:sec@h/t", "kafka:/*****@h/t"},
		{"kafka://u:two words@h/t", "two words, words", "*********, *****"},
		{"kafka://h/t#api.key=abc@x", "abc t", "*** t"},
		{"kafka://h/t?x.token%3dabc&d", "abc&d abc", "***** ***"},
		{"kafka://h/t?x.token%3dhunter2", "xhunter2y", "x*******y"},
		{"-X=sasl.password=a b.c", "a b.c", "*****"},
		{"properties.ssl.key.pem=abcd", "abcd", "****"},
		{"tokens=abc.jsonl", "abc.jsonl", "abc.jsonl"},
		{"kafka://secret:9092/orders", "orders at secret:9092", "orders at secret:9092"},
		{"SELECT abc FROM 'kafka://h/t' WHERE a = 'b@c' AND d = 'password=x'", "abc WHERE kafka://h/t", "abc WHERE kafka://h/t"},
		{"SELECT abc FROM 'kafka://u:xyz@h/t'", "abc of xyz", "abc of ***"},
	} {
		if got := RedactMessage(c.msg, []string{c.arg}); got != c.want {
			t.Errorf("%s: %s: got %s, want %s", c.arg, c.msg, got, c.want)
		}
	}
}

// Wherever a secret is cut by quotes and signs, no word of it is said. Behind a quote with a comma, a semicolon or a parenthesis it
// cannot always be told from what comes next.
func TestABrokenSecretIsNotSaid(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	parts := []string{"'", "''", "\"", "(", "=", "0x", "9", ".5", "-", "--", "@", "{", "}", ":", "/*", "*/", "$", "hunter2", "hunter2", "é"}
	for range 5_000 {
		secret := "'"
		for range 1 + rng.IntN(6) {
			secret += parts[rng.IntN(len(parts))]
		}
		secret += []string{"'", ""}[rng.IntN(2)]
		for _, name := range []string{"properties.sasl.password", "sasl.jaas.config", "nope"} {
			text := "CREATE TABLE t (a INT) WITH ('connector' = 'kafka', '" + name + "' = " + secret + ", 'topic' = 't'); SELECT a FROM t"
			_, err := Load(Input{Text: text, Kinds: kinds, Formats: formats})
			if err == nil {
				continue
			}
			if said := sql.Describe(err, "query", Redact(text)); strings.Contains(said, "hunter2") {
				t.Fatalf("seed %d: %q\nsays %s", seed, text, said)
			}
		}
	}
}
