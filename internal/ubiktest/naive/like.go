package naive

import (
	"strings"
	"unicode/utf8"

	"ubik/internal/sql"
)

func (c *compiler) like(e *sql.Like) (*node, error) {
	xs, err := c.all(e.X, e.Pattern)
	if err != nil {
		return nil, err
	}
	escape := rune(-1)
	if e.Escape != nil {
		s, ok := e.Escape.(*sql.StringLit)
		if !ok {
			return nil, unsupported("ESCAPE %s", sql.Format(e.Escape))
		}
		if s.Value != "" {
			escape, _ = utf8.DecodeRuneInString(s.Value)
		}
	}
	return strict(named("BOOLEAN"), func(v []any) (any, error) {
		s, p := v[0].(string), v[1].(string)
		if e.NoCase {
			s, p = strings.ToLower(s), strings.ToLower(p)
		}
		return matches([]rune(s), []rune(p), escape) != e.Not, nil
	}, to(xs[0], varchar), to(xs[1], varchar)), nil
}

// matches tries every length for a %.
func matches(s, p []rune, escape rune) bool {
	if len(p) == 0 {
		return len(s) == 0
	}
	switch {
	case p[0] == escape && len(p) > 1:
		return len(s) > 0 && s[0] == p[1] && matches(s[1:], p[2:], escape)
	case p[0] == '%':
		for i := 0; i <= len(s); i++ {
			if matches(s[i:], p[1:], escape) {
				return true
			}
		}
		return false
	case len(s) == 0:
		return false
	}
	return (p[0] == '_' || p[0] == s[0]) && matches(s[1:], p[1:], escape)
}
