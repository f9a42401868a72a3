package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

// These tests run the program as a process. It is built once; binary is its path.
var binary string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "ubik-cmd-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binary = filepath.Join(dir, "ubik")
	build := exec.Command("go", "build", "-trimpath", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	code := 1
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building ubik: %v\n%s", err, out)
	} else {
		code = m.Run()
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// TestScripts runs testdata/*.txtar. Beside the commands of testscript there are
//
//	ubik CODE ARG…   run the program; fail unless it exits with this code
//	says LINE…       standard error of the last program is exactly these lines
//	ruin FILE HOW    see ruin
//
// and in each script $schema and $query of the headline query over a source named txns.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", ContinueOnError: true, UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", filepath.Dir(binary)+string(filepath.ListSeparator)+os.Getenv("PATH"))
			env.Setenv("schema", schema)
			env.Setenv("query", headline)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"ubik": func(ts *testscript.TestScript, _ bool, args []string) { runScripted(ts, args) },
			"says": says,
			"ruin": ruin,
		},
	})
}

const (
	schema   = "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"
	headline = "SELECT merchant, TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total " +
		"FROM txns GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)"
)

func runScripted(ts *testscript.TestScript, args []string) {
	if len(args) == 0 {
		ts.Fatalf("which exit code?")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(binary, args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d\n%s", got, want, ts.ReadFile("stderr"))
	}
}

func says(ts *testscript.TestScript, _ bool, lines []string) {
	want := ""
	for _, l := range lines {
		want += l + "\n"
	}
	if got := ts.ReadFile("stderr"); got != want {
		ts.Fatalf("standard error:\n%swant:\n%s", got, want)
	}
}

// ruin changes a file behind the program's back: 'flip N' inverts a bit of byte N, 'cut N' leaves the first N bytes.
func ruin(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("ruin FILE flip|cut N")
	}
	b := []byte(ts.ReadFile(args[0]))
	n, err := strconv.Atoi(args[2])
	ts.Check(err)
	if n < 0 || n >= len(b) {
		ts.Fatalf("%s has %d bytes", args[0], len(b))
	}
	switch args[1] {
	case "flip":
		b[n] ^= 1
	case "cut":
		b = b[:n]
	default:
		ts.Fatalf("ruin knows flip and cut")
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b, 0o600))
}

// run runs the program in a folder and returns what it wrote and its exit code.
func runIn(t *testing.T, dir string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs strings.Builder
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}
