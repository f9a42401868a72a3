package agg

import (
	"errors"
	"fmt"
	"strings"

	"ubik/internal/vec"
)

// Entry is an aggregate function of the catalogue.
type Entry struct {
	Name     string
	Doc      string // a sentence or two for the reference
	Star     bool   // it takes no argument
	Examples []Example

	// resolve gives the result type for an argument type and how to make a column; an error is a sentence for the user.
	resolve func(arg vec.Type) (vec.Type, func() Accumulator, error)
}

// Example is a call of a function with its result; a test, and a line of the reference.
type Example struct {
	Arg    vec.Type // unset for a function without argument
	Values []string // as SQL text; NULL is NULL. Without argument: one for each row
	Result string   // as SQL text
}

// Functions is the catalogue, by name.
var Functions = []*Entry{avgEntry, countEntry, countStarEntry, maxEntry, minEntry, sumEntry}

// Function is an aggregate function resolved for its argument type.
type Function struct {
	Entry  *Entry
	Arg    vec.Type // the zero Type when it takes no argument
	Result vec.Type
	make   func() Accumulator
}

// New returns an empty column.
func (f *Function) New() Accumulator { return f.make() }

// String is the canonical text, such as sum(DECIMAL(18,2)).
func (f *Function) String() string {
	if f.Entry.Star {
		return f.Entry.Name + "()"
	}
	return f.Entry.Name + "(" + f.Arg.String() + ")"
}

// Lookup returns the entry with the name, compared without case, or nil.
func Lookup(name string) *Entry {
	for _, e := range Functions {
		if strings.EqualFold(e.Name, name) {
			return e
		}
	}
	return nil
}

// Resolve returns the function of a name (compared without case) for the types of its arguments; count without an
// argument is count_star. Errors are sentences for the user.
func Resolve(name string, args []vec.Type) (*Function, error) {
	e := Lookup(name)
	if e == nil {
		return nil, fmt.Errorf("there is no aggregate function %s", name)
	}
	if e == countEntry && len(args) == 0 {
		e = countStarEntry
	}
	want := 1
	if e.Star {
		want = 0
	}
	if len(args) != want {
		plural := "s"
		if want == 1 {
			plural = ""
		}
		return nil, fmt.Errorf("%s takes %d argument%s, here it has %d", e.Name, want, plural, len(args))
	}
	f := &Function{Entry: e}
	if !e.Star {
		f.Arg = args[0]
	}
	var err error
	if f.Result, f.make, err = e.resolve(f.Arg); err != nil {
		return nil, err
	}
	return f, nil
}

// errUntyped is what functions that depend on the type say of a bare NULL.
func errUntyped(name string) error {
	return errors.New(name + "(NULL) has no type: cast the NULL, as in NULL::BIGINT")
}

func errNotNumeric(name string, arg vec.Type) error {
	if arg.Kind == vec.Bool {
		return errors.New(name + " needs a number, not BOOLEAN: count the rows with count(*) FILTER (WHERE …), or cast to INTEGER")
	}
	return errors.New(name + " needs a number, not " + arg.String() + ": cast it to DECIMAL or DOUBLE")
}
