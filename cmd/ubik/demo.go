package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"

	"ubik/internal/demo"
	"ubik/internal/fault"
)

func demoCommand(args []string) int {
	if len(args) > 0 {
		return report(os.Stderr, usageFault("write: ubik demo", "demo takes no arguments"))
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	exe, err := os.Executable()
	if err == nil {
		err = demo.Run(ctx, os.Stdout, exe)
	}
	if err != nil {
		return report(os.Stderr, fault.New(fault.Internal, fmt.Sprint("demo: ", err), ""))
	}
	return 0
}
