package catalogue

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ubik/oracle/duck"
)

// timePieces are parts of formats, with what time.Format writes for them.
var timePieces = []struct{ format, layout string }{
	{"%Y", "2006"}, {"%Y", "2006"}, {"%y", "06"}, {"%m", "01"}, {"%-m", "1"}, {"%b", "Jan"}, {"%B", "January"}, {"%d", "02"}, {"%-d", "2"}, {"%j", "002"}, {"%H", "15"}, {"%I", "03"}, {"%I %p", "3 PM"}, {"%p", "PM"},
	{"%M", "04"}, {"%-M", "4"}, {"%S", "05"}, {"%S.%f", "05.000000"}, {"%S.%f", "05.0"}, {"%S.%g", "05.000"}, {"%a", "Mon"}, {"%A", "Monday"}, {"%%", "%"}, {"%T", "15:04:05"}, {"%x", "2006-01-02"}, {"at", "at"}, {"é", "é"},
}

// strptimeFormats is how many formats are tried, each on all rows.
const strptimeFormats = 150

// TestStrptimeAgreesWithDuckDB reads texts that fit a random format, and such with a byte changed.
func TestStrptimeAgreesWithDuckDB(t *testing.T) {
	seed := seedOf(t)
	r := rand.New(rand.NewPCG(seed, 3))
	db := duck.ForTest(t)
	read, refused := 0, 0
	for range strptimeFormats {
		format, layout := "", ""
		for i := range 1 + r.IntN(7) {
			p := timePieces[r.IntN(len(timePieces))]
			sep := []string{" ", "/", ":", "  ", "-", "", "T"}[r.IntN(7)]
			if i == 0 {
				sep = ""
			}
			if strings.Contains(p.format, "%j") && strings.Contains(format, "%j") {
				continue // refused, if not by DuckDB
			}
			format, layout = format+sep+p.format, layout+sep+p.layout
		}
		// The offset stays as it is: those that are too great are a difference.
		offset := ""
		if r.IntN(3) == 0 {
			format, offset = format+" %z", []string{" -0700", " -07:00", " -07"}[r.IntN(3)]
		}
		texts := make([]string, rowsTried)
		for i := range texts {
			at := time.UnixMicro(r.Int64N(100 * 365 * 86400 * 1000000)).In(time.FixedZone("", (r.IntN(30)-15)*3600+r.IntN(2)*1800))
			text := at.Format(layout)
			if r.IntN(3) == 0 {
				text = strings.ToUpper(text)
			}
			if n := r.IntN(len(text)); i%2 == 0 {
				text = text[:n] + string("0123456789 :/-aPJ"[r.IntN(17)]) + text[n+1:]
			}
			texts[i] = strings.ToValidUTF8(text, "?") + at.Format(offset)
		}
		d := newTable(t, db, []column{{"x", "VARCHAR", texts}})
		for _, name := range []string{"strptime", "try_strptime"} {
			call := name + "(x, '" + format + "')"
			engine, duckdb := d.engine(call), d.duckdb(call)
			if engine.refused != "" {
				t.Errorf("seed %d: %s is refused: %s", seed, call, engine.refused)
				continue
			}
			if engine.typ != duckdb.typ && duckdb.refused == "" {
				t.Errorf("seed %d: %s is a %s, in DuckDB a %s", seed, call, engine.typ, duckdb.typ)
			}
			for i, v := range engine.values {
				w := fault // of all rows, if DuckDB has no value
				if duckdb.refused == "" {
					w = duckdb.values[i]
				}
				if v != null && v != fault {
					read++
				} else {
					refused++
				}
				if v != w && !((v == null || v == fault) && strings.Contains(w, "(BC)")) {
					t.Errorf("seed %d: %s of %q: the engine gives %s %s, DuckDB %s", seed, call, texts[i], printed(v), engine.faults[i], printed(w))
				}
			}
		}
	}
	t.Logf("seed %d: %d texts read, %d that do not fit", seed, read, refused)
}
