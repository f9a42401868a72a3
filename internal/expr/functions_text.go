package expr

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"ubik/internal/vec"
)

// kinds is a short way to write the arguments of an overload.
func kinds(k ...vec.Kind) []vec.Kind { return k }

func textFunctions() []Function {
	const text, num = vec.Varchar, vec.Int64
	return []Function{
		{
			Name: "lower", Aliases: []string{"lcase"}, Doc: "The text in lower case, character by character.",
			Overloads: []Overload{{Args: kinds(text), Result: text, Kernel: textToText(appendLower)}},
			Examples:  []Example{{"lower('HeLLo')", "hello", ""}, {"lower('ÀÉ')", "àé", ""}, {"lower('')", "", ""}, {"lower(NULL)", "NULL", ""}},
		},
		{
			Name: "upper", Aliases: []string{"ucase"}, Doc: "The text in upper case, character by character.",
			Overloads: []Overload{{Args: kinds(text), Result: text, Kernel: textToText(appendUpper)}},
			Examples:  []Example{{"upper('HeLLo')", "HELLO", ""}, {"upper('straße')", "STRAẞE", ""}, {"upper('')", "", ""}, {"upper(NULL)", "NULL", ""}},
		},
		{
			Name: "substr", Aliases: []string{"substring"}, Doc: "The characters from a place on, counted from 1 or, if negative, from the end; as many as told, or all.",
			Overloads: []Overload{
				{Args: kinds(text, num), Result: text, Kernel: view(func(c *Call, i int32, s []byte) (int, int) {
					return substring(s, c.Args[1].I64[i], 1<<40)
				})},
				{Args: kinds(text, num, num), Result: text, Kernel: view(func(c *Call, i int32, s []byte) (int, int) {
					return substring(s, c.Args[1].I64[i], c.Args[2].I64[i])
				})},
			},
			Examples: []Example{{"substr('hello', 2, 3)", "ell", ""}, {"substr('hello', 2)", "ello", ""}, {"substr('hello', -3, 2)", "ll", ""},
				{"substr('hello', 0, 2)", "h", ""}, {"substr('hello', 2, -1)", "h", ""}, {"substr('hello', -10, 8)", "hel", ""},
				{"substr('héllo', 2, 1)", "é", ""}, {"substr('', 1, 1)", "", ""}, {"substr('hello', NULL)", "NULL", ""}, {"substr('hello', 9, 1)", "", ""}},
		},
		{
			Name: "left", Doc: "The first characters, or all but the last −n.",
			Overloads: []Overload{{Args: kinds(text, num), Result: text, Kernel: view(func(c *Call, i int32, s []byte) (int, int) { return leftPart(s, c.Args[1].I64[i]) })}},
			Examples:  []Example{{"left('hello', 2)", "he", ""}, {"left('hello', -2)", "hel", ""}, {"left('éa', 1)", "é", ""}, {"left('a', 9)", "a", ""}, {"left('a', -9)", "", ""}, {"left(NULL, 1)", "NULL", ""}},
		},
		{
			Name: "right", Doc: "The last characters, or all but the first −n.",
			Overloads: []Overload{{Args: kinds(text, num), Result: text, Kernel: view(func(c *Call, i int32, s []byte) (int, int) { return rightPart(s, c.Args[1].I64[i]) })}},
			Examples:  []Example{{"right('hello', 2)", "lo", ""}, {"right('hello', -2)", "llo", ""}, {"right('aé', 1)", "é", ""}, {"right('a', 9)", "a", ""}, {"right('a', -9)", "", ""}, {"right('a', NULL)", "NULL", ""}},
		},
		{
			Name: "length", Aliases: []string{"len", "char_length", "character_length"}, Doc: "The number of characters.",
			Overloads: []Overload{{Args: kinds(text), Result: num, Kernel: textToInt(func(s []byte) int64 { return int64(utf8.RuneCount(s)) })}},
			Examples:  []Example{{"length('hello')", "5", ""}, {"length('héllo')", "5", ""}, {"length('')", "0", ""}, {"length(NULL::VARCHAR)", "NULL", ""}},
		},
		{
			Name: "strlen", Doc: "The number of bytes.",
			Overloads: []Overload{{Args: kinds(text), Result: num, Kernel: textToInt(func(s []byte) int64 { return int64(len(s)) })}},
			Examples:  []Example{{"strlen('hello')", "5", ""}, {"strlen('héllo')", "6", ""}, {"strlen('')", "0", ""}, {"strlen(NULL)", "NULL", ""}},
		},
		{
			Name: "concat", Doc: "The texts of its arguments one behind the other, without the NULLs.",
			Forms: []string{"concat(ANY, …)"},
			build: textOfAll("concat", "concat(ANY, …)", 1, &Overload{Kernel: concatTexts, Nulls: true}),
			Examples: []Example{{"concat('a', 'b')", "ab", ""}, {"concat('a', NULL, 1, true)", "a1true", ""}, {"concat('')", "", ""},
				{"concat(1.50, 'é')", "1.50é", ""}, {"concat(NULL)", "", ""}},
		},
		{
			Name: "concat_ws", Doc: "The texts of its arguments with the first between them, without the NULLs.",
			Forms: []string{"concat_ws(VARCHAR, ANY, …)"},
			build: textOfAll("concat_ws", "concat_ws(VARCHAR, ANY, …)", 2, &Overload{Kernel: concatSeparated, Nulls: true}),
			Examples: []Example{{"concat_ws(',', 'a', 'b')", "a,b", ""}, {"concat_ws(',', 'a', NULL, 1)", "a,1", ""}, {"concat_ws(NULL, 'a')", "NULL", ""},
				{"concat_ws(', ', NULL)", "", ""}, {"concat_ws('–', 'é', '')", "é–", ""}},
		},
		trimFunction("trim", "Without blanks, or without the given characters, at both ends.", true, true, "a", "a", "a"),
		trimFunction("ltrim", "Without blanks, or without the given characters, at the start.", true, false, "a ", "axx", "aé"),
		trimFunction("rtrim", "Without blanks, or without the given characters, at the end.", false, true, " a", "xxa", "éa"),
		{
			Name: "lpad", Doc: "Filled up on the left to a number of characters, or cut to it.",
			Overloads: []Overload{{Args: kinds(text, num, text), Result: text, Kernel: pad("lpad", true), Fails: true}},
			Examples:  []Example{{"lpad('a', 4, 'xy')", "xyxa", ""}, {"lpad('abcdef', 3, 'x')", "abc", ""}, {"lpad('é', 3, 'ü')", "üüé", ""}, {"lpad('a', -1, 'x')", "", ""}, {"lpad(NULL, 1, 'x')", "NULL", ""}},
		},
		{
			Name: "rpad", Doc: "Filled up on the right to a number of characters, or cut to it.",
			Overloads: []Overload{{Args: kinds(text, num, text), Result: text, Kernel: pad("rpad", false), Fails: true}},
			Examples:  []Example{{"rpad('a', 4, 'xy')", "axyx", ""}, {"rpad('abcdef', 3, 'x')", "abc", ""}, {"rpad('é', 3, 'ü')", "éüü", ""}, {"rpad('a', -1, 'x')", "", ""}, {"rpad('a', NULL, 'x')", "NULL", ""}},
		},
		{
			Name: "replace", Doc: "Every occurrence of the second text replaced by the third.",
			Overloads: []Overload{{Args: kinds(text, text, text), Result: text, Kernel: replaceText, Fails: true}},
			Examples:  []Example{{"replace('hello', 'l', '-')", "he--o", ""}, {"replace('aaa', 'aa', 'b')", "ba", ""}, {"replace('abc', '', 'x')", "abc", ""}, {"replace('é', 'é', '')", "", ""}, {"replace('a', NULL, 'b')", "NULL", ""}},
		},
		{
			Name: "reverse", Doc: "The characters from the last to the first.",
			Overloads: []Overload{{Args: kinds(text), Result: text, Kernel: textToText(appendReverse)}},
			Examples:  []Example{{"reverse('hello')", "olleh", ""}, {"reverse('héllo')", "olléh", ""}, {"reverse('')", "", ""}, {"reverse(NULL)", "NULL", ""}},
		},
		{
			Name: "starts_with", Aliases: []string{"prefix"}, Doc: "Whether the first text starts with the second.",
			Overloads: []Overload{{Args: kinds(text, text), Result: vec.Bool, Kernel: textsToBool(bytes.HasPrefix)}},
			Examples:  []Example{{"starts_with('abc', 'ab')", "true", ""}, {"starts_with('abc', 'b')", "false", ""}, {"starts_with('é', '')", "true", ""}, {"starts_with(NULL, 'a')", "NULL", ""}},
		},
		{
			Name: "ends_with", Aliases: []string{"suffix"}, Doc: "Whether the first text ends with the second.",
			Overloads: []Overload{{Args: kinds(text, text), Result: vec.Bool, Kernel: textsToBool(bytes.HasSuffix)}},
			Examples:  []Example{{"ends_with('abc', 'bc')", "true", ""}, {"ends_with('abc', 'b')", "false", ""}, {"ends_with('é', '')", "true", ""}, {"ends_with('a', NULL)", "NULL", ""}},
		},
		{
			Name: "contains", Doc: "Whether the second text is part of the first.",
			Overloads: []Overload{{Args: kinds(text, text), Result: vec.Bool, Kernel: textsToBool(bytes.Contains)}},
			Examples:  []Example{{"contains('abc', 'b')", "true", ""}, {"contains('abc', 'x')", "false", ""}, {"contains('é', '')", "true", ""}, {"contains(NULL::VARCHAR, 'a')", "NULL", ""}},
		},
		{
			Name: "strpos", Aliases: []string{"instr", "position"}, Doc: "Where the second text first stands in the first, in characters from 1; 0 when it does not.",
			Overloads: []Overload{{Args: kinds(text, text), Result: num, Kernel: textsToInt(position)}},
			Examples:  []Example{{"strpos('hello', 'l')", "3", ""}, {"strpos('héllo', 'l')", "3", ""}, {"strpos('abc', 'z')", "0", ""}, {"strpos('abc', '')", "1", ""}, {"strpos('', '')", "1", ""}, {"strpos('a', NULL)", "NULL", ""}},
		},
		{
			Name: "split_part", Doc: "The n-th piece between separators, from the end when n is negative; empty when there is none.",
			Overloads: []Overload{{Args: kinds(text, text, num), Result: text, Kernel: view(func(c *Call, i int32, s []byte) (int, int) {
				return splitPart(s, c.Args[1].Bytes(int(i)), c.Args[2].I64[i])
			})}},
			Examples: []Example{{"split_part('a,b,c', ',', 2)", "b", ""}, {"split_part('a,b,c', ',', -1)", "c", ""}, {"split_part('a,b,c', ',', 0)", "", ""}, {"split_part('a,b', ',', 9)", "", ""}, {"split_part('éa', '', 1)", "é", ""}, {"split_part('', ',', 1)", "", ""}, {"split_part(NULL, ',', 1)", "NULL", ""}},
		},
		{
			Name: "repeat", Doc: "The text so many times.",
			Overloads: []Overload{{Args: kinds(text, num), Result: text, Kernel: repeatText, Fails: true}},
			Examples:  []Example{{"repeat('ab', 3)", "ababab", ""}, {"repeat('é', 2)", "éé", ""}, {"repeat('ab', -1)", "", ""}, {"repeat('', 9)", "", ""}, {"repeat(NULL, 1)", "NULL", ""}},
		},
		{
			Name: "ascii", Aliases: []string{"unicode", "ord"}, Doc: "The code point of the first character.",
			Overloads: []Overload{{Args: kinds(text), Result: vec.Int32, Kernel: textToInt(func(s []byte) int64 {
				if len(s) == 0 {
					return 0
				}
				r, _ := utf8.DecodeRune(s)
				return int64(r)
			})}},
			Examples: []Example{{"ascii('a')", "97", ""}, {"ascii('é')", "233", ""}, {"ascii('')", "0", ""}, {"ascii(NULL)", "NULL", ""}},
		},
		{
			Name: "chr", Doc: "The character of a code point.",
			Overloads: []Overload{{Args: kinds(vec.Int32), Result: text, Fails: true, Kernel: func(c *Call) {
				for _, i := range c.Rows {
					r := c.Args[0].I64[i]
					if r < 0 || r > utf8.MaxRune || !utf8.ValidRune(rune(r)) {
						c.bad(i, fmt.Sprintf("chr: %d is no code point", r))
						continue
					}
					from := len(c.Out.Arena)
					c.Out.Arena = utf8.AppendRune(c.Out.Arena, rune(r))
					c.end(i, from)
				}
			}}},
			Examples: []Example{{"chr(97)", "a", ""}, {"chr(233)", "é", ""}, {"chr(128512)", "😀", ""}, {"chr(NULL)", "NULL", ""}},
		},
		{
			Name: "md5", Doc: "The MD5 of the bytes, in hexadecimal.",
			Overloads: []Overload{{Args: kinds(text), Result: text, Kernel: textToText(func(dst, s []byte) []byte {
				sum := md5.Sum(s)
				return hex.AppendEncode(dst, sum[:])
			})}},
			Examples: []Example{{"md5('a')", "0cc175b9c0f1b6a831c399e269772661", ""}, {"md5('')", "d41d8cd98f00b204e9800998ecf8427e", ""}, {"md5(NULL)", "NULL", ""}},
		},
		{
			Name: "sha256", Doc: "The SHA-256 of the bytes, in hexadecimal.",
			Overloads: []Overload{{Args: kinds(text), Result: text, Kernel: textToText(func(dst, s []byte) []byte {
				sum := sha256.Sum256(s)
				return hex.AppendEncode(dst, sum[:])
			})}},
			Examples: []Example{{"sha256('a')", "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb", ""}, {"sha256('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", ""}, {"sha256(NULL)", "NULL", ""}},
		},
	}
}

func trimFunction(name, doc string, left, right bool, blanks, xs, accents string) Function {
	return Function{
		Name: name, Doc: doc,
		Overloads: []Overload{
			{Args: kinds(vec.Varchar), Result: vec.Varchar, Kernel: trimKernel(left, right)},
			{Args: kinds(vec.Varchar, vec.Varchar), Result: vec.Varchar, Kernel: trimSetKernel(left, right)},
		},
		Examples: []Example{{name + "(' a ')", blanks, ""}, {name + "('xxaxx', 'x')", xs, ""}, {name + "('éaé', 'é')", accents, ""},
			{name + "('a', '')", "a", ""}, {name + "('')", "", ""}, {name + "(NULL)", "NULL", ""}},
	}
}

// textOfAll builds a call of a function that takes the text of whatever it is given.
func textOfAll(name, form string, least int, o *Overload) func(args []Expr) (Expr, error) {
	return func(args []Expr) (Expr, error) {
		if len(args) < least {
			return nil, noForm(name, []string{form}, args)
		}
		if err := noJSON(name, args); err != nil {
			return nil, err
		}
		args, err := coerceAll(args, varcharType)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return newCallOp(name, args, varcharType, o)
	}
}
