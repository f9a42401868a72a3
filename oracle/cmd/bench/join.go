package main

import (
	"context"
	"fmt"
	"os/exec"

	"ubik/oracle/duck"
)

const (
	joinSchema = "auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"
	joinQuery  = `SELECT a.auth_id, a.amount AS authorised, s.amount AS settled, s.event_time - a.event_time AS took
FROM auths a JOIN settlements s
  ON a.auth_id = s.auth_id
 AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE`
)

// askDuckToJoin is the child's part: the same query by DuckDB with one thread.
func askDuckToJoin(auths, settlements, to string) error {
	db, err := duck.Open() // with one thread
	if err != nil {
		return err
	}
	defer db.Close()
	table := func(path string) string {
		return "read_json(" + duck.Literal(path) + `, format = 'newline_delimited',
    columns = {auth_id: 'VARCHAR', amount: 'DECIMAL(18,2)', event_time: 'TIMESTAMP'})`
	}
	return db.Exec(`COPY (
  SELECT a."auth_id", a."amount" AS "authorised", s."amount" AS "settled", s."event_time" - a."event_time" AS "took"
  FROM ` + table(auths) + ` a JOIN ` + table(settlements) + ` s
    ON a."auth_id" = s."auth_id"
   AND s."event_time" BETWEEN a."event_time" AND a."event_time" + INTERVAL 10 MINUTE
) TO ` + duck.Literal(to) + ` (FORMAT json)`)
}

// ubikJoin is the query by ubik; status is a flag that says how much of it is logged.
func ubikJoin(ctx context.Context, ubik, auths, settlements, to string, workers int, status string) *exec.Cmd {
	return exec.CommandContext(ctx, ubik, "run", "--from", "auths="+auths, "--from", "settlements="+settlements, "--to", to,
		"--schema", "auths="+joinSchema, "--schema", "settlements="+joinSchema, "--delay", "5s",
		"--workers", fmt.Sprint(workers), status, joinQuery)
}

// bandJoin is the contest over the join of two files.
func bandJoin(ctx context.Context, o *options, ubik string) (*contest, error) {
	auths, settlements, err := joinFiles(ctx, o.dir, o.rows, o.perMinute)
	if err != nil {
		return nil, err
	}
	return &contest{
		files: []string{auths, settlements}, rows: 2 * o.rows,
		ubik: func(to string, workers int) *exec.Cmd {
			return ubikJoin(ctx, ubik, auths, settlements, to, workers, "--quiet")
		},
		status: func(to string) *exec.Cmd {
			return ubikJoin(ctx, ubik, auths, settlements, to, 1, "--status-every=100ms")
		},
		held: o.rows,
		duck: func(self, to string) *exec.Cmd {
			return exec.CommandContext(ctx, self, "-join", "-duck", to, "-duck-from", auths, "-duck-with", settlements)
		},
		expected: func(path string) (expectation, error) { return readPairs(path) },
	}, nil
}
