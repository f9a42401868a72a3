package screen

import (
	"bytes"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"
)

func logged(colours bool, level slog.Level, with func(*slog.Logger) *slog.Logger, l slog.Level, msg string, args ...any) string {
	var out bytes.Buffer
	log := with(slog.New(&handler{to: &out, level: level, colours: colours, mu: &sync.Mutex{}}))
	if !log.Enabled(nil, l) {
		return ""
	}
	r := slog.NewRecord(time.Date(2026, 1, 1, 9, 8, 7, 6, time.UTC), l, msg, 0)
	r.Add(args...)
	log.Handler().Handle(nil, r)
	return out.String()
}

func TestALogLineOnATerminalIsForPeople(t *testing.T) {
	same := func(l *slog.Logger) *slog.Logger { return l }
	for _, c := range []struct{ got, want string }{
		{logged(false, slog.LevelInfo, same, slog.LevelInfo, "reading txns", "delay", "5s", "held by", "a b"), "09:08:07 reading txns delay=5s \"held by\"=\"a b\"\n"},
		{logged(false, slog.LevelInfo, same, slog.LevelWarn, "odd\x1b[2J", "err", errors.New("x=1"), "none", ""), "09:08:07 WARN odd\\u001b[2J err=\"x=1\" none=\"\"\n"},
		{logged(false, slog.LevelInfo, same, slog.LevelDebug, "unseen"), ""},
		{logged(false, slog.LevelDebug, same, slog.LevelDebug, "seen", "d", 1500*time.Millisecond, "t", time.Unix(0, 0).UTC()), "09:08:07 DEBUG seen d=1.5s t=1970-01-01T00:00:00Z\n"},
		{logged(false, slog.LevelInfo, func(l *slog.Logger) *slog.Logger { return l.With("a", 1).WithGroup("g").With("b", 2) }, slog.LevelInfo, "m", "c", 3,
			slog.Group("h", "d", 4), slog.Attr{}), "09:08:07 m a=1 g.b=2 g.c=3 g.h.d=4\n"},
		{logged(true, slog.LevelInfo, same, slog.LevelError, "bad", "k", "売上"), "\x1b[2m09:08:07\x1b[0m \x1b[31mERROR\x1b[0m bad \x1b[2mk=\x1b[0m売上\n"},
		{logged(true, slog.LevelInfo, same, slog.LevelWarn, "odd"), "\x1b[2m09:08:07\x1b[0m \x1b[33mWARN\x1b[0m odd\n"},
		{logged(true, slog.LevelInfo, same, slog.LevelInfo, "raw\x9b31m", "k", "\x9b31m"), "\x1b[2m09:08:07\x1b[0m raw\ufffd31m \x1b[2mk=\x1b[0m\"\\x9b31m\"\n"},
	} {
		if c.got != c.want {
			t.Errorf("got  %q\nwant %q", c.got, c.want)
		}
	}
}
