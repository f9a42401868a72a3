package catalog

import (
	"regexp"
	"strings"
)

// secretKey finds names whose values are secrets, misspelt ones included, in quotes or without, and what may stand
// between a name and its value. Its groups are the name and that. A name that says it less clearly counts when it is one
// of a client property.
var secretKey = regexp.MustCompile(`(?i)([a-z0-9_."'-]*(?:pass|pasw|pswd|pwd|jaas|secret)[a-z0-9_."-]*'?` +
	`|['"]?(?:sasl|ssl|properties)[a-z0-9_."-]*(?:word|token|cred)[a-z0-9_."-]*'?)` +
	`((?:\s|--[^\n]*\n|/\*(?:[^*]|\*[^/])*\*/|:?=>?)*)`)

// optionKey is in such a name when it is an option rather than a column.
var optionKey = regexp.MustCompile(`(?i)'|sasl|ssl|properties`)

// login is what stands before a host: user:password@, behind what begins a URL, a text or a name in a list.
var login = regexp.MustCompile(`(://|['",\s])([^/@\s'",:]+:[^/@\s'",]+)@`)

// Redact returns a script with a star in place of each byte of a value that may be a secret, so that it can be shown.
// It has the length and the lines of the script, and takes one that cannot be parsed. Passwords before a host, which
// no connector takes, are hidden too.
func Redact(text string) string {
	text = login.ReplaceAllStringFunc(text, func(s string) string {
		m := login.FindStringSubmatch(s)
		return m[1] + strings.Repeat("*", len(m[2])) + "@"
	})
	var out []byte
	for at := 0; at < len(text); {
		m := secretKey.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		key, between, from := text[at+m[2]:at+m[3]], text[at+m[4]:at+m[5]], at+m[1]
		option := optionKey.MatchString(key)
		at = from
		if !strings.Contains(between, "=") && !strings.HasPrefix(text[from:], "'") && !strings.Contains(key, "'") {
			continue // a column
		}
		if out == nil {
			out = []byte(text)
		}
		at = secretEnd(text, from, option)
		hide(out[from:at])
	}
	if out == nil {
		return text
	}
	return string(out)
}

// hide puts stars over a value, but for the quotes around it and line ends.
func hide(value []byte) {
	if n := len(value); n > 0 && value[0] == '\'' {
		value = value[1:]
	}
	if n := len(value); n > 0 && value[n-1] == '\'' {
		value = value[:n-1]
	}
	for i, c := range value {
		if c != '\n' && c != '\r' {
			value[i] = '*'
		}
	}
}

// secretEnd is where a value ends that begins at a place: behind its closing quote, or where a bare word does. Of an
// option that goes on behind it, as when a quote is missing, it is where the next one begins.
func secretEnd(text string, from int, option bool) int {
	end := valueEnd(text, from)
	rest := strings.TrimLeft(text[end:], " \t\r\n")
	if !option || rest == "" || strings.ContainsAny(rest[:1], ",);") {
		return end
	}
	if n := strings.IndexAny(text[end:], ",);"); n >= 0 {
		return end + n
	}
	return len(text)
}

func valueEnd(text string, from int) int {
	if from >= len(text) || text[from] != '\'' {
		if n := strings.IndexAny(text[from:], ",) \t\r\n;"); n >= 0 {
			return from + n
		}
		return len(text)
	}
	for i := from + 1; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '\'' {
			i++
			continue
		}
		return i + 1
	}
	return len(text)
}
