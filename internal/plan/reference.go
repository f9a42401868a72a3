package plan

import "ubik/internal/vec"

// WindowFunction is an entry of the reference: how a window is written, or why it is not offered yet.
type WindowFunction struct {
	Name    string // in lower case
	Form    string // an example, "" when it is only planned
	Planned string
}

// WindowFunctions returns the window functions, those that are only planned included.
func WindowFunctions() []WindowFunction {
	var out []WindowFunction
	for _, w := range windows {
		out = append(out, WindowFunction{w.name, w.form, w.planned})
	}
	return out
}

// PseudoColumns returns the columns that every source has beside those of its schema.
func PseudoColumns() []vec.Field {
	var out []vec.Field
	for i, name := range pseudoNames {
		out = append(out, vec.Field{Name: name, Type: PseudoType(Pseudo(i))})
	}
	return out
}
