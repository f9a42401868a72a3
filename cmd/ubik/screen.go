package main

import (
	"log/slog"
	"os"

	"ubik/internal/connector"
	"ubik/internal/engine"
	"ubik/internal/host"
	"ubik/internal/screen"
)

// openScreen takes the standard streams over, and gives the log that goes with them. Close the screen at the end.
func (s *setup) openScreen() {
	level := slog.LevelInfo
	if s.o.quiet {
		level = slog.LevelWarn
	}
	s.screen = screen.Open(os.Stdout, os.Stderr, os.Getenv)
	s.log = s.screen.Log(level)
}

// toStdout tells a sink what standard output is.
func (s *setup) toStdout(o *connector.Options) {
	o.Stdout, o.Terminal, o.Colours, o.Clock = s.screen.Out(), s.screen.OutTerminal(), s.screen.OutColours(), host.Wall
}

// showOn lets the run show itself in one line while it goes, where that is possible and wanted. Where records are typed in,
// the line would be drawn over them.
func (s *setup) showOn(job *engine.Job) {
	typed := false
	for i := range s.job.Sources {
		typed = typed || s.job.Sources[i].URL == "-" && screen.IsTerminal(os.Stdin)
	}
	if s.screen.Moves() && !typed && !s.o.quiet && s.o.status > 0 {
		job.Show = func(p engine.Progress) { s.screen.Show(p.Line) }
	}
}
