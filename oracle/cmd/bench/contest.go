package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"ubik/oracle/duck"
)

const (
	schema = "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"
	query  = `SELECT merchant, TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n, sum(amount) AS total
FROM txns GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)`
)

// askDuck is the child's part: the same query by DuckDB with one thread.
func askDuck(from, to string) error {
	db, err := duck.Open() // with one thread
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Exec(`COPY (
  SELECT "merchant", time_bucket(INTERVAL 1 MINUTE, "event_time") AS "window", count(*) AS "n", sum("amount") AS "total"
  FROM read_json(` + duck.Literal(from) + `, format = 'newline_delimited',
    columns = {merchant: 'VARCHAR', amount: 'DECIMAL(18,2)', event_time: 'TIMESTAMP'})
  GROUP BY "merchant", time_bucket(INTERVAL 1 MINUTE, "event_time")
) TO ` + duck.Literal(to) + ` (FORMAT json)`)
}

// contestant is one way to run the query. command makes the process that writes the answer to a file.
type contestant struct {
	name    string
	command func(to string) *exec.Cmd
	costs   []cost
}

func ubikFile(ctx context.Context, ubik, from, to string, workers int) *exec.Cmd {
	return exec.CommandContext(ctx, ubik, "run", "--from", "txns="+from, "--to", to, "--schema", schema, "--delay", "5s",
		"--workers", fmt.Sprint(workers), "--quiet", query)
}

// benchFile lets the contestants take turns on the file.
func benchFile(ctx context.Context, o *options, ubik, file, temp string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	duckdb := &contestant{name: "duckdb, 1 thread", command: func(to string) *exec.Cmd {
		return exec.CommandContext(ctx, self, "-duck", to, "-duck-from", file)
	}}
	var ubiks []*contestant
	for _, workers := range []int{1, 2} {
		ubiks = append(ubiks, &contestant{name: fmt.Sprintf("ubik, --workers %d", workers), command: func(to string) *exec.Cmd {
			return ubikFile(ctx, ubik, file, to, workers)
		}})
	}
	if err := warm(file); err != nil {
		return err
	}
	rows := 0
	for round := range o.rounds {
		files := map[*contestant]string{}
		for _, c := range append(ubiks[:len(ubiks):len(ubiks)], duckdb) {
			to := filepath.Join(temp, fmt.Sprintf("answer-%d.jsonl", len(files)))
			files[c] = to
			if err := os.Remove(to); err != nil && !os.IsNotExist(err) {
				return err
			}
			took, err := measure(c.command(to))
			if err != nil {
				return err
			}
			c.costs = append(c.costs, took)
			fmt.Printf("round %d  %-18s %8.2f s wall %8.2f s CPU %8.1f MB peak %9.0f rows/s\n",
				round+1, c.name, took.wall.Seconds(), took.cpu.Seconds(), megabytes(took.peak), rate(o.rows, took.wall))
		}
		want, err := readAnswer(files[duckdb])
		if err != nil {
			return err
		}
		for _, c := range ubiks {
			if err := want.compare(files[c]); err != nil {
				return fmt.Errorf("%s and %s differ: %w", c.name, duckdb.name, err)
			}
		}
		rows = len(want)
	}
	fmt.Printf("\n%d rows in, %d rows out, equal in every run.\n\n", o.rows, rows)
	report(os.Stdout, o.rows, ubiks, duckdb)
	return nil
}

// warm reads the file once, so that no contestant finds it colder than another.
func warm(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(io.Discard, f)
	return err
}

// profile runs ubik once under a CPU profile.
func profile(ctx context.Context, o *options, ubik, file, temp string) error {
	if err := warm(file); err != nil {
		return err
	}
	to, err := filepath.Abs(o.profile)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	cmd := ubikFile(ctx, ubik, file, filepath.Join(temp, "answer.jsonl"), 1)
	cmd.Env = append(os.Environ(), "UBIK_PROFILE="+to)
	took, err := measure(cmd)
	if err != nil {
		return err
	}
	fmt.Printf("%.0f rows/s under the profile %s\nlook at it with: go tool pprof -top %s\n", rate(o.rows, took.wall), to, to)
	return nil
}
