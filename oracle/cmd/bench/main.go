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
	rows, rounds, records  int
	dir, profile, duck, in string
	kafka                  bool
}

func main() {
	var o options
	flag.IntVar(&o.rows, "rows", 10_000_000, "rows of the file")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each contestant runs")
	flag.StringVar(&o.dir, "data", "", "folder of the generated file (default bench/data)")
	flag.StringVar(&o.profile, "profile", "", "run ubik once, with one worker, and write its CPU profile to this `FILE`")
	flag.BoolVar(&o.kafka, "kafka", false, "measure from a topic into a topic instead")
	flag.IntVar(&o.records, "records", 2_000_000, "records of the topic, with -kafka")
	flag.StringVar(&o.in, "duck-from", "", "for the child process: the file to read")
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
	if o.duck != "" {
		return askDuck(o.in, o.duck)
	}
	if flag.NArg() > 0 || o.rows < 1 || o.rounds < 1 || o.records < 1 {
		return fmt.Errorf("rows, rounds and records are at least 1, and there are no arguments but flags")
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
	file, err := dataFile(ctx, o.dir, o.rows)
	if err != nil {
		return err
	}
	if o.profile != "" {
		return profile(ctx, o, ubik, file, temp)
	}
	return benchFile(ctx, o, ubik, file, temp)
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
