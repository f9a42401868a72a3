// Command ubik runs a SQL query over Kafka topics or files, continuously, with exactly-once effect.
package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"ubik/internal/fault"
	"ubik/internal/sql"
)

// command is a subcommand: one entry of the list.
type command struct {
	name, short string
	run         func(args []string) int
}

func commands() []command {
	return []command{
		{"run", "run a query (the default: 'ubik [flags] QUERY')", runCommand},
		{"explain", "show how a query would be run: 'ubik explain [flags of the run] QUERY'; of a source that is not declared it reads the first records", explainCommand},
		{"peek", "show records of a source as a run reads them: 'ubik peek SOURCE [-n N] [--start …] [--raw]'", peekCommand},
		{"schema", "print the columns that the first records of a source have: 'ubik schema SOURCE'", schemaCommand},
		{"demo", "kill a query with SIGKILL several times and check that nothing shows; 'ubik demo join': a join", demoCommand},
		{"checkpoint", "show what a checkpoint holds: 'ubik checkpoint show FILE'", checkpointCommand},
		{"version", "print the version, as 'ubik --version' does", versionCommand},
		{"help", "print this", helpCommand},
	}
}

// nearCommand is the command that a word was meant for which stands where one does; "": none.
func nearCommand(word string) string {
	for _, c := range word {
		if c < 'a' || c > 'z' {
			return ""
		}
	}
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return sql.Nearest(word, names)
}

func isCommand(word string) bool {
	return slices.ContainsFunc(commands(), func(c command) bool { return c.name == word })
}

// gcPercent trades collections for memory: a join's peak is a tenth to a fifth lower than with Go's own 100, at no cost in time
// that could be measured.
const gcPercent = 50

func main() {
	defer fault.Guard()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	args := os.Args[1:]
	if len(args) == 0 {
		printHelp(os.Stderr)
		os.Exit(fault.Usage.Code())
	}
	for _, c := range commands() {
		if args[0] == c.name || c.name == "version" && args[0] == "--version" {
			os.Exit(c.run(args[1:]))
		}
	}
	if near := nearCommand(args[0]); near != "" {
		os.Exit(report(os.Stderr, usageFault("did you mean ubik "+near+"?", "there is no command %s", args[0])))
	}
	os.Exit(runCommand(args))
}

func versionCommand([]string) int {
	info, _ := debug.ReadBuildInfo()
	fmt.Println("ubik", versionText(info))
	return 0
}

// versionText is the version of a build, of the module or else the revision it was built from, and that of Go. It is
// modified when there are changes that the revision does not have. nil: nothing is known.
func versionText(info *debug.BuildInfo) string {
	if info == nil {
		return "(unknown)"
	}
	version, modified := strings.CutSuffix(info.Main.Version, "+dirty")
	revision := ""
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			revision = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if version == "" {
		version = "(devel)"
	}
	if revision != "" && version == "(devel)" {
		version = revision
	}
	if modified {
		version += " modified"
	}
	return version + " " + info.GoVersion
}
