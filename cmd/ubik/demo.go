package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"ubik/internal/demo"
	"ubik/internal/fault"
	"ubik/internal/screen"
)

func demoCommand(args []string) int {
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	scenario, known := demo.Find(name)
	if !known || len(args) > 1 {
		var forms []string
		for _, s := range demo.Scenarios {
			forms = append(forms, strings.TrimSpace("ubik demo "+s.Name)+" ("+s.Doc+")")
		}
		return report(os.Stderr, usageFault("write one of: "+strings.Join(forms, ", "), "there is no demo %q", strings.Join(args, " ")))
	}
	ctx, cancel := untilSignal()
	defer cancel(nil)
	exe, err := os.Executable()
	if err == nil {
		err = demo.Run(ctx, os.Stdout, exe, scenario)
	}
	var by interrupted
	if errors.As(err, &by) {
		fmt.Fprintln(screen.Text(os.Stderr), "ubik: "+by.Error())
		return dieBy(by.signal)
	}
	if err != nil {
		return report(os.Stderr, fault.New(fault.Internal, fmt.Sprint("demo: ", err), ""))
	}
	return 0
}

// interrupted is the error of a demo that a signal ended.
type interrupted struct{ signal syscall.Signal }

func (i interrupted) Error() string {
	return "the demo was interrupted by " + deadly[i.signal]
}

// deadly are the signals that end a demo, with their names. SIGPIPE comes when nobody reads what it shows.
var deadly = map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP", syscall.SIGPIPE: "SIGPIPE"}

// untilSignal makes a context that ends at the first deadly signal, with an interrupted as its cause. What is ignored, as
// SIGHUP by nohup, stays so.
func untilSignal() (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	got := make(chan os.Signal, 1)
	for s := range deadly {
		if !signal.Ignored(s) {
			signal.Notify(got, s)
		}
	}
	go func() {
		defer fault.Guard()
		if s, ok := (<-got).(syscall.Signal); ok {
			cancel(interrupted{s})
		}
	}()
	return ctx, cancel
}

// dieBy ends the process by a signal that it caught, so that its parent sees what ended it. The first process of a
// container cannot die so: it gets the exit code that shells have for it.
func dieBy(s syscall.Signal) int {
	if os.Getpid() == 1 {
		return 128 + int(s)
	}
	signal.Reset(s)
	if s == syscall.SIGPIPE { // which kills nobody but who writes
		os.Stdout.WriteString("\n")
		return 128 + int(s)
	}
	_ = syscall.Kill(os.Getpid(), s)
	select {} // until the signal is delivered
}
