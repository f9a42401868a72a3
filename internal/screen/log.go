package screen

import (
	"context"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// Log returns a logger to standard error: slog's lines of text, or on a terminal shorter ones for people.
func (s *Screen) Log(level slog.Leveler) *slog.Logger {
	if !s.errTerminal {
		return slog.New(slog.NewTextHandler(s.errFile, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(&handler{to: s.Err(), level: level, colours: s.errColours, mu: &sync.Mutex{}})
}

// The attributes of text; plain goes back to none.
const (
	Plain  = "\x1b[0m"
	Dim    = "\x1b[2m"
	red    = "\x1b[31m"
	yellow = "\x1b[33m"
)

// handler writes a record as the time of day, the level unless it is INFO, the message, and key=value for each attribute.
type handler struct {
	to      io.Writer
	level   slog.Leveler
	colours bool
	mu      *sync.Mutex // lines are written one at a time
	prefix  string      // of keys: the open groups
	before  []byte      // attributes that every record has
}

func (h *handler) Enabled(_ context.Context, l slog.Level) bool { return l >= h.level.Level() }

func (h *handler) Handle(_ context.Context, r slog.Record) error {
	var b []byte
	if !r.Time.IsZero() {
		b = h.appendIn(b, Dim, r.Time.Format(time.TimeOnly))
		b = append(b, ' ')
	}
	switch {
	case r.Level >= slog.LevelError:
		b = append(h.appendIn(b, red, r.Level.String()), ' ')
	case r.Level >= slog.LevelWarn:
		b = append(h.appendIn(b, yellow, r.Level.String()), ' ')
	case r.Level != slog.LevelInfo:
		b = append(h.appendIn(b, Dim, r.Level.String()), ' ')
	}
	b = AppendPrintable(b, r.Message)
	b = append(b, h.before...)
	r.Attrs(func(a slog.Attr) bool {
		b = h.appendAttr(b, h.prefix, a)
		return true
	})
	b = append(b, '\n')
	h.mu.Lock()
	defer h.mu.Unlock()
	_, err := h.to.Write(b)
	return err
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	with := *h
	with.before = append([]byte(nil), h.before...)
	for _, a := range attrs {
		with.before = with.appendAttr(with.before, h.prefix, a)
	}
	return &with
}

func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	with := *h
	with.prefix += name + "."
	return &with
}

func (h *handler) appendAttr(dst []byte, prefix string, a slog.Attr) []byte {
	v := a.Value.Resolve()
	if v.Kind() == slog.KindGroup {
		if a.Key != "" {
			prefix += a.Key + "."
		}
		for _, member := range v.Group() {
			dst = h.appendAttr(dst, prefix, member)
		}
		return dst
	}
	if a.Key == "" && v.Equal(slog.Value{}) {
		return dst
	}
	dst = append(dst, ' ')
	dst = h.appendIn(dst, Dim, quoted(prefix+a.Key)+"=")
	text := v.String()
	if v.Kind() == slog.KindTime {
		text = v.Time().Format(time.RFC3339Nano)
	}
	return append(dst, quoted(text)...)
}

func (h *handler) appendIn(dst []byte, colour, text string) []byte {
	if !h.colours {
		return append(dst, text...)
	}
	return append(append(append(dst, colour...), text...), Plain...)
}

// quoted is a text as it stands, or in quotes where its ends would not be seen.
func quoted(text string) string {
	odd := func(r rune) bool { return r == ' ' || r == '=' || r == '"' || !unicode.IsPrint(r) }
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, odd) {
		return strconv.Quote(text)
	}
	return text
}
