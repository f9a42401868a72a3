package expr

import (
	"fmt"
	"regexp"

	"ubik/internal/vec"
)

// compilePattern compiles a regular expression with DuckDB's option letters. g reports the option of that name.
func compilePattern(function, pattern, options string) (re *regexp.Regexp, g bool, err error) {
	flags := ""
	for _, o := range options {
		switch o {
		case 'i', 's':
			flags += string(o)
		case 'c', 'm', 'n', 'p':
			// What a pattern is without options: case matters, a point does not match a line feed.
		case 'l':
			pattern = regexp.QuoteMeta(pattern)
		case 'g':
			g = true
		default:
			return nil, false, fmt.Errorf("%s: no option %q; options: c, g, i, l, m, n, p, s", function, string(o))
		}
	}
	if flags != "" {
		pattern = "(?" + flags + ")" + pattern
	}
	re, err = regexp.Compile(pattern)
	if err != nil {
		return nil, false, fmt.Errorf("%s: the pattern is no regular expression: %w", function, err)
	}
	return re, g, nil
}

// patternArgs compiles the pattern in args[1] and the options in args[at], if there are so many.
func patternArgs(function string, args []Expr, at int) (re *regexp.Regexp, g bool, err error) {
	pattern, err := literalArg(function, "pattern", args[1])
	if err != nil {
		return nil, false, err
	}
	options := ""
	if at < len(args) {
		if options, err = literalArg(function, "options", args[at]); err != nil {
			return nil, false, err
		}
	}
	return compilePattern(function, pattern, options)
}

func matches(whole bool) func(args []Expr) (func(c *Call), error) {
	name := "regexp_matches"
	if whole {
		name = "regexp_full_match"
	}
	return func(args []Expr) (func(c *Call), error) {
		re, _, err := patternArgs(name, args, 2)
		if err != nil {
			return nil, err
		}
		if whole {
			re = regexp.MustCompile(`\A(?:` + re.String() + `)\z`)
		}
		return func(c *Call) {
			for _, i := range c.Rows {
				c.Out.Bools[i] = re.Match(c.Args[0].Bytes(int(i)))
			}
		}, nil
	}
}

func extract(args []Expr) (func(c *Call), error) {
	re, _, err := patternArgs("regexp_extract", args, 3)
	if err != nil {
		return nil, err
	}
	groups := int64(re.NumSubexp())
	return func(c *Call) {
		in := c.Args[0]
		c.Out.Arena = in.Arena
		for _, i := range c.Rows {
			group := int64(0)
			if len(c.Args) > 2 {
				group = c.Args[2].I64[i]
			}
			if group < 0 || group > groups {
				c.bad(i, fmt.Sprintf("regexp_extract: the pattern has %d groups, there is no group %d", groups, group))
				continue
			}
			c.Out.Spans[i] = vec.Span{}
			if m := re.FindSubmatchIndex(in.Bytes(int(i))); m != nil && m[2*group] >= 0 {
				from, to := m[2*group], m[2*group+1]
				c.Out.Spans[i] = vec.Span{Off: in.Spans[i].Off + uint32(from), Len: uint32(to - from)}
			}
		}
	}, nil
}

func replacePattern(args []Expr) (func(c *Call), error) {
	re, all, err := patternArgs("regexp_replace", args, 3)
	if err != nil {
		return nil, err
	}
	return func(c *Call) {
		for _, i := range c.Rows {
			s, by := c.Args[0].Bytes(int(i)), c.Args[2].Bytes(int(i))
			from := len(c.Out.Arena)
			limit := 1
			if all {
				limit = -1
			}
			at := 0
			for _, m := range re.FindAllSubmatchIndex(s, limit) {
				c.Out.Arena = append(c.Out.Arena, s[at:m[0]]...)
				c.Out.Arena = expand(c.Out.Arena, by, s, m)
				at = m[1]
			}
			c.Out.Arena = append(c.Out.Arena, s[at:]...)
			c.end(i, from)
		}
	}, nil
}

// expand appends a replacement with \0 to \9 replaced by the groups of the match and \\ by one backslash.
func expand(dst, by, s []byte, m []int) []byte {
	for k := 0; k < len(by); k++ {
		if by[k] != '\\' || k+1 == len(by) {
			dst = append(dst, by[k])
			continue
		}
		k++
		if d := int(by[k]) - '0'; d >= 0 && d <= 9 {
			if 2*d+1 < len(m) && m[2*d] >= 0 {
				dst = append(dst, s[m[2*d]:m[2*d+1]]...)
			}
			continue
		}
		dst = append(dst, by[k])
	}
	return dst
}

func patternFunctions() []Function {
	const text = vec.Varchar
	return []Function{
		{
			Name: "regexp_matches", Doc: "Whether a part of the text matches the regular expression, a literal.",
			Overloads: []Overload{
				{Args: kinds(text, text), Result: vec.Bool, Prepare: matches(false)},
				{Args: kinds(text, text, text), Result: vec.Bool, Prepare: matches(false)},
			},
			Examples: []Example{{"regexp_matches('abc', 'b')", "true", ""}, {"regexp_matches('abc', '^b')", "false", ""}, {"regexp_matches('aBc', 'b', 'i')", "true", ""},
				{"regexp_matches('', '')", "true", ""}, {"regexp_matches('é', '^.$')", "true", ""}, {"regexp_matches(NULL, 'a')", "NULL", ""}},
		},
		{
			Name: "regexp_full_match", Doc: "Whether the whole text matches the regular expression, a literal.",
			Overloads: []Overload{
				{Args: kinds(text, text), Result: vec.Bool, Prepare: matches(true)},
				{Args: kinds(text, text, text), Result: vec.Bool, Prepare: matches(true)},
			},
			Examples: []Example{{"regexp_full_match('abc', 'b')", "false", ""}, {"regexp_full_match('abc', 'a.*')", "true", ""}, {"regexp_full_match('é', '.')", "true", ""}, {"regexp_full_match(NULL, 'a')", "NULL", ""}},
		},
		{
			Name: "regexp_extract", Doc: "The first match of the regular expression, or its group of that number; empty when there is none.",
			Overloads: []Overload{
				{Args: kinds(text, text), Result: text, Prepare: extract, Fails: true},
				{Args: kinds(text, text, vec.Int64), Result: text, Prepare: extract, Fails: true},
				{Args: kinds(text, text, vec.Int64, text), Result: text, Prepare: extract, Fails: true},
			},
			Examples: []Example{{"regexp_extract('abc123', '[0-9]+')", "123", ""}, {"regexp_extract('abc123', '([a-z]+)([0-9]+)', 2)", "123", ""}, {"regexp_extract('abc', '[0-9]+')", "", ""},
				{"regexp_extract('ABC', 'b', 0, 'i')", "B", ""}, {"regexp_extract('xéy', 'é')", "é", ""}, {"regexp_extract('', 'a')", "", ""}, {"regexp_extract(NULL, 'a')", "NULL", ""}},
		},
		{
			Name: "regexp_replace", Doc: "The first match of the regular expression (with option g every one) replaced; \\1 stands for the first group.",
			Overloads: []Overload{
				{Args: kinds(text, text, text), Result: text, Prepare: replacePattern},
				{Args: kinds(text, text, text, text), Result: text, Prepare: replacePattern},
			},
			Examples: []Example{{"regexp_replace('abcabc', 'b', 'X')", "aXcabc", ""}, {"regexp_replace('abcabc', 'b', 'X', 'g')", "aXcaXc", ""}, {"regexp_replace('abc', '(b)', '[\\1]')", "a[b]c", ""},
				{"regexp_replace('é', 'é', '')", "", ""}, {"regexp_replace('abc', 'x', 'y')", "abc", ""}, {"regexp_replace(NULL, 'a', 'b')", "NULL", ""}},
		},
	}
}
