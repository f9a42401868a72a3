package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/screen"
)

// explainCommand takes the command line of a run and shows its plan. No sink is touched, nor a checkpoint; a source only
// when its columns have to be found.
func explainCommand(args []string) int {
	o, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		printHelp(os.Stdout)
		return 0
	}
	if err == nil {
		err = explain(screen.Text(os.Stdout), o)
	}
	return report(os.Stderr, err)
}

func explain(w io.Writer, o *options) error {
	o.quiet = true // what is found is in the plan
	s := newSetup(o)
	defer s.screen.Close()
	if err := s.load(); err != nil {
		return err
	}
	if s.job.Sink.Kind.NewSink == nil {
		return usageFault("", "%s can only be a source", s.job.Sink.URL)
	}
	if err := s.makePlan(context.Background()); err != nil {
		return err
	}
	around := plan.Surroundings{To: s.job.Sink.URL}
	if around.To == "-" {
		around.To = "standard output"
	}
	for i, src := range s.plan.Sources {
		t := s.tableOf(i)
		from := plan.From{Log: t.URL}
		switch {
		case s.mode == runner.KeepOpen:
			from.End = "the present one; windows stay open for the next run"
		case !t.Kind.Replayable:
			from.End = "where the input ends"
		case !src.Bounded:
			from.End = "none: the run goes on until it is stopped"
		default:
			from.End = "the one there is at the first start"
		}
		if t.URL == "-" {
			from.Log = "standard input"
		}
		around.From = append(around.From, from)
	}
	_, err := fmt.Fprint(w, s.plan.Explain(around))
	return err
}
