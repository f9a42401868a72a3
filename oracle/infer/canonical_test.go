package infer

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"
)

// membersOf takes a row apart: each column's value in one spelling of all that are the same. NULL has none.
func membersOf(row string) map[string]string {
	d := json.NewDecoder(strings.NewReader(row))
	d.UseNumber()
	var members map[string]any
	if err := d.Decode(&members); err != nil {
		panic(fmt.Sprintf("%s is no row: %v", row, err))
	}
	out := map[string]string{}
	for name, v := range members {
		if v != nil {
			out[name] = canonical(v)
		}
	}
	return out
}

// canonicalRows are the rows of a reading, each in one spelling.
func canonicalRows(r reading) []string {
	var out []string
	for _, row := range r.rows {
		var list []string
		for name, value := range membersOf(row) {
			list = append(list, strconv.Quote(name)+":"+value)
		}
		sort.Strings(list)
		out = append(out, strings.Join(list, ","))
	}
	return out
}

// canonical spells a value: numbers by their value, a time in UTC, of an object the members that are not NULL.
func canonical(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case json.Number:
		if r, ok := new(big.Rat).SetString(v.String()); ok {
			return r.RatString()
		}
		return v.String()
	case string:
		return strconv.Quote(canonicalText(v))
	case []any:
		var list []string
		for _, item := range v {
			list = append(list, canonical(item))
		}
		return "[" + strings.Join(list, ",") + "]"
	case map[string]any:
		var list []string
		for name, member := range v {
			if member != nil {
				list = append(list, strconv.Quote(name)+":"+canonical(member))
			}
		}
		sort.Strings(list)
		return "{" + strings.Join(list, ",") + "}"
	}
	return fmt.Sprint(v)
}

// timeText is a time as either of the two writes it.
var timeText = regexp.MustCompile(`^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d(?:\.\d+)?)(?:Z|\+00)?$`)

func canonicalText(s string) string {
	m := timeText.FindStringSubmatch(s)
	if m == nil {
		return s
	}
	at, err := time.Parse("2006-01-02 15:04:05.999999999", m[1]+" "+m[2])
	if err != nil {
		return s
	}
	return at.Format(time.RFC3339Nano)
}
