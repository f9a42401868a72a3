package sql

import (
	"strings"
)

// refusal is a statement or clause of other systems that is known in order to
// say why it is not here.
type refusal struct {
	Words  string // as written, in upper case: DROP, FOREIGN KEY
	Reason string // empty: none but that it is not supported
	Hint   string // what to do instead; empty: nothing in particular
}

// scriptForms says what a script may hold.
const scriptForms = "a script is made of CREATE TABLE, CREATE VIEW, INSERT INTO and queries"

// bySchema is what to do for the names of tables and columns.
const bySchema = "ubik schema SOURCE prints the columns of a file or topic; the tables are those that FROM, --from and CREATE TABLE name"

// refusedStatements are in the order of their words. No two begin with the same.
var refusedStatements = []refusal{
	{"ADD JAR", "the program is complete", "leave it out"},
	{"ALTER", "a declaration lives for one run", "change its CREATE"},
	{"ANALYZE", "a plan does not depend on sizes", "leave it out"},
	{"ATTACH", "", "a source is declared with CREATE TABLE name (…) WITH (…)"},
	{"BEGIN", "rows and checkpoint are committed together without it", "leave it out"},
	{"CALL", "", ""},
	{"CHECKPOINT", "a run makes its own", "how often is said by --checkpoint-interval"},
	{"COMMIT", "rows and checkpoint are committed together without it", "leave it out"},
	{"COPY", "", "rows go to a declared table with INSERT INTO name SELECT …"},
	{"DECLARE", "", "write the value where it is used"},
	{"DELETE", "records are read, not changed", "choose rows with WHERE"},
	{"DESC", "", bySchema},
	{"DESCRIBE", "", bySchema},
	{"DETACH", "", "leave its CREATE out"},
	{"DROP", "a declaration lives for one run", "leave its CREATE out"},
	{"EXECUTE", "", "write the query with its values"},
	{"EXIT", "a run ends with its sources, or when it is stopped", "leave it out"},
	{"EXPLAIN", "", "the command ubik explain shows the plan of a query: ubik explain [flags of the run] QUERY"},
	{"EXPORT", "", "rows go to a declared table with INSERT INTO name SELECT …"},
	{"GRANT", "who may read is said where the records are", "leave it out"},
	{"HELP", "", "ubik help lists commands and flags, docs/SQL.md what can be written"},
	{"IMPORT", "", "a file is read with SELECT … FROM 'path'"},
	{"INSTALL", "the program is complete", "leave it out"},
	{"LIST", "", bySchema},
	{"LOAD", "the program is complete", "leave it out"},
	{"MERGE", "", "rows of a table with PRIMARY KEY replace those of their key: INSERT INTO name SELECT …"},
	{"OPTIMIZE", "nothing is stored", "leave it out"},
	{"PIVOT", "", "write a column for each: sum(x) FILTER (WHERE …)"},
	{"PRAGMA", "", "options of a table stand in its WITH (…), those of a run are flags"},
	{"PREPARE", "", "write the query with its values"},
	{"PRINT", "", "ubik peek SOURCE shows the records of a file or topic"},
	{"QUIT", "a run ends with its sources, or when it is stopped", "leave it out"},
	{"REFRESH", "a view is a query, and stores nothing", "leave it out"},
	{"REINDEX", "nothing is stored", "leave it out"},
	{"REPLACE", "", "rows of a table with PRIMARY KEY replace those of their key: INSERT INTO name SELECT …"},
	{"RESET", "", "options of a table stand in its WITH (…), those of a run are flags"},
	{"REVOKE", "who may read is said where the records are", "leave it out"},
	{"ROLLBACK", "rows and checkpoint are committed together without it", "leave it out"},
	{"SET", "", "options of a table stand in its WITH (…), those of a run are flags"},
	{"SHOW", "", bySchema},
	{"START TRANSACTION", "rows and checkpoint are committed together without it", "leave it out"},
	{"SUMMARIZE", "", "write what is asked: SELECT count(*), min(x), max(x), avg(x) FROM name"},
	{"TABLE", "", "write SELECT * FROM name"},
	{"TRUNCATE", "records are read, not changed", "choose rows with WHERE"},
	{"UNPIVOT", "", "write a query for each column and join them with UNION ALL"},
	{"UPDATE", "records are read, not changed", "compute the new value in the query"},
	{"USE", "", "a source is declared with CREATE TABLE name (…) WITH (…)"},
	{"VACUUM", "nothing is stored", "leave it out"},
	{"VALUES", "rows come from a source", "write SELECT … FROM name"},
}

// refusedConstraints stand behind a column or among the columns. No two begin
// with the same word.
var refusedConstraints = []refusal{
	{"AUTO_INCREMENT", "the engine makes up no values", "leave it out"},
	{"CHECK", "records are not refused for their values", "filter in the query: WHERE condition"},
	{"COLLATE", "text is compared by its bytes", "compare lower(column)"},
	{"COMMENT", "", "write a comment: -- text"},
	{"DEFAULT", "a missing field is NULL", "write coalesce(column, value) in the query"},
	{"FOREIGN KEY", "no other table is looked into", "join the tables in the query"},
	{"GENERATED", "", "a computed column is written name AS expression"},
	{"IDENTITY", "the engine makes up no values", "leave it out"},
	{"NOT NULL", "a field that a record lacks is NULL", "filter in the query: WHERE column IS NOT NULL"},
	{"REFERENCES", "no other table is looked into", "join the tables in the query"},
	{"UNIQUE", "records are not compared with earlier ones", "the key of a table is declared with PRIMARY KEY (column)"},
}

// refusedTableClauses stand behind the columns.
var refusedTableClauses = []refusal{
	{"COMMENT", "", "write a comment: -- text"},
	{"DISTRIBUTED BY", "", "the partitions are those of the topic"},
	{"LIKE", "", "write the columns out"},
	{"PARTITIONED BY", "", "the partitions are those of the topic"},
}

// findRefusal returns the entry whose first word is this one, in upper case,
// or nil.
func findRefusal(list []refusal, word string) *refusal {
	for i := range list {
		if first, _, _ := strings.Cut(list[i].Words, " "); first == word {
			return &list[i]
		}
	}
	return nil
}

// refuse fails if what is next is in the list, and says whether it did.
func (p *parser) refuse(list []refusal) bool { return p.refuseWith(list, "") }

// refuseWith is refuse; also is said behind every hint.
func (p *parser) refuseWith(list []refusal, also string) bool {
	t := p.tok()
	if t.kind != tokenWord {
		return false
	}
	r := findRefusal(list, upperWord(p.textOf(t)))
	if r == nil {
		return false
	}
	words := strings.Fields(r.Words)
	if !p.isAll(words...) {
		return false
	}
	msg := r.Words + " is not supported"
	if r.Reason != "" {
		msg += ": " + r.Reason
	}
	hint := r.Hint
	if hint != "" && also != "" {
		hint += "; "
	}
	p.failAt(t.pos, p.ahead(len(words)-1).end, msg, hint+also)
	return true
}

// refuseStatement fails if a statement that is not here begins.
func (p *parser) refuseStatement() { p.refuseWith(refusedStatements, scriptForms) }
