package infer

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ubik/oracle/duck"
)

// advice is a cast that a note advises, of a column of the record.
var advice = regexp.MustCompile(`: ((?:(?:TRY_)?CAST|strptime)\(.*\)) (?:reads|makes)`)

func TestTheCastsThatNotesAdviseReadTheTexts(t *testing.T) {
	db := duck.ForTest(t)
	files, err := filepath.Glob(corpus + "/*.*")
	if err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, path := range files {
		from := "read_csv(" + duck.Literal(path) + ", header=true, all_varchar=true)"
		switch filepath.Ext(path) {
		case ".jsonl":
		case ".csv":
		default:
			continue
		}
		for _, c := range sampled(t, path).Schema(nil).Columns {
			found := advice.FindStringSubmatch(c.Note)
			if found == nil || strings.Contains(c.Note, c.Name+".") {
				continue
			}
			if filepath.Ext(path) == ".jsonl" {
				from = "read_json(" + duck.Literal(path) + ", format='newline_delimited', columns={" + duck.Quote(c.Name) + ": 'VARCHAR'})"
			}
			tried++
			result, err := db.Query("SELECT count(*) FROM " + from + " WHERE " + found[1] + " IS NULL AND " + duck.Quote(c.Name) + " IS NOT NULL")
			if err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(path), c.Note, err)
				continue
			}
			nulls := result.Rows[0][0].(int64)
			if try := strings.HasPrefix(found[1], "TRY_"); try != (nulls == 1) || nulls > 1 {
				t.Errorf("%s: %s: %d of the texts are NULL", filepath.Base(path), c.Note, nulls)
			}
		}
	}
	if tried < 15 {
		t.Errorf("only %d casts", tried)
	}
}
