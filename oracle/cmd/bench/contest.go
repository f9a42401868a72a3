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

func ubikFile(ctx context.Context, ubik, from, to string, workers int) *exec.Cmd {
	return exec.CommandContext(ctx, ubik, "run", "--from", "txns="+from, "--to", to, "--schema", schema, "--delay", "5s",
		"--workers", fmt.Sprint(workers), "--quiet", query)
}

// headline is the contest over the headline query.
func headline(ctx context.Context, o *options, ubik string) (*contest, error) {
	file, err := dataFile(ctx, o.dir, o.rows)
	if err != nil {
		return nil, err
	}
	return &contest{
		files: []string{file}, rows: o.rows,
		ubik: func(to string, workers int) *exec.Cmd { return ubikFile(ctx, ubik, file, to, workers) },
		duck: func(self, to string) *exec.Cmd {
			return exec.CommandContext(ctx, self, "-duck", to, "-duck-from", file)
		},
		expected: func(path string) (expectation, error) { return readAnswer(path) },
	}, nil
}

// contest is a query over files, and how either program is asked to write the answer to a file.
type contest struct {
	files    []string
	rows     int // of all files
	ubik     func(to string, workers int) *exec.Cmd
	duck     func(self, to string) *exec.Cmd        // self is this program
	expected func(path string) (expectation, error) // reads DuckDB's answer

	status func(to string) *exec.Cmd // ubik with one worker, which logs its state; nil: the state is not asked for
	held   int                       // rows that DuckDB holds at least, when it is
}

// expectation is an answer that others must equal.
type expectation interface {
	compare(path string) error // fails unless the file holds the same rows, each once
	size() int                 // rows
}

// contestant is one way to run the query. command makes the process that writes the answer to a file.
type contestant struct {
	name    string
	command func(to string) *exec.Cmd
	costs   []cost
}

// run lets the contestants take turns.
func (c *contest) run(rounds int, temp string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	duckdb := &contestant{name: "duckdb, 1 thread", command: func(to string) *exec.Cmd { return c.duck(self, to) }}
	var ubiks []*contestant
	for _, workers := range []int{1, 2} {
		ubiks = append(ubiks, &contestant{name: fmt.Sprintf("ubik, --workers %d", workers), command: func(to string) *exec.Cmd { return c.ubik(to, workers) }})
	}
	if err := c.warm(); err != nil {
		return err
	}
	rows := 0
	for round := range rounds {
		files := map[*contestant]string{}
		for _, one := range append(ubiks[:len(ubiks):len(ubiks)], duckdb) {
			to := filepath.Join(temp, fmt.Sprintf("answer-%d.jsonl", len(files)))
			files[one] = to
			if err := os.Remove(to); err != nil && !os.IsNotExist(err) {
				return err
			}
			took, err := measure(one.command(to))
			if err != nil {
				return err
			}
			one.costs = append(one.costs, took)
			fmt.Printf("round %d  %-18s %8.2f s wall %8.2f s CPU %8.1f MB peak %9.0f rows/s\n",
				round+1, one.name, took.wall.Seconds(), took.cpu.Seconds(), megabytes(took.peak), rate(c.rows, took.wall))
		}
		want, err := c.expected(files[duckdb])
		if err != nil {
			return err
		}
		for _, one := range ubiks {
			if err := want.compare(files[one]); err != nil {
				return fmt.Errorf("%s and %s differ: %w", one.name, duckdb.name, err)
			}
		}
		rows = want.size()
	}
	fmt.Printf("\n%d rows in, %d rows out, equal in every run.\n\n", c.rows, rows)
	report(os.Stdout, c.rows, ubiks, duckdb)
	if c.status == nil {
		return nil
	}
	most, err := askStored(c.status(filepath.Join(temp, "answer.jsonl")))
	if err != nil {
		return err
	}
	reportStored(os.Stdout, most, c.held, ubiks[0], duckdb)
	return nil
}

// warm reads the files once, so that no contestant finds them colder than another.
func (c *contest) warm() error {
	for _, file := range c.files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, f)
		f.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// profile runs ubik once under a CPU profile.
func (c *contest) profile(to, temp string) error {
	if err := c.warm(); err != nil {
		return err
	}
	to, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	cmd := c.ubik(filepath.Join(temp, "answer.jsonl"), 1)
	cmd.Env = append(os.Environ(), "UBIK_PROFILE="+to)
	took, err := measure(cmd)
	if err != nil {
		return err
	}
	fmt.Printf("%.0f rows/s under the profile %s\nlook at it with: go tool pprof -top %s\n", rate(c.rows, took.wall), to, to)
	return nil
}
