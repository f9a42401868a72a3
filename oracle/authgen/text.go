package authgen

import (
	"fmt"
	"strings"
	"time"
)

// idMember writes the id with its name and the comma behind it.
func (e *event) idMember() string {
	switch {
	case e.absent:
		return ""
	case e.id == "":
		return `"auth_id":null,`
	}
	return `"auth_id":"` + strings.ReplaceAll(e.id, `"`, `\"`) + `",`
}

// amount writes cents in one of the forms that occur.
func (g *generator) amount(cents int64) string {
	sign := ""
	if cents < 0 {
		sign, cents = "-", -cents
	}
	switch g.random.IntN(100) {
	case 0:
		return "null"
	case 1:
		return fmt.Sprintf("%s%d.%02d0", sign, cents/100, cents%100)
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

// time writes a time of µs since 1970 with all its digits, or as many as it needs, in UTC or beside it.
func (g *generator) time(us int64) string {
	at := time.UnixMicro(us).UTC()
	switch g.random.IntN(10) {
	case 0:
		return at.Add(2*time.Hour).Format(`"2006-01-02T15:04:05.999999`) + `+02:00"`
	case 1:
		return at.Format(`"2006-01-02 15:04:05.999999"`)
	case 2:
		return at.Format(`"2006-01-02T15:04:05.999999Z"`)
	}
	return at.Format(`"2006-01-02T15:04:05.000000Z"`)
}

// malformed writes a record that every reader refuses. Its time is far ahead: whoever counts it makes all that follows late.
func (g *generator) malformed(e event) []byte {
	const ahead = `"2031-01-01T00:00:00Z"`
	switch g.random.IntN(6) {
	case 0:
		return nil
	case 1:
		return fmt.Appendf(nil, `{%s"amount":1.00,"event_time":%s`, e.idMember(), ahead)
	case 2:
		return fmt.Appendf(nil, `[{%s"amount":1.00,"event_time":%s}]`, e.idMember(), ahead)
	case 3:
		return fmt.Appendf(nil, `{%s"amount":1.00,"event_time":null}`, e.idMember())
	case 4:
		return fmt.Appendf(nil, `{%s"amount":1.00,"event_time":"soon"}`, e.idMember())
	}
	return fmt.Appendf(nil, `{%s"amount":"much","event_time":%s}`, e.idMember(), ahead)
}
