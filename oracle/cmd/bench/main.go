package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// options are the flags.
type options struct {
	rows, rounds, records, perMinute int
	dir, profile, duck, in, with     string
	kafka, join                      bool
}

func main() {
	var o options
	flag.IntVar(&o.rows, "rows", 0, "rows of each file (default 10000000, with -join 2000000)")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each contestant runs")
	flag.StringVar(&o.dir, "data", "", "folder of the generated files (default bench/data)")
	flag.StringVar(&o.profile, "profile", "", "run ubik once, with one worker, and write its CPU profile to this `FILE`")
	flag.BoolVar(&o.kafka, "kafka", false, "measure from a topic into a topic instead")
	flag.IntVar(&o.records, "records", 2_000_000, "records of the topic, with -kafka")
	flag.BoolVar(&o.join, "join", false, "measure the band join of two files instead")
	flag.IntVar(&o.perMinute, "per-minute", 120_000, "rows of each file for a minute of event time, with -join")
	flag.StringVar(&o.in, "duck-from", "", "for the child process: the file to read")
	flag.StringVar(&o.with, "duck-with", "", "for the child process: the file to join it with, with -join")
	flag.StringVar(&o.duck, "duck", "", "for the child process: run the query with DuckDB and write its rows to this `FILE`")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, &o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	switch {
	case o.duck != "" && o.join:
		return askDuckToJoin(o.in, o.with, o.duck)
	case o.duck != "":
		return askDuck(o.in, o.duck)
	case o.rows == 0 && o.join:
		o.rows = 2_000_000
	case o.rows == 0:
		o.rows = 10_000_000
	}
	if flag.NArg() > 0 || o.rows < 1 || o.rounds < 1 || o.records < 1 || o.perMinute < 1 || o.join && o.kafka {
		return fmt.Errorf("rows, rounds, records and per-minute are at least 1, -join is not with -kafka, and there are no arguments but flags")
	}
	root, err := rootFolder(ctx)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "ubik-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	ubik := filepath.Join(temp, "ubik")
	if err := build(ctx, root, ubik); err != nil {
		return err
	}
	if o.kafka {
		return benchKafka(ctx, o, ubik)
	}
	if o.dir == "" {
		o.dir = filepath.Join(root, "bench", "data")
	}
	prepare := headline
	if o.join {
		prepare = bandJoin
	}
	c, err := prepare(ctx, o, ubik)
	if err != nil {
		return err
	}
	if o.profile != "" {
		return c.profile(o.profile, temp)
	}
	return c.run(o.rounds, temp)
}

// rootFolder is where the main module is.
func rootFolder(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "ubik").Output()
	if err != nil {
		return "", fmt.Errorf("the module ubik is not found (%w): run this in the folder oracle", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// build makes the program as it is released: static, without cgo.
func build(ctx context.Context, root, to string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", to, "./cmd/ubik")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building ubik: %w\n%s", err, out)
	}
	return nil
}
