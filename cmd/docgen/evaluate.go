package main

import (
	"errors"
	"fmt"

	"ubik/internal/expr"
	"ubik/internal/plan"
	"ubik/internal/sql"
)

// exampleSchema is that of the source that the examples of the page read.
const exampleSchema = "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP, n BIGINT, wait INTERVAL, j JSON, tags VARCHAR[], address STRUCT(city VARCHAR)"

// build plans a query over the source txns.
func build(query, schema string, bounded bool) (*plan.Plan, error) {
	fields, err := plan.Schema(schema)
	if err != nil {
		return nil, err
	}
	return plan.Build(plan.Request{Query: query, Sources: []plan.Source{{
		Name: "txns", Log: "file txns.jsonl", Schema: fields, Format: "json", Bounded: bounded, File: true, Delay: -1,
	}}})
}

// constant computes an expression without columns: its type and its text, NULL for NULL.
func constant(text string) (typ, value string, err error) {
	p, err := build("SELECT "+text+" AS x FROM txns", exampleSchema, true)
	if err != nil {
		return "", "", fmt.Errorf("%s: %w", text, err)
	}
	l, ok := p.Inputs[0].Exprs[0].(*expr.Literal)
	if !ok {
		return "", "", fmt.Errorf("%s is not computed while planning", text)
	}
	if l.IsNull() {
		return l.Type().String(), "NULL", nil
	}
	return l.Type().String(), string(expr.AppendText(nil, l.Value(), 0)), nil
}

// refusal is the message, in one line, with which a query is refused. It fails when the query is accepted.
func refusal(query string) (string, error) {
	_, err := build(query, exampleSchema, false)
	var e *sql.Error
	switch {
	case err == nil:
		return "", fmt.Errorf("the query is accepted: %s", query)
	case !errors.As(err, &e):
		return err.Error(), nil
	case e.Hint != "":
		return e.Msg + "; " + e.Hint, nil
	}
	return e.Msg, nil
}

// expression is what Ubik makes of an expression: its value, or why it is refused.
func expression(text string) string {
	if _, value, err := constant(text); err == nil {
		return value
	} else {
		var e *sql.Error
		if errors.As(err, &e) {
			return "refused: " + e.Msg
		}
		return "refused: " + err.Error()
	}
}

// usable says whether a column of a type can be named in a query, or the message that says why not.
func usable(typ string) (bool, string) {
	_, err := build("SELECT x FROM txns", "x "+typ, true)
	if err != nil {
		var e *sql.Error
		if errors.As(err, &e) {
			return false, e.Msg
		}
		return false, err.Error()
	}
	return true, ""
}
