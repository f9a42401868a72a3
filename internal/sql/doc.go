// Package sql turns query text into a syntax tree and a syntax tree into
// text, and points at what is wrong with a text.
//
//	stmt, err := sql.Parse("SELECT merchant, count(*) AS n FROM txns GROUP BY merchant")
//	if err != nil {
//		fmt.Fprintln(os.Stderr, sql.Describe(err, "query", text)) // line, caret, hint
//	}
//	sel := stmt.(*sql.Select)
//	sel.Items[0].Expr.(*sql.ColumnRef).Parts[0].Name // "merchant"
//
// ParseScript reads what stands around a query too: CREATE TABLE as Flink SQL
// has it, with its options in WITH (…), CREATE VIEW and INSERT INTO.
//
// The dialect of queries is DuckDB's, as far as one over streams needs it: its
// literals, its operators and their precedence, its aliases of types. What
// others have and this one has not is refused with the reason (refuse.go). A text
// is read as tokens (token.go, lexer.go), the tokens by recursive descent
// (parse_*.go) with precedence climbing for operators (parse_expr.go), into the
// nodes of ast.go, ast_expr.go and ast_script.go. The package knows no names: whether a
// table, a column or a function exists is for the planner to say, with an
// *Error that carries the span of the node.
//
// Words used here: a span is a half-open range of bytes in the text; a word is
// an unquoted run of letters; a reserved word is one that is never a name
// unless quoted; a chain is a run of operators of one level, which is read in
// a loop and not by recursion.
//
// A text of any content and length is answered with a tree or an *Error:
// nesting and chains are bounded (see maxDepth and maxChain), so that those
// who walk a tree may recurse. Format of a tree parses to an equal tree and
// formats to the same text.
package sql
