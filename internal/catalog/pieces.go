package catalog

import "strings"

// piece is a part of a script as far as that can be told of one that may be damaged.
type piece struct {
	kind     pieceKind
	from, to int
}

type pieceKind byte

const (
	pieceWord    pieceKind = iota // a run of anything that is nothing else: names with their dots, numbers
	pieceName                     // in double quotes
	pieceString                   // in single quotes, of which the second is there
	pieceOpen                     // in quotes of which the second is missing: the rest of the text
	pieceSign                     // = => := and other signs
	pieceComment                  // with its -- or /* */
)

// piecesOf cuts a text, blanks apart, into pieces. It takes any text.
func piecesOf(text string) []piece {
	var list []piece
	for at := 0; at < len(text); {
		p := piece{from: at, to: at + 1}
		rest := text[at:]
		switch c := rest[0]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			at++
			continue
		case strings.HasPrefix(rest, "--"):
			p.kind, p.to = pieceComment, len(text)
			if n := strings.IndexByte(rest, '\n'); n >= 0 {
				p.to = at + n
			}
		case strings.HasPrefix(rest, "/*"):
			p.kind, p.to = pieceComment, at+commentLength(rest)
		case c == '\'' || c == '"':
			p.kind, p.to = quotedPiece(text, at)
		case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, ":="), strings.HasPrefix(rest, "=="):
			p.kind, p.to = pieceSign, at+2
		case strings.IndexByte(signs, c) >= 0:
			p.kind = pieceSign
		default:
			for p.to < len(text) && strings.IndexByte(signs+" \t\r\n'\"", text[p.to]) < 0 &&
				!strings.HasPrefix(text[p.to:], "--") && !strings.HasPrefix(text[p.to:], "/*") {
				p.to++
			}
		}
		list = append(list, p)
		at = p.to
	}
	return list
}

const signs = "()[]{},;=<>:"

// commentLength is the length of the comment that a text begins with; such comments nest.
func commentLength(text string) int {
	depth := 0
	for i := 0; i+1 < len(text); {
		switch text[i : i+2] {
		case "/*":
			depth++
			i += 2
		case "*/":
			if depth--; depth == 0 {
				return i + 2
			}
			i += 2
		default:
			i++
		}
	}
	return len(text)
}

func quotedPiece(text string, from int) (pieceKind, int) {
	for i := from + 1; i < len(text); i++ {
		if text[i] != text[from] {
			continue
		}
		if i+1 < len(text) && text[i+1] == text[from] {
			i++
			continue
		}
		if text[from] == '"' {
			return pieceName, i + 1
		}
		return pieceString, i + 1
	}
	return pieceOpen, len(text)
}
