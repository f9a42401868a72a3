package catalog

import (
	"regexp"
	"strings"
)

// secretKey finds names whose values are secrets, misspelt ones included, in quotes or without, and what may stand
// between a name and its value. Its groups are the name, the name in quotes of any other option, and that. A name that says
// it less clearly counts when it is one of a client property.
var secretKey = regexp.MustCompile(`(?i)(?:([a-z0-9_."'-]*(?:pass|pasw|pswd|pwd|jaas|secret)[a-z0-9_."-]*'?` +
	`|['"]?(?:sasl|ssl|properties)[a-z0-9_."-]*(?:word|token|cred|key|pem|auth|user.?info)[a-z0-9_."-]*'?)` +
	`|('?[a-z0-9_.-]+'))` +
	`((?:\s|--[^\n]*\n|/\*(?:[^*]|\*[^/])*\*/|:?=>?)*)`)

// optionKey is in such a name when it is an option rather than a column.
var optionKey = regexp.MustCompile(`(?i)'|sasl|ssl|properties`)

// login is what stands before a host: user:password@, behind what begins a text or a name in a list; and whatever is
// before the last @ of a URL, also of one that lacks a slash or has another typo there.
var login = regexp.MustCompile(`(^|['",\s])([^/@\s'",:]+:[^/@\s'",]+)@|(://|[A-Za-z0-9][:;]/+|\bkafka/+)([^\s'"]*)@`)

// parameter is one of a URL, with its value.
var (
	address   = regexp.MustCompile(`://[^\s'"?]*\?[^\s'"]*`)
	parameter = regexp.MustCompile(`([?&;])([^=&;]*)=([^&;]*)`)
)

// plainParameters are those whose values may be shown.
var plainParameters = map[string]bool{"compacted": true, "partitions": true}

// Redact returns a script with a star in place of each byte of a value that may be a secret, so that it can be shown. That
// is the value of every option but those that are known to be none, of whatever else goes by a name that says so, and of
// the parameters of URLs. It has the length and the lines of the script, and takes one that cannot be parsed. Passwords
// before a host, which no connector takes, are hidden too.
func Redact(text string) string {
	text = RedactURL(text)
	out := []byte(text)
	mask(text, out, inQuery)
	text = string(out)
	for at := 0; at < len(text); {
		m := secretKey.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		between, from := text[at+m[6]:at+m[7]], at+m[1]
		if m[4] >= 0 { // in a text that lost a quote
			key := text[at+m[4] : at+m[5]]
			if plain, _ := optionIsPlain(strings.Trim(key, "'"), inOptions); plain || !strings.Contains(between, "=") || !strings.HasPrefix(text[from:], "'") {
				at += m[5] - 1 // its second quote may be the first of the next
				continue
			}
			at = valueEnd(text, from)
			hide(out[from:at])
			continue
		}
		key := text[at+m[2] : at+m[3]]
		option := optionKey.MatchString(key)
		at = from
		if plain, _ := optionIsPlain(strings.Trim(key, `'"`), inOptions); plain {
			continue
		}
		if !strings.Contains(between, "=") && !strings.HasPrefix(text[from:], "'") && !strings.Contains(key, "'") {
			continue // a column
		}
		at = secretEnd(text, from, option)
		hide(out[from:at])
	}
	return string(out)
}

// RedactURL hides what stands before the host of a URL in a text, and its parameters.
func RedactURL(text string) string {
	text = login.ReplaceAllStringFunc(text, func(s string) string {
		m := login.FindStringSubmatch(s)
		return m[1] + m[3] + strings.Repeat("*", len(m[2])+len(m[4])) + "@"
	})
	return address.ReplaceAllStringFunc(text, func(url string) string {
		return parameter.ReplaceAllStringFunc(url, func(s string) string {
			m := parameter.FindStringSubmatch(s)
			if plainParameters[m[2]] {
				return s
			}
			return m[1] + m[2] + "=" + strings.Repeat("*", len(m[3]))
		})
	})
}

// hide puts stars over a value, but for the quotes around it and line ends.
func hide(value []byte) {
	if n := len(value); n > 0 && value[0] == '\'' {
		value = value[1:]
	}
	if n := len(value); n > 0 && value[n-1] == '\'' {
		value = value[:n-1]
	}
	stars(value)
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
	_, end := quotedPiece(text, from)
	return end
}
