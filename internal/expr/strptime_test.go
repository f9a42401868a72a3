package expr

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"ubik/internal/vec"
)

// strptimeTable is what DuckDB 1.5 gives.
var strptimeTable = []struct{ text, format, want string }{
	{"2020", "%Y", "2020-01-01 00:00:00"}, {"", "%Y", "NULL"}, {"x", "x", "1900-01-01 00:00:00"}, {" 2020 ", "%Y", "2020-01-01 00:00:00"}, {"2020\t\n\v\f\r", "%Y", "2020-01-01 00:00:00"}, {"\u00a02020", "%Y", "NULL"},
	{"20 20", "%d %Y", "0020-01-20 00:00:00"}, {"20  5", "%d %m", "1900-05-20 00:00:00"}, {"20 5", "%d  %m", "1900-05-20 00:00:00"}, {"20\t5", "%d %m", "1900-05-20 00:00:00"}, {"20 5", "%d\t%m", "1900-05-20 00:00:00"},
	{"205", "%d%m", "1900-05-20 00:00:00"}, {"2020-1-2", "%Y-%m-%d", "2020-01-02 00:00:00"}, {"20", "%d ", "NULL"}, {"20 ", "%d ", "1900-01-20 00:00:00"}, {"20200", "%Y%-m", "NULL"}, {"12345", "%Y", "NULL"}, {"1", "%Y", "0001-01-01 00:00:00"},
	{"12", "%I", "1900-01-01 12:00:00"}, {"12 am", "%I %p", "1900-01-01 00:00:00"}, {"12 pm", "%I %p", "1900-01-01 12:00:00"}, {"11 pM", "%I %p", "1900-01-01 23:00:00"}, {"13 pm", "%H %p", "NULL"}, {"0 pm", "%H %p", "1900-01-01 12:00:00"},
	{"12 am", "%H %p", "1900-01-01 00:00:00"}, {"pm 3", "%p %I", "1900-01-01 15:00:00"}, {"pm", "%p", "1900-01-01 12:00:00"}, {"12PM", "%I%p", "1900-01-01 12:00:00"}, {"1212", "%I%M", "1900-01-01 12:12:00"},
	{"5", "%f", "1900-01-01 00:00:00.5"}, {"000005", "%f", "1900-01-01 00:00:00.000005"}, {"1234567", "%f", "NULL"}, {"12", "%g", "1900-01-01 00:00:00.12"},
	{"69", "%y", "1969-01-01 00:00:00"}, {"68", "%y", "2068-01-01 00:00:00"}, {"5", "%-y", "2005-01-01 00:00:00"}, {"20 2021", "%y %Y", "2021-01-01 00:00:00"}, {"2021 20", "%Y %y", "2020-01-01 00:00:00"}, {"1 2", "%d %-d", "1900-01-02 00:00:00"},
	{"31/2/2021", "%d/%m/%Y", "NULL"}, {"29/2/2020", "%d/%m/%Y", "2020-02-29 00:00:00"}, {"366 2021", "%j %Y", "2022-01-01 00:00:00"}, {"60", "%j", "1900-03-01 00:00:00"}, {"2020 60 1", "%Y %j %m", "2020-01-01 00:00:00"},
	{"2020 60 1", "%Y %j %d", "2020-01-01 00:00:00"}, {"Feb 60 2020", "%b %j %Y", "2020-02-29 00:00:00"}, {"0", "%j", "NULL"}, {"2020 400 1", "%Y %j %d", "NULL"},
	{"sept", "%b", "NULL"}, {"SEP", "%b", "1900-09-01 00:00:00"}, {"SEPTEMBER", "%B", "1900-09-01 00:00:00"}, {"May", "%B", "1900-05-01 00:00:00"}, {"Jul", "%h", "1900-07-01 00:00:00"}, {"MON 2020-01-02", "%a %Y-%m-%d", "2020-01-02 00:00:00"}, {"mon", "%A", "NULL"},
	{"10/Oct/2000:13:55:36 -0700", "%d/%b/%Y:%H:%M:%S %z", "2000-10-10 20:55:36+00"}, {"+02", "%z", "1899-12-31 22:00:00+00"}, {"+0200", "%z", "1899-12-31 22:00:00+00"}, {"+02:00", "%z", "1899-12-31 22:00:00+00"}, {"-0330", "%z", "1900-01-01 03:30:00+00"},
	{"-00:30", "%z", "1900-01-01 00:30:00+00"}, {"+15:59", "%z", "1899-12-31 08:01:00+00"}, {"Z", "%z", "NULL"}, {"UTC", "%z", "NULL"}, {"+2", "%z", "NULL"}, {"+200", "%z", "NULL"}, {"+", "%z", "NULL"}, {"", "%z", "NULL"}, {"2020+0200 ", "%Y%z", "2019-12-31 22:00:00+00"}, {"2020+02 00", "%Y%z", "NULL"},
	{"2020%", "%Y%%", "2020-01-01 00:00:00"}, {"a%b%c", "a%%b%%c", "1900-01-01 00:00:00"}, {"éÉ 2020", "éÉ %Y", "2020-01-01 00:00:00"}, {"2020-01-01t", "%Y-%m-%dT", "NULL"}, {"2020-01-01T00:00:00Z", "%Y-%m-%dT%H:%M:%SZ", "2020-01-01 00:00:00"},
	{"24", "%H", "NULL"}, {"60", "%S", "NULL"}, {"60", "%M", "NULL"}, {"0", "%I", "NULL"}, {"13", "%I", "NULL"}, {"0", "%d", "NULL"}, {"32", "%d", "NULL"}, {"0", "%m", "NULL"}, {"13", "%m", "NULL"}, {"+5", "%d", "NULL"}, {"٣", "%d", "NULL"},
	{"2020-01-01 02:03:04", "%c", "2020-01-01 02:03:04"}, {"2020-01-01", "%x", "2020-01-01 00:00:00"}, {"02:03:04", "%X", "1900-01-01 02:03:04"}, {"02:03:04", "%T", "1900-01-01 02:03:04"},
}

func TestStrptimeReadsAsDuckDBDoes(t *testing.T) {
	for _, c := range strptimeTable {
		args := fmt.Sprintf("('%s', '%s')", c.text, c.format)
		if got := valueOf("try_strptime" + args); got != c.want {
			t.Errorf("try_strptime%s = %s, want %s", args, got, c.want)
		}
		got := valueOf("strptime" + args)
		if c.want == "NULL" && !strings.HasPrefix(got, "error: strptime: ") || c.want != "NULL" && got != c.want {
			t.Errorf("strptime%s = %s, want %s", args, got, c.want)
		}
	}
}

func TestStrptimeSaysWhatDoesNotFit(t *testing.T) {
	for call, want := range map[string]string{
		"strptime('31/Foo/2021', '%d/%b/%Y')":                 `strptime: "31/Foo/2021" does not fit "%d/%b/%Y": expected a month such as Jan for %b, not "Foo/2021"`,
		"strptime('31/13/2021', '%d/%-m/%Y')":                 `strptime: "31/13/2021" does not fit "%d/%-m/%Y": expected a month from 1 to 12 for %-m, not "13/2021"`,
		"strptime('2021-01', '%Y-%m-%d')":                     `strptime: "2021-01" does not fit "%Y-%m-%d": it ends where "-" is expected`,
		"strptime('2021-', '%Y-%m')":                          `strptime: "2021-" does not fit "%Y-%m": it ends where a month from 1 to 12 for %m is expected`,
		"strptime('2021/01', '%Y %m')":                        `strptime: "2021/01" does not fit "%Y %m": expected a blank, not "/01"`,
		"strptime('2021 x', '%Y')":                            `strptime: "2021 x" does not fit "%Y": expected its end, not " x"`,
		"strptime('31.2.2021', '%d.%m.%Y')":                   `strptime: "31.2.2021" does not fit "%d.%m.%Y": there is no such date`,
		"strptime('13 PM', '%H %p')":                          `strptime: "13 PM" does not fit "%H %p": an hour after 12 is neither AM nor PM`,
		"strptime('0000', '%Y')":                              `strptime: "0000" does not fit "%Y": it is outside the years 0001 to 9999`,
		"strptime('0001 +01', '%Y %z')":                       `strptime: "0001 +01" does not fit "%Y %z": it is outside the years 0001 to 9999`,
		"strptime('9999 366', '%Y %j')":                       `strptime: "9999 366" does not fit "%Y %j": it is outside the years 0001 to 9999`,
		"strptime('2021 Z', '%Y %z')":                         `strptime: "2021 Z" does not fit "%Y %z": expected an offset such as +02, +0200 or +02:00, of at most 15:59 for %z, not "Z"`,
		"strptime('x', '%Y %q')":                              `strptime: no specifier "%q"; specifiers: %Y %y %m %d %j %H %I %M %S %f %g %p %b %h %B %a %A %z %c %x %X %T %%, and %-d %-m %-y %-j %-H %-I %-M %-S, which mean the same as without -`,
		"try_strptime('x', '%Z')":                             `try_strptime: the specifier %Z is refused: the name of a zone has no fixed offset; use %z for one such as +02:00, or write the name as it stands`,
		"strptime('x', '')":                                   `strptime: the format is empty; write one such as '%Y-%m-%d %H:%M:%S'`,
		"strptime('x', ' %Y')":                                `strptime: the format begins with a blank, which no text fits, since blanks around a text are overlooked: remove it`,
		"strptime('x', '%j %-j')":                             `strptime: %j occurs twice in the format`,
		"strptime(1, '%Y')":                                   `strptime(INTEGER, VARCHAR): no such form; forms: strptime(VARCHAR, VARCHAR)`,
		"try_strptime('x')":                                   `try_strptime(VARCHAR): no such form; forms: try_strptime(VARCHAR, VARCHAR)`,
		"strptime('x', upper(s))":                             `strptime: the format must be a literal text`,
		"strptime(DATE '2020-01-01', '%Y-%m-%d')":             `strptime(DATE, VARCHAR): no such form; forms: strptime(VARCHAR, VARCHAR)`,
		"strptime('" + strings.Repeat("1", 70) + "', '%d%d')": `strptime: "` + strings.Repeat("1", 60) + `…" does not fit "%d%d": expected its end, not "` + strings.Repeat("1", 60) + `…"`,
	} {
		_, err := read(call, vec.Field{Name: "s", Type: varcharType})
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v\n want %s", call, err, want)
		}
	}
	for _, format := range []string{"%", "%-", "%-Y", "%-a", "%-f", "%-%", "%-c", "%e", "%s", "%F", "%é", "%\xff", "%U", "%G"} {
		_, err := compileTimeFormat("strptime", "x"+format)
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("strptime: no specifier %q; specifiers: %%Y ", format)) {
			t.Errorf("format %q: %v", format, err)
		}
	}
}

// goLayouts are the specifiers that time.Parse has too, as it writes them.
var goLayouts = []struct{ format, layout string }{
	{"%m", "01"}, {"%-m", "1"}, {"%b", "Jan"}, {"%B", "January"}, {"%d", "02"}, {"%-d", "2"}, {"%H", "15"}, {"%M", "04"}, {"%-M", "4"}, {"%S", "05"}, {"%-S", "5"}, {"%a", "Mon"}, {"%A", "Monday"},
	{"%z", "-0700"}, {"%z", "-07:00"}, {"%I %p", "03 PM"}, {"%-I%p", "3PM"}, {"%S.%f", "05.000000"}, {"%S.%g", "05.000"}, {"%T", "15:04:05"}, {"%x", "2006-01-02"}, {"%%", "%"},
}

func TestStrptimeReadsAsTimeParseDoes(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewSource(seed))
	fitted := 0
	for range 20000 {
		year := [][2]string{{"%Y", "2006"}, {"%y", "06"}}[r.Intn(2)]
		format, layout := year[0], year[1]
		used := map[string]bool{"%Y": true}
		for range 1 + r.Intn(6) {
			p := goLayouts[r.Intn(len(goLayouts))]
			key := strings.NewReplacer("-", "", "b", "m", "B", "m", "T", "H", "I", "H", "x", "Y").Replace(p.format)[:2]
			if used[key] || key == "%H" && used["%S"] || key == "%S" && used["%H"] && strings.Contains(format, "%T") {
				continue // the last one would count for both, but they need not agree on what is impossible
			}
			used[key] = true
			sep := []string{" ", "/", ":", ", ", "T"}[r.Intn(5)]
			format, layout = format+sep+p.format, layout+sep+p.layout
		}
		at := time.UnixMicro(r.Int63n(60 * 365 * 86400 * 1000000)).In(time.FixedZone("", (r.Intn(30*60)-15*60)*60))
		text := at.Format(layout)
		if r.Intn(3) == 0 {
			text = strings.ToUpper(text)
		}
		changed := r.Intn(2) == 0
		if changed {
			i := r.Intn(len(text))
			text = text[:i] + string("0123456789 :/-+aPJ"[r.Intn(18)]) + text[i+1:]
		}
		f, err := compileTimeFormat("strptime", format)
		if err != nil {
			t.Fatalf("seed %d: %q: %v", seed, format, err)
		}
		us, _, why := f.parse([]byte(text))
		want, err := time.Parse(layout, text)
		if !changed && (why != "" || err != nil) {
			t.Fatalf("seed %d: %q as %q: %q, and as %q: %v", seed, text, format, why, layout, err)
		}
		if why != "" || err != nil {
			continue
		}
		fitted++
		if us != want.UnixMicro() {
			t.Fatalf("seed %d: %q as %q is %s, want %s", seed, text, format, time.UnixMicro(us).UTC(), want.UTC())
		}
	}
	if fitted < 10000 {
		t.Errorf("only %d texts fitted", fitted)
	}
}

func TestStrptimeReadsWhatStrftimeWrites(t *testing.T) {
	const seed = 8
	r := rand.New(rand.NewSource(seed))
	for _, format := range []string{"%Y-%m-%d %H:%M:%S.%f", "%Y%j%H%M%S%f", "%A %-d. %B %Y, %-I:%-M:%-S.%f %p", "%c.%f", "%d%b%Y %X.%f %z"} {
		f, err := compileTimeFormat("strptime", format)
		if err != nil {
			t.Fatal(err)
		}
		for range 2000 {
			days := minDay + r.Int63n(3652059)
			want := days*microsPerDay + r.Int63n(microsPerDay)
			text := appendStrftime(nil, format, want, false)
			if us, at, why := f.parse(text); us != want || why != "" {
				t.Fatalf("seed %d: %s as %q: %d %s at %d, want %d", seed, text, format, us, why, at, want)
			}
		}
	}
}

func TestTimesOfAWebLogAreRead(t *testing.T) {
	b := vec.NewBatch(varcharType)
	b.Resize(3)
	for i, line := range []string{`1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 1`, "no time", `::1 - - [31/Dec/2025:23:59:59 +0000] "-" 400 0`} {
		b.Cols[0].AppendBytes(i, []byte(line))
	}
	const call = `strptime(regexp_extract(_value, '\[([^\]]+)\]', 1), '%d/%b/%Y:%H:%M:%S %z')`
	for _, name := range []string{"", "try_"} {
		e := mustRead(t, name+call, vec.Field{Name: "_value", Type: varcharType})
		if e.Type().Kind != vec.TimestampTZ {
			t.Errorf("%s is a %s", e, e.Type())
		}
		var errs Errors
		v := Compile(e).Eval(b, nil, &errs)
		if valueText(v, 0) != "2000-10-10 20:55:36+00" || valueText(v, 1) != "NULL" || valueText(v, 2) != "2025-12-31 23:59:59+00" {
			t.Errorf("%s: %s, %s, %s", e, valueText(v, 0), valueText(v, 1), valueText(v, 2))
		}
		if name == "try_" {
			if len(errs.Faults) > 0 {
				t.Errorf("faults: %v", errs.Faults)
			}
		} else if want := `strptime: "" does not fit "%d/%b/%Y:%H:%M:%S %z": it ends where a day from 1 to 31 for %d is expected`; len(errs.Faults) != 1 || errs.Faults[0].Row != 1 || errs.Faults[0].Msg != want {
			t.Errorf("faults: %v", errs.Faults)
		}
	}
}

func TestStrptimeAllocatesNothing(t *testing.T) {
	const n = 64
	b := vec.NewBatch(varcharType)
	b.Resize(n)
	for i := range n {
		b.Cols[0].AppendBytes(i, fmt.Appendf(nil, "%d/Oct/2000:13:55:36.%d -0700", i, i)) // every other month has no such day
	}
	p := Compile(mustRead(t, "try_strptime(s, '%d/%b/%Y:%H:%M:%S.%f %z')", vec.Field{Name: "s", Type: varcharType}))
	var errs Errors
	work := func() { p.Eval(b, nil, &errs) }
	work()
	if got := testing.AllocsPerRun(10, work); got != 0 {
		t.Errorf("a batch allocates %v times", got)
	}
}

func FuzzStrptimeFormats(f *testing.F) {
	for _, c := range strptimeTable {
		f.Add(c.text, c.format)
	}
	f.Fuzz(func(t *testing.T, text, format string) {
		c, err := compileTimeFormat("strptime", format)
		if err != nil {
			return
		}
		us, at, why := c.parse([]byte(text))
		if why == "" && !vec.Time(us).InRange() || at > len(text) || why != "" && c.misfit([]byte(text), at, why) == "" {
			t.Fatalf("%q as %q: %d, %q at %d", text, format, us, why, at)
		}
	})
}
