package infer

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// offered is an expression, or a type to declare, that a note offers for the column x.
var (
	offered   = regexp.MustCompile(`: ((?:TRY_)?(?:CAST|strptime)\(.*\)) (reads them|reads numbers|makes them NULL)`)
	toDeclare = regexp.MustCompile(`declare (DECIMAL\(\d+,\d+\))`)
)

// evaluated is what an expression of x gives for a text, NULL or a text, or that it fails.
func evaluated(t *testing.T, expression, text string) (value string, ok bool) {
	t.Helper()
	literal := "'" + strings.ReplaceAll(text, "'", "''") + "'"
	fields := []vec.Field{{Name: "y", Type: vec.TypeOf(vec.Varchar)}}
	p, err := plan.Build(plan.Request{
		Query:   "SELECT " + strings.Replace(expression, "(x", "("+literal, 1) + " AS v FROM t",
		Sources: []plan.Source{{Name: "t", Log: "file t", Schema: fields, Format: "json", Bounded: true, File: true, Delay: -1}},
	})
	if err != nil {
		return err.Error(), false
	}
	l, isLiteral := p.Inputs[0].Exprs[0].(*expr.Literal)
	if !isLiteral {
		t.Fatalf("%s of %s is not computed while planning", expression, literal)
	}
	if l.IsNull() {
		return "NULL", true
	}
	return string(expr.AppendText(nil, l.Value(), 0)), true
}

// checkOffers evaluates what the note of the texts' column offers on each of them. It reports whether it offers something.
func checkOffers(t *testing.T, texts []string) bool {
	t.Helper()
	s := NewCSV([]string{"x"})
	for _, text := range texts {
		s.AddFields([][]byte{[]byte(text)}, nil)
	}
	c := s.Schema(nil).Columns[0]
	if d := toDeclare.FindStringSubmatch(c.Note); d != nil {
		for _, text := range texts {
			if got, ok := evaluated(t, "CAST(x AS "+d[1]+")", text); !ok {
				t.Errorf("%q: %s: %q gives %s", texts, c.Note, text, got)
			}
		}
		return true
	}
	if strings.Contains(c.Note, "CAST") != offered.MatchString(c.Note) && !strings.Contains(c.Note, "strptime") {
		t.Fatalf("%s is not understood", c.Note)
	}
	o := offered.FindStringSubmatch(c.Note)
	if o == nil {
		return false
	}
	nulls := 0
	for _, text := range texts {
		got, ok := evaluated(t, o[1], text)
		switch {
		case !ok || got == "NULL" && o[2] != "makes them NULL":
			t.Errorf("%q: %s: %q gives %s", texts, c.Note, text, got)
		case got == "NULL":
			nulls++
		}
	}
	if o[2] == "makes them NULL" && !strings.HasPrefix(c.Note, fmt.Sprintf("%d of ", nulls)) && !(nulls == 1 && strings.HasPrefix(c.Note, "one of ")) {
		t.Errorf("%q: %s: %d are NULL", texts, c.Note, nulls)
	}
	return true
}

func TestNotesOfSpellingsThatNoCastReads(t *testing.T) {
	for _, c := range []struct{ values, want string }{
		{"$1,234.50|$2.00|-$7.5", "amounts with a currency: CAST(replace(replace(x, '$', ''), ',', '') AS DECIMAL(18,2)) reads them"},
		{"1.234,50 €|7 €", "amounts with a currency: CAST(replace(replace(replace(x, '€', ''), '.', ''), ',', '.') AS DECIMAL(18,2)) reads them"},
		{"$5|€ 7|8 EUR", "amounts with a currency: CAST(replace(replace(replace(replace(x, '$', ''), '€', ''), 'EUR', ''), ',', '') AS DECIMAL(18,2)) reads them"},
		{"$1,234|$5,678", "separated thousands or decimal commas, which the sample does not tell: CAST(replace(replace(x, '$', ''), ',', '') AS DECIMAL(18,2)) reads them"},
		{"1,2345|2,5", "decimal commas: CAST(replace(replace(x, '.', ''), ',', '.') AS DECIMAL(18,4)) reads them"},
		{"12.345.678.901.234.567,89|1,0", "decimal commas: CAST(replace(replace(x, '.', ''), ',', '.') AS DECIMAL(38,2)) reads them"},
		{"0,123456789012|1,5", "decimal commas: CAST(replace(replace(x, '.', ''), ',', '.') AS DOUBLE) reads them"},
		{"12/31/2025 1:05 PM|1/2/2026 12:00 am", "dates with the month first: strptime(x, '%m/%d/%Y %I:%M %p') reads them"},
		{"31.12.2025 1:05:07 PM", "dates with the day first: strptime(x, '%d.%m.%Y %I:%M:%S %p') reads them"},
		{"31-12-2025 1:05pm", "dates with the day first: strptime(x, '%d-%m-%Y %I:%M%p') reads them"},
		{"1/2/2025 1:05 PM", "dates with the day or the month first, which the sample does not tell: strptime(x, '%d/%m/%Y %I:%M %p') reads them"},
		{"12/31/2025|12/31/2025 14:05", `dates with the month first: CAST(regexp_replace(x, '^ *(\d+)/(\d+)/(\d+)', '\3-\1-\2') AS TIMESTAMP) reads them`},
		{"27.03.2026 01:00:18 +0100|1.1.2026 2:03:04 +01:00", "times with the day first and an offset: strptime(x, '%d.%m.%Y %H:%M:%S %z') reads them"},
		{"03/27/2026 01:00:18 -05", "times with the month first and an offset: strptime(x, '%m/%d/%Y %H:%M:%S %z') reads them"},
		{"03/04/2026 01:00:18 -05", "times with the day or the month first and an offset, which the sample does not tell: strptime(x, '%d/%m/%Y %H:%M:%S %z') reads them"},
		{"2026-03-27 01:00:18 +0100", "times with a blank before the offset: strptime(x, '%Y-%m-%d %H:%M:%S %z') reads them"},
		{"2026-03-27 01:00:18.5 +0100", "times with a blank before the offset: strptime(x, '%Y-%m-%d %H:%M:%S.%f %z') reads them"},
		{"10/Oct/2000:13:55:36 -0700", "times of a web log: strptime(x, '%d/%b/%Y:%H:%M:%S %z') reads them"},
		{"Fri, 27 Mar 2026 01:00:18 +0100", "times of mail: strptime(x, '%a, %d %b %Y %H:%M:%S %z') reads them"},
		{"Fri Mar 27 01:00:18 2026", "times with names of days and months: strptime(x, '%a %b %d %H:%M:%S %Y') reads them"},
		{"27 mar 2026|1 APR 2026", "dates with names of months: strptime(x, '%d %b %Y') reads them"},
		{"Mar 27, 2026", "dates with names of months: strptime(x, '%b %d, %Y') reads them"},
		{"27.03.26 01:00:18 +0100", ""},
		{"27.03.2026 01:00:18 +0100|27.03.2026 01:00:18", ""},
		{"31 Feb 2026", ""},
		{"12/31/2025|12/31/2025 1:05 PM", ""},
		{"12/31/2025 13:05 PM", ""},
		{"31.02.2026", ""},
		{"31.12.2026 25:00", ""},
		{"$1,234.50|free", ""},
		{"1$2", ""},
		{"$|€", ""},
		{"007|99999999999999999999", "leading zeros, kept: CAST(x AS HUGEINT) reads numbers"},
		{"007|1e999", "leading zeros, kept: CAST(x AS DOUBLE) reads numbers"},
		{"1.5|NaN", ""},
	} {
		s := NewCSV([]string{"x"})
		texts := strings.Split(c.values, "|")
		for _, v := range texts {
			s.AddFields([][]byte{[]byte(v)}, nil)
		}
		if got := s.Schema(nil).Columns[0].Note; got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.values, got, c.want)
		}
		if checkOffers(t, texts) != (c.want != "") {
			t.Errorf("%s: %s offers nothing", c.values, c.want)
		}
	}
}

// What a note offers reads every text of the sample, by the functions themselves.
func TestWhatNotesOfferReadsTheSample(t *testing.T) {
	number := func(rng *rand.Rand, group, mark string) string {
		text := fmt.Sprint(rng.IntN(1000))
		if rng.IntN(9) == 0 {
			text += strings.Repeat(fmt.Sprintf("%s%03d", group, rng.IntN(1000)), 1+rng.IntN(12))
		} else if rng.IntN(2) == 0 {
			text += fmt.Sprintf("%s%03d", group, rng.IntN(1000))
		}
		if rng.IntN(2) == 0 {
			text += mark + strings.Repeat(fmt.Sprint(rng.IntN(10)), 1+rng.IntN(3)*rng.IntN(5))
		}
		return []string{"", "", "", "-", "+", " ", "0"}[rng.IntN(7)] + text
	}
	date := func(rng *rand.Rand, form, clock string) string {
		year := []string{"2025", "2026", "0999", "25"}[min(3, rng.IntN(60)/18)]
		text := fmt.Sprintf(form, 1+rng.IntN(31), 1+rng.IntN(12), year)
		if form[0] == 'm' {
			text = fmt.Sprintf(form[1:], 1+rng.IntN(12), 1+rng.IntN(31), year)
		}
		return text + strings.NewReplacer("h", fmt.Sprint(rng.IntN(14)), "mm", fmt.Sprintf("%02d", rng.IntN(61)), "ss", fmt.Sprintf("%02d", rng.IntN(60)), "pp", []string{"AM", "pm", "Pm"}[rng.IntN(3)]).Replace(clock)
	}
	forms := []string{"%d.%d.%s", "%02d/%02d/%s", "m%d/%d/%s", "%d-%d-%s"}
	clocks := []string{"", "", " h:mm", "Th:mm:ss", " h:mm:ss pp", " h:mm pp", " h:mmpp", " h:mm:sspp", "  h:mm pp", " h pp", " "}
	marks := [][2]string{{",", "."}, {".", ","}, {"'", "."}, {" ", ","}, {" ", "."}, {"", "."}}
	odd := []string{"NaN", "n/a", "true", "1e3", "1e999", "12e400", "9223372036854775808", "99999999999999999999999999999999999999999", "1.5", ".5", "5.", "2026-01-01", "2026/1/1 10:00", "-", "$", "x"}
	offers := 0
	for seed := range uint64(6000) {
		rng := rand.New(rand.NewPCG(seed, 4))
		pair := marks[rng.IntN(len(marks))]
		form, clock := forms[rng.IntN(len(forms))], clocks[rng.IntN(len(clocks))]
		before, behind := "", ""
		if rng.IntN(2) == 0 {
			before = []string{"$", "€", "£ ", "CHF ", "-$", "$-", "- $"}[rng.IntN(7)]
		} else if rng.IntN(2) == 0 {
			behind = []string{"€", " €", "EUR", " USD", "\u00a0€"}[rng.IntN(5)]
		}
		isDate := rng.IntN(2) == 0
		var texts []string
		for range 1 + rng.IntN(5) {
			text := before + number(rng, pair[0], pair[1]) + behind
			if isDate {
				text = date(rng, form, clock)
			}
			if rng.IntN(12) == 0 {
				text = odd[rng.IntN(len(odd))]
			}
			texts = append(texts, text)
		}
		if checkOffers(t, texts) {
			offers++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	if offers < 1500 {
		t.Errorf("only %d offers", offers)
	}
}
