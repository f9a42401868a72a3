package catalog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ubik/internal/connector"
	"ubik/internal/plan"
	"ubik/internal/sql"
	"ubik/internal/vec"
)

var nameForm = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_]*)=`)

// split takes NAME=VALUE apart; name is "" when there is none.
func split(s string) (name, value string) {
	if m := nameForm.FindStringSubmatch(s); m != nil {
		return m[1], s[len(m[0]):]
	}
	return "", s
}

// checkFlags refuses flags that contradict each other.
func (l *loader) checkFlags() error {
	switch f := l.in.Flags; {
	case f.KeepOpen && f.UntilEnd:
		return usage("give one of them", "--keep-open leaves windows open and --until-end closes them")
	case f.Follow && f.KeepOpen:
		return usage("give one of them", "--follow reads files on and on, and --keep-open stops at their end")
	case f.Follow && f.UntilEnd:
		return usage("give one of them", "--follow reads files on and on, and --until-end stops at their end")
	}
	return nil
}

// addFrom adds a source of --from.
func (l *loader) addFrom(from string) error {
	given, url := split(from)
	k, err := kindOf(l.in.Kinds, url)
	if err != nil {
		return err
	}
	if k.NewSource == nil {
		return usage("", url+" can only be a sink")
	}
	t := &Table{Kind: k, URL: url, Delay: -1, Client: l.client(k, nil)}
	if err := probe(t, false); err != nil {
		return err
	}
	t.Name, t.Log = tableName(k, url)
	if given != "" {
		t.Name = given
	}
	if l.find(t.Name) != nil {
		return usage("name one of them: --from NAME="+url, "two sources are named "+sql.QuoteName(t.Name))
	}
	l.names = append(l.names, &entry{text: t.Name, from: t})
	return nil
}

// applyFlags gives the sources what flags say of them.
func (l *loader) applyFlags() error {
	flags := &l.in.Flags
	takers := []taker{
		{"schema", flags.Schema, "its columns", func(t *Table) bool { return t.Schema != nil }, l.setSchema},
		{"delay", flags.Delay, "", nil, setDelay},
		{"format", flags.Format, "its format", func(t *Table) bool { return t.Format != "" }, l.setTableFormat},
		{"start", flags.Start, "", nil, setStart},
	}
	declared := make([]bool, len(takers)) // every source so far declares what the flag says
	for i := range l.job.Sources {
		t := &l.job.Sources[i]
		for j, f := range takers {
			said := t.At != nil && f.said != nil && f.said(t)
			declared[j] = said && (i == 0 || declared[j])
			if err := l.give(f, t, said); err != nil {
				return err
			}
		}
	}
	for j, f := range takers {
		if !declared[j] {
			continue
		}
		for _, v := range f.values { // none with a name is left
			return usage("leave --"+f.flag+" away", "--"+f.flag+" "+v+": "+sql.QuoteName(l.job.Sources[0].Name)+" declares "+f.what+" itself")
		}
	}
	return l.finish()
}

// taker is a flag [NAME=]VALUE and what becomes of its value.
type taker struct {
	flag   string
	values []string
	what   string                                   // that a declaration may say itself
	said   func(*Table) bool                        // it does; nil: the flag wins
	set    func(t *Table, name, value string) error // name as it is given, NAME=; "": none
}

// give gives a source the value of a flag that is for it. A declaration that said it already refuses one with its name;
// one without a name is for the others.
func (l *loader) give(f taker, t *Table, said bool) error {
	found, of := "", ""
	for _, v := range f.values {
		name, value := split(v)
		if name != "" {
			if err := l.known(f, v, name); err != nil {
				return err
			}
			if !sql.SameName(name, t.Name) {
				continue
			}
			if said {
				return usage("leave --"+f.flag+" "+name+"=… away", "--"+f.flag+" "+v+": "+sql.QuoteName(t.Name)+" declares "+f.what+" itself")
			}
		}
		if said {
			continue
		}
		if found != "" {
			return usage("give it once, or with names: --"+f.flag+" NAME=…", "--"+f.flag+" is given twice for "+t.Name)
		}
		if value == "" {
			return usage("", "--"+f.flag+" has no value")
		}
		found, of = value, strings.TrimSuffix(v, value)
	}
	if found == "" {
		return nil
	}
	return f.set(t, of, found)
}

// known fails for a name that is no source's.
func (l *loader) known(f taker, given, name string) error {
	var names []string
	for _, s := range l.job.Sources {
		if sql.SameName(s.Name, name) {
			return nil
		}
		names = append(names, s.Name)
	}
	return usage("the sources are: "+strings.Join(names, ", "), "--"+f.flag+" "+given+": there is no source named "+name)
}

func (l *loader) setSchema(t *Table, _, text string) (err error) {
	if t.Schema, err = plan.Schema(text); err != nil {
		return &TextError{err, "schema", text}
	}
	return nil
}

func setDelay(t *Table, name, text string) (err error) {
	t.Delay, err = parseDelay(name, text)
	return err
}

// durationForm is a duration of any length, as time.ParseDuration reads it.
var durationForm = regexp.MustCompile(`^(([0-9]+\.?[0-9]*|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$`)

// parseDelay reads a --delay value, behind the name that it is given with.
func parseDelay(name, s string) (vec.Time, error) {
	if s == "unlimited" {
		return vec.Forever, nil
	}
	flag := "--delay " + name
	d, err := time.ParseDuration(s)
	if err != nil && durationForm.MatchString(s) {
		return 0, usage("it is 2562047h (292 years) at most, or "+flag+"unlimited", flag+s+" is too long")
	}
	if err != nil {
		if days := NoDays(flag, s); days != nil {
			return 0, days
		}
	}
	if err != nil || d < 0 || d%time.Microsecond != 0 {
		return 0, usage("write for example "+flag+"5s, "+flag+"1m30s, "+flag+"500ms, or "+flag+"unlimited", flag+s+" is not a duration")
	}
	return vec.Time(d.Microseconds()), nil
}

// NoDays is the fault of a duration of days, which have no unit; nil: the text is none. flag is what stands before it.
func NoDays(flag, text string) error {
	hours := inHours(text)
	if hours == "" {
		return nil
	}
	return usage("write "+flag+hours, flag+text+" is not understood: there is no unit of days")
}

// daysForm is a duration of days, and what comes behind them.
var daysForm = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?d(?:ays?)?(.*)$`)

// inHours writes a duration of days, as 1d or 1d12h, with the units that a duration has: 24h, 36h; "" when it is none.
func inHours(text string) string {
	m := daysForm.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	days, err := strconv.ParseFloat(m[1], 64)
	rest := time.Duration(0)
	if m[2] != "" && err == nil {
		rest, err = time.ParseDuration(m[2])
	}
	const most = 50_000 // days; a duration ends at twice as many
	if err != nil || days > most || rest < 0 || rest > 24*most*time.Hour {
		return ""
	}
	d := (time.Duration(days*float64(24*time.Hour)) + rest).String()
	if minutes, whole := strings.CutSuffix(d, "m0s"); whole {
		d = minutes + "m"
	}
	if hours, whole := strings.CutSuffix(d, "h0m"); whole {
		d = hours + "h"
	}
	return d
}

func (l *loader) setTableFormat(t *Table, name, text string) error {
	if err := l.knownFormat("--format "+name, text); err != nil {
		return err
	}
	t.Format = text
	return nil
}

// knownFormat fails for a format that there is not; flag is what stands before it.
func (l *loader) knownFormat(flag, text string) error {
	if slices.Contains(l.in.Formats, text) {
		return nil
	}
	try := "the formats are: " + strings.Join(l.in.Formats, ", ")
	if near := sql.Nearest(text, l.in.Formats); near != "" {
		try = "did you mean " + near + "?"
	}
	return usage(try, flag+text+": there is no such format")
}

func setStart(t *Table, name, text string) error {
	s, ok := parseStart(text)
	if !ok {
		return noStart(name, text)
	}
	switch t.Kind.Name {
	case fileKind:
		if s.At != connector.StartEarliest && s.At != connector.StartLatest {
			return usage("write earliest or latest, or filter in the query; for one of several sources: --start NAME=…",
				"--start "+name+text+": "+t.URL+" has no times and no numbered partitions of its own")
		}
	case stdKind:
		if s.At != connector.StartEarliest {
			return usage("leave it away; for one of several sources: --start NAME=…", "--start "+name+text+": standard input is read from its beginning")
		}
	}
	t.Start = text
	return nil
}

// finish settles what follows from the kinds of the sources, and from the columns that are declared for them.
func (l *loader) finish() error {
	flags, files := &l.in.Flags, false
	for i := range l.job.Sources {
		t := &l.job.Sources[i]
		if t.Kind.Unbounded {
			t.UntilEnd = t.UntilEnd || flags.UntilEnd
		}
		if t.Kind.Name == fileKind {
			files = true
			t.Follow = t.Follow || flags.Follow
		}
		if t.Format == "" {
			t.Format = endingFormat(t.Kind, t.URL)
			if t.Format == "raw" && t.Schema != nil && !(len(t.Schema) == 1 && sql.SameName(t.Schema[0].Name, "_value")) {
				t.Format = ""
			}
		}
	}
	if flags.Follow && !files {
		return usage("leave it away: a topic is read on and on without it", "--follow is for files, and no source is one")
	}
	return nil
}
