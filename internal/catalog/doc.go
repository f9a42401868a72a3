// Package catalog knows every way in which a source or a sink is declared, and makes one Table of each: a flag, a
// CREATE TABLE of the script, a path in FROM, a call of read_csv or read_json there.
//
// Its words:
//
//   - A script is the text of a run: declarations, then one query or INSERT INTO.
//   - A declared table is one of CREATE TABLE. It says nothing about reading or writing: whichever the query does is
//     what it is. An option that only concerns the other is checked and has no effect. A declared table that is neither
//     read nor written is not looked at, so that scripts can share their declarations.
//   - A named one is a source of --from.
//   - A path is a file, directory, pattern or URL that FROM names itself.
//
// Load puts them together:
//
//	job, err := catalog.Load(catalog.Input{
//		Text:    "SELECT merchant, count(*) FROM 'orders-2026.csv.gz' GROUP BY merchant",
//		Kinds:   kinds,                        // the connectors
//		Formats: []string{"json", "csv", "tsv", "raw"},
//	})
//	job.Sources[0] // Name "orders-2026", URL "orders-2026.csv.gz", Format "csv"
//	job.Query      // SELECT merchant, count(*) FROM "orders-2026" GROUP BY merchant
//	job.Sink       // standard output
//
// The format of a table that does not say one follows from the ending of its path, below .gz, .gzip, .zst and .zstd:
// .csv is csv, .tsv and .tab are tsv, .json, .jsonl and .ndjson are json. A source that ends in .log or .txt is raw, a
// line a record, unless columns other than _value are declared for it. Everything else says nothing, as do topics and
// the standard streams: what that means is the caller's to decide.
//
// Faults of the script are *sql.Error with a place in Input.Text, faults of flags are *fault.Error of class Usage, and
// those of a --schema are *TextError. None holds a secret; who shows the script around a place shows Redact(text).
//
// The package is pure but for what connectors do when they parse a URL, which is to touch nothing.
package catalog
