package csv

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ubik/internal/ubiktest/golden"
	"ubik/oracle/duck"
)

const corpus = "../../internal/codec/csv/testdata"

// differences are the files that DuckDB reads in another way, and why that is wanted.
var differences = map[string]string{
	"bank_statement_preamble.csv": "lines before the header are told, with the line in which the table seems to begin; DuckDB passes over them without a word",
	"blank_before_quote.csv":      "in RFC 4180 a blank before a quote is text, and a quote in such a field a flaw; DuckDB drops the blank",
	"comment_lines.csv":           "comments are no part of CSV: such lines above the header are told, with the line in which the table seems to begin; DuckDB passes over them without a word",
	"cr_only.csv":                 "lines end with a line feed; the error says how to convert the file",
	"decimal_comma_no_header.csv": "of delimiters that part alike, the one whose fields look like values is taken, and 1,5 does; DuckDB takes the comma",
	"empty.csv":                   "nothing is guessed from nothing: the columns must be declared; DuckDB makes one up",
	"lf_and_crlf.csv":             "both line ends may be in one file; DuckDB refuses a mixture",
	"no_header_text.csv":          "a text that occurs again in its column, or is an address, is no name; DuckDB takes the first record for names",
	"one_column_commas.csv":       "of delimiters that part nothing, the first in the order , ; tab | is taken that is in no record; DuckDB takes the bar",
	"ragged.csv":                  "records of another number of fields are malformed, with both counts; DuckDB takes the last record alone",
	"stray_quote.csv":             "RFC 4180 has no quote in a field that does not begin with one: the record is malformed; DuckDB takes it for text",
	"web_log.txt":                 "of delimiters that part nothing the first is taken, and a line that looks like no names is no header",
}

func TestFilesAreReadAsDuckDBReadsThem(t *testing.T) {
	db := duck.ForTest(t)
	goldens, err := filepath.Glob(filepath.Join(corpus, "*.golden"))
	if err != nil {
		t.Fatal(err)
	}
	if len(goldens) < 40 { // a wrong path finds none
		t.Fatalf("%d files", len(goldens))
	}
	seen := map[string]bool{}
	for _, at := range goldens {
		path := strings.TrimSuffix(at, ".golden")
		name := filepath.Base(path)
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		ours, theirs := comparable(string(text)), reading(db, path)
		kept := filepath.Join("testdata", name+".duckdb")
		reason := differences[name]
		seen[name] = true
		switch {
		case ours == theirs && reason != "":
			t.Errorf("%s: no difference any more, but the table says: %s", name, reason)
		case ours != theirs && reason == "":
			t.Errorf("%s: not in the table of differences\nprogram\n%sDuckDB\n%s", name, ours, theirs)
		case ours != theirs:
			golden.File(t, name+" as DuckDB reads it", kept, theirs)
		}
	}
	for name := range differences {
		if !seen[name] {
			t.Errorf("the table has %s, which is no file", name)
		}
	}
}

// comparable is the program's reading without the quotes of the dialect, which show in the records, and without what is
// wrong with a file or record: DuckDB has other words, and tells none but the first.
func comparable(golden string) string {
	lines := strings.Split(strings.TrimSuffix(golden, "\n"), "\n")
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, "!"):
			return "refused\n"
		case i == 0:
			delimiter, _, _ := strings.Cut(strings.TrimPrefix(line, "delimiter "), ", ")
			if strings.HasPrefix(line, "delimiter ','") {
				delimiter = "','"
			}
			lines[0] = dialect(delimiter, !strings.HasSuffix(line, "no header"))
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func dialect(delimiter string, header bool) string {
	if header {
		return "delimiter " + delimiter + ", header"
	}
	return "delimiter " + delimiter + ", no header"
}

// reading is DuckDB's, all columns as text. Quoted fields are never NULL, which with DuckDB is an option.
func reading(db *duck.DB, path string) string {
	sniffed, err := db.Query("SELECT Delimiter, HasHeader FROM sniff_csv(" + duck.Literal(path) + ")")
	if err != nil {
		return "refused\n"
	}
	result, err := db.Query("SELECT * FROM read_csv(" + duck.Literal(path) + ", all_varchar = true, allow_quoted_nulls = false)")
	if err != nil {
		return "refused\n"
	}
	delimiter, _ := sniffed.Rows[0][0].(string)
	header, _ := sniffed.Rows[0][1].(bool)
	if c := []rune(delimiter); len(c) == 1 {
		delimiter = strconv.QuoteRune(c[0])
	}
	lines := []string{dialect(delimiter, header)}
	var names []string
	for _, name := range result.Columns {
		names = append(names, strconv.Quote(name))
	}
	lines = append(lines, strings.Join(names, " "))
	for _, row := range result.Rows {
		var fields []string
		for _, v := range row {
			if text, ok := v.(string); ok {
				fields = append(fields, strconv.Quote(text))
			} else {
				fields = append(fields, "NULL")
			}
		}
		lines = append(lines, strings.Join(fields, " "))
	}
	return strings.Join(lines, "\n") + "\n"
}
