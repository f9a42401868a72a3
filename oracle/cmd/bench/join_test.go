package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRowsOfTheJoinAreTheSameOnEveryMachine(t *testing.T) {
	const rows, perMinute = 10_000, 1_000
	auths, settlements, err := joinFiles(context.Background(), t.TempDir(), rows, perMinute)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, want string }{
		{auths, "ef0fc2067800805f8bd16919e1dbd7e7d0a504d3218070aea176ea0d5b4f1e49"},
		{settlements, "31d6f19af7c1c27673c243c38121ddf052f1bdfdde7dc590091145f316d547f2"},
	} {
		text, err := os.ReadFile(c.path)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(text)
		if got := hex.EncodeToString(sum[:]); got != c.want {
			first, _, _ := strings.Cut(string(text), "\n")
			t.Errorf("%s hashes to %s, not %s: files of the old kind would be taken for new ones, so give the files other names too; the first row is %s",
				filepath.Base(c.path), got, c.want, first)
		}
	}
}

func TestRowsOfTheJoinAreValidOfOneSizeAndNeverLate(t *testing.T) {
	const rows, perMinute = 100_000, 10_000
	auths, settlements, err := joinFiles(context.Background(), t.TempDir(), rows, perMinute)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{auths, settlements} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var newest time.Time
		ids := map[string]bool{}
		for line := range bytes.Lines(text) {
			var row struct {
				AuthID string    `json:"auth_id"`
				At     time.Time `json:"event_time"`
			}
			if err := json.Unmarshal(line, &row); err != nil || len(line) != rowBytes {
				t.Fatalf("a row of %d bytes: %q, %v", len(line), line, err)
			}
			if newest.Sub(row.At) > disorderMax*time.Millisecond {
				t.Fatalf("%s is %v behind", line, newest.Sub(row.At))
			}
			if row.At.After(newest) {
				newest = row.At
			}
			ids[row.AuthID] = true
		}
		if len(ids) != rows {
			t.Errorf("%s: %d ids in %d rows", filepath.Base(path), len(ids), rows)
		}
	}
}

func TestNineOfTenAuthorisationsAreSettledWithinTheBand(t *testing.T) {
	const rows = 100_000
	if n := len(plainPairs(rows, 120_000)); n < rows*89/100 || n > rows*91/100 {
		t.Errorf("%d of %d", n, rows)
	}
}

func TestDuckJoinsWhatAPlainLoopPairs(t *testing.T) {
	const rows, perMinute = 20_000, 1_000
	dir := t.TempDir()
	auths, settlements, err := joinFiles(context.Background(), dir, rows, perMinute)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "answer.jsonl")
	if err := askDuckToJoin(auths, settlements, to); err != nil {
		t.Fatal(err)
	}
	if err := plainPairs(rows, perMinute).compare(to); err != nil {
		t.Fatal(err)
	}
}

func plainPairs(rows, perMinute int) pairs {
	p := pairs{}
	g := newJoinGenerator(perMinute)
	for range rows {
		a, s := g.next()
		if took := time.Duration(s.at-a.at) * time.Millisecond; a.id == s.id && took >= 0 && took <= 10*time.Minute {
			p[a.id] = pair{a.cents, s.cents, took}
		}
	}
	return p
}

func TestAWrongPairIsFound(t *testing.T) {
	right := `{"auth_id":"000000000000000a","authorised":12.50,"settled":12.50,"took":"00:10:00"}` + "\n" +
		`{"auth_id":"b","authorised":0.1,"settled":0.05,"took":"00:00:00.125000"}` + "\n"
	want := pairs{10: {1250, 1250, 10 * time.Minute}, 11: {10, 5, 125 * time.Millisecond}}
	first := right[:strings.IndexByte(right, '\n')+1]
	path := filepath.Join(t.TempDir(), "answer.jsonl")
	for _, c := range []struct{ name, text, message string }{
		{"right", right, ""},
		{"another amount", strings.Replace(right, "12.50", "12.51", 1), "auth_id 000000000000000a: expected 1250 and 1250 cents in 10m0s, got 1251 and 1250 in 10m0s (2 rows expected, 2 there)"},
		{"another time", strings.Replace(right, "00.125", "00.126", 1), "auth_id 000000000000000b: expected 10 and 5 cents in 125ms, got 10 and 5 in 126ms (2 rows expected, 2 there)"},
		{"a row missing", first, "auth_id 000000000000000b: not there (2 rows expected, 1 there)"},
		{"a row too many", right + strings.Replace(first, "0a", "0c", 1), "2 rows expected, 3 there"},
		{"a row twice", right + first, path + ", line 3: the authorisation is there twice: " + strings.TrimSuffix(first, "\n")},
		{"no amount", strings.Replace(first, "12.50", "null", 1), path + ", line 1: an amount is no number of cents, or took is not hours, minutes and seconds: " +
			strings.TrimSuffix(strings.Replace(first, "12.50", "null", 1), "\n")},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := want.compare(path); err != nil {
			got = err.Error()
		}
		if got != c.message {
			t.Errorf("%s: got %q, want %q", c.name, got, c.message)
		}
	}
}
