package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"ubik/internal/demo"
	"ubik/internal/fault"
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
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	exe, err := os.Executable()
	if err == nil {
		err = demo.Run(ctx, os.Stdout, exe, scenario)
	}
	if err != nil {
		return report(os.Stderr, fault.New(fault.Internal, fmt.Sprint("demo: ", err), ""))
	}
	return 0
}
