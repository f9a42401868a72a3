package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ubik/internal/host"
	"ubik/internal/plan"
	"ubik/internal/runner"
)

// explainCommand takes the command line of a run and shows its plan. No source or sink is touched, nor a checkpoint.
func explainCommand(args []string) int {
	o, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		printHelp(os.Stdout)
		return 0
	}
	if err == nil {
		err = explain(os.Stdout, o)
	}
	return report(os.Stderr, err)
}

func explain(w io.Writer, o *options) error {
	s := &setup{o: o, disk: host.OS, name: "query"}
	if err := s.makePlan(); err != nil {
		return err
	}
	if _, err := sinkKindOf(o.to); err != nil {
		return err
	}
	around := plan.Surroundings{To: o.to}
	if o.to == "-" {
		around.To = "standard output"
	}
	for _, src := range s.plan.Sources {
		in := s.inputs[src.Name]
		from := plan.From{Log: in.url}
		switch {
		case s.mode == runner.KeepOpen:
			from.End = "the present one; windows stay open for the next run"
		case !in.kind.Replayable:
			from.End = "where the input ends"
		case !src.Bounded:
			from.End = "none: the run goes on until it is stopped"
		default:
			from.End = "the one there is at the first start"
		}
		if in.url == "-" {
			from.Log = "standard input"
		}
		around.From = append(around.From, from)
	}
	_, err := fmt.Fprint(w, s.plan.Explain(around))
	return err
}
