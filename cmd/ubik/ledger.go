package main

import (
	"fmt"
	"io"
	"log/slog"
	"text/tabwriter"
	"time"

	"ubik/internal/connector"
	"ubik/internal/engine"
	"ubik/internal/runner"
	"ubik/internal/vec"
)

// ledgerRows is how many partitions are shown each on its own; the rest are summed.
const ledgerRows = 20

// printLedger shows what became of every record, as the ledger has it.
func printLedger(w io.Writer, rep *engine.Report) {
	st := &rep.Status
	end := "stopped"
	if rep.Complete {
		end = "complete"
	}
	rate := ""
	if s := rep.Elapsed.Seconds(); s > 0 && !rep.Already {
		rate = fmt.Sprintf(" in %s", rep.Elapsed.Round(10*time.Millisecond))
	}
	fmt.Fprintf(w, "%s: %s, %s%s\n", end, counted(st.Read, "record"), counted(st.Emitted, "row"), rate)
	var rows []ledgerRow
	for i := range st.Partitions {
		p := &st.Partitions[i]
		for k := range p.References {
			ref := &p.References[k]
			rows = append(rows, ledgerRow{ledgerName(p.PartitionID, ref.Alias), &ref.Ledger})
		}
	}
	writeLedger(w, rows, true)
	if line := openText(st); line != "" && !rep.Complete {
		fmt.Fprintln(w, line)
	}
}

// openText says, in the words of the log line, what has not come out for want of records behind it; "": nothing is held.
func openText(st *runner.Status) string {
	if st.OpenWindows == 0 && st.Groups == 0 {
		return ""
	}
	text := "held back: "
	if st.OpenWindows > 0 {
		text += counted(uint64(st.OpenWindows), "open window") + ", "
	}
	text += fmt.Sprintf("%d stored; ", st.Groups)
	if st.Watermark == vec.NegInf {
		text += "there is no watermark yet"
	} else {
		text += "the watermark is " + engine.TimeText(st.Watermark)
	}
	if st.Holder >= 0 && len(st.Partitions) > 1 {
		text += ", held by " + runner.PartName(st.Partitions[st.Holder].PartitionID)
	}
	return text
}

// counted is a number of things.
func counted(n uint64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// warnOfLeftOut tells of malformed and late records where the ledger is not shown, since nothing is left out in silence.
func warnOfLeftOut(w io.Writer, log *slog.Logger, rep *engine.Report) {
	var total runner.Ledger
	for i := range rep.Status.Partitions {
		for k := range rep.Status.Partitions[i].References {
			total.Add(&rep.Status.Partitions[i].References[k].Ledger)
		}
	}
	late := total.Late + total.LateByFloor
	if total.Malformed+late == 0 {
		return
	}
	log.Warn("records were left out of the result", "malformed", total.Malformed, "late", late)
	for i := range rep.Status.Partitions {
		p := &rep.Status.Partitions[i]
		for k := range p.References {
			ref := &p.References[k]
			writeIncidents(w, ledgerName(p.PartitionID, ref.Alias), &ref.Ledger, true)
		}
	}
}

// ledgerRow is the ledger of a partition, for one reference to its source.
type ledgerRow struct {
	name   string
	ledger *runner.Ledger
}

// ledgerName names a partition, and the reference when there are several.
func ledgerName(id connector.PartitionID, alias string) string {
	name := runner.PartName(id)
	if alias != "" {
		name += " as " + alias
	}
	return name
}

// writeLedger writes the table and names single records. Reasons, which quote values, only with data.
func writeLedger(w io.Writer, rows []ledgerRow, data bool) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "partition\tread\tused\tfiltered\tunwindowed\tlate\tmalformed\t")
	line := func(name string, l *runner.Ledger) {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, l.Read, l.Used, l.Filtered, l.Unwindowed, l.Late+l.LateByFloor, l.Malformed)
	}
	var total, rest runner.Ledger
	for i, r := range rows {
		total.Add(r.ledger)
		if i < ledgerRows {
			line(r.name, r.ledger)
		} else {
			rest.Add(r.ledger)
		}
	}
	if n := len(rows) - ledgerRows; n > 0 {
		line(fmt.Sprintf("%d more", n), &rest)
	}
	if len(rows) > 1 {
		line("all", &total)
	}
	t.Flush()
	for _, r := range rows {
		writeIncidents(w, r.name, r.ledger, data)
	}
	if total.PartlyLate > 0 {
		fmt.Fprintf(w, "%d of the used records were late for some of their windows\n", total.PartlyLate)
	}
}

// writeIncidents names the records worth naming of one partition.
func writeIncidents(w io.Writer, name string, l *runner.Ledger, data bool) {
	if in := l.FirstMalformed; in != nil {
		text := fmt.Sprintf("%s: first malformed record at position %d", name, in.Offset)
		if in.Field != "" {
			text += ", " + in.Field
		}
		if data {
			text += ": " + in.Reason
		}
		fmt.Fprintln(w, text)
	}
	if in := l.FirstLate; in != nil {
		fmt.Fprintf(w, "%s: first late record at position %d, time %s, %s behind; the worst at position %d, %s behind\n",
			name, in.Offset, engine.TimeText(in.Time), in.Behind.SpanText(), l.WorstLate.Offset, l.WorstLate.Behind.SpanText())
	}
}
