package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"ubik/internal/fault"
)

func helpCommand([]string) int {
	printHelp(os.Stdout)
	return 0
}

const helpHead = `ubik runs a SQL query over Kafka topics or files, continuously, with exactly-once effect.

  Count per merchant and minute, from one topic into another, killed and started again as often as you like:

    ubik --from kafka://localhost:9092/txns --to kafka://localhost:9092/txn_counts --resume ./txns.ckpt \
      "SELECT merchant, TUMBLE(event_time, INTERVAL 1 MINUTE) AS window, count(*) AS n
       FROM txns GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)"

  A file that somebody sent, to the terminal:

    ubik "SELECT merchant, count(*) AS n FROM 'orders-2026.csv.gz' GROUP BY merchant"

  What is in it, and how its columns are declared:

    ubik peek orders-2026.csv.gz
    ubik schema orders-2026.csv.gz

  Declared, with money exact, and a script in a file:

    ubik --from txns.jsonl --schema "merchant VARCHAR, amount DECIMAL(18,2)" "SELECT merchant, sum(amount) AS total FROM txns GROUP BY merchant"
    ubik -f job.sql

  Filter a stream:

    tail -f app.jsonl | ubik --from app=- --schema "level VARCHAR, msg VARCHAR" "SELECT msg FROM app WHERE level = 'error'"

`

func printHelp(w io.Writer) {
	fmt.Fprint(w, helpHead)
	fmt.Fprintln(w, "Commands:")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-11s %s\n", c.name, c.short)
	}
	fmt.Fprintln(w, "\nFlags of a run:")
	newFlags(&options{}).VisitAll(func(f *flag.Flag) {
		name, usage := flag.UnquoteUsage(f)
		dash := "--"
		if len(f.Name) == 1 {
			dash = "-"
		}
		if name != "" && name != "value" {
			name = " " + strings.ToUpper(name)
		} else if name == "value" {
			name = " VALUE"
		}
		def := ""
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && !strings.Contains(usage, "(default") {
			def = " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "  %s%s%s\n      %s%s\n", dash, f.Name, name, usage, def)
	})
	fmt.Fprintln(w, "\nExit codes:")
	fmt.Fprintln(w, "   0  done, or stopped cleanly by SIGTERM or SIGINT")
	for _, c := range []struct {
		class fault.Class
		text  string
	}{
		{fault.Usage, "the command line or the query is wrong; nothing ran"},
		{fault.Data, "the input's content stops the run: a malformed record, an added partition, a result that does not fit"},
		{fault.LogChanged, "the log is not the one the checkpoint belongs to"},
		{fault.Sink, "the sink refuses, by what it holds or what it is"},
		{fault.Checkpoint, "the checkpoint cannot be used or written"},
		{fault.Internal, "a defect of ubik or of the machine"},
		{fault.Retryable, "an outage: the same command may work later"},
	} {
		fmt.Fprintf(w, "  %2d  %s\n", c.class.Code(), c.text)
	}
}
