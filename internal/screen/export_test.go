package screen

import "io"

// OnTerminals makes a screen of two terminals, standard error so many columns wide.
func OnTerminals(out, err io.Writer, columns int, colours bool) *Screen {
	return &Screen{
		outFile: out, errFile: err, outTerminal: true, errTerminal: true, outColours: colours, errColours: colours, moves: true,
		columns: func() int { return columns },
	}
}
