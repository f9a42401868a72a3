// Package screen is what the program shows on a terminal: it owns the terminal, so that log lines, the rows of a table and
// one live line at the bottom do not run into each other.
//
// The words:
//
//   - a stream is standard output or standard error. One that is no terminal is left alone: what is written to it goes
//     there byte for byte.
//   - the live line is drawn in place behind everything that was written, cleared before anything else is, and gone after
//     Close. It exists when standard error is a terminal that can move its cursor: TERM is set and not dumb.
//   - colours are for terminals that can, and never where NO_COLOR is set (https://no-color.org).
//   - a column is the width of a Latin letter; an ideograph takes two, an accent on its own none.
//
// In short:
//
//	s := screen.Open(os.Stdout, os.Stderr, os.Getenv)
//	defer s.Close()
//	s.Log(slog.LevelInfo).Info("reading txns") // 12:00:01 reading txns
//	s.Show(func(width int) string { return "[====>     ] 42%" })
package screen
