package main

import (
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
)

// stored is what ubik says of its state, in the status line with the most rows.
type stored struct {
	rows, bytes int64
}

// askStored runs a command that prints status lines.
func askStored(cmd *exec.Cmd) (stored, error) {
	said, err := cmd.CombinedOutput()
	if err != nil {
		return stored{}, fmt.Errorf("%s: %w\n%s", cmd, err, said)
	}
	most := mostStored(said)
	if most.rows == 0 {
		return most, fmt.Errorf("%s: no status line tells of stored rows: more of them are needed\n%s", cmd, said)
	}
	return most, nil
}

// mostStored finds the status line with the most stored rows.
func mostStored(log []byte) (most stored) {
	for line := range bytes.Lines(log) {
		rows, err := strconv.ParseInt(attribute(string(line), "stored"), 10, 64)
		size, ok := sizeOf(attribute(string(line), "state"))
		if err == nil && ok && rows > most.rows {
			most = stored{rows, size}
		}
	}
	return most
}

// attribute is the value of a name in a line of the log, or nothing.
func attribute(line, name string) string {
	_, rest, found := strings.Cut(line, " "+name+"=")
	if !found {
		return ""
	}
	if quoted, ok := strings.CutPrefix(rest, `"`); ok {
		value, _, _ := strings.Cut(quoted, `"`)
		return value
	}
	value, _, _ := strings.Cut(rest, " ")
	return strings.TrimSpace(value)
}

// sizeOf reads a size as the log writes it: 93 MiB.
func sizeOf(text string) (int64, bool) {
	number, unit, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(number, 10, 64)
	shift := map[string]int{"B": 0, "KiB": 10, "MiB": 20, "GiB": 30}
	by, known := shift[unit]
	return n << by, err == nil && known
}

// reportStored prints the state beside the memory of the processes. DuckDB holds one of the files as a whole.
func reportStored(w io.Writer, s stored, held int, ubik, duckdb *contestant) {
	memory := func(c *contestant) float64 { return c.median(func(c cost) float64 { return float64(c.peak) }) }
	fmt.Fprintln(w, "\n| | rows held at most | state MB | bytes of state a row | peak bytes a row |")
	fmt.Fprintln(w, "|---|---|---|---|---|")
	fmt.Fprintf(w, "| %s | %d | %.1f | %.0f | %.0f |\n", ubik.name, s.rows, megabytes(s.bytes), float64(s.bytes)/float64(s.rows), memory(ubik)/float64(s.rows))
	fmt.Fprintf(w, "| %s | %d | | | %.0f |\n", duckdb.name, held, memory(duckdb)/float64(held))
}
