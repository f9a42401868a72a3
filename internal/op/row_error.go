package op

import (
	"regexp"
	"strconv"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// RowError says which row cannot be emitted. Partitions have names only where the operator runs; Text is the message
// with them.
type RowError struct {
	Order   []byte   // the row's order bytes, the major ones included
	What    string   // the expression and what of the row is known
	Origins []Origin // the records of the row, in the order of its place; absent ones have Part −1
	Reason  string   // what comes behind that
}

// Error names the partitions by their indexes.
func (e *RowError) Error() string {
	return e.Text(func(part int32) string { return "partition " + strconv.Itoa(int(part)) })
}

// Text is the message with the partitions named by name.
func (e *RowError) Text(name func(part int32) string) string {
	s, word := e.What, " of "
	for _, o := range e.Origins {
		if o.Part >= 0 {
			s += word + name(o.Part) + ", position " + strconv.FormatInt(o.Pos, 10)
			word = " and "
		}
	}
	return s + e.Reason
}

// notOfType is the end of a reason that a text, or JSON, has no value of a type.
var notOfType = regexp.MustCompile(` is not (an? [A-Z][A-Z0-9 (),]*|JSON)$`)

// Try is what to change in the query, fit to the reason.
func (e *RowError) Try() string {
	switch r := strings.TrimPrefix(e.Reason, ": "); {
	case notOfType.MatchString(r):
		return "write TRY_CAST in place of the cast, which gives NULL there, or leave such rows out by a condition in front of it"
	case strings.HasPrefix(r, "strptime: "):
		return "write try_strptime, which gives NULL there, or leave such rows out by a condition in front of it"
	case strings.HasPrefix(r, "overflow: "), strings.Contains(r, " is out of range for "), strings.HasPrefix(r, " does not fit "):
		return "change the query so that the value fits, for example by a wider cast"
	}
	return "change the query so that it is not computed for such a row: CASE WHEN … THEN … END computes the branch that it takes alone"
}

// stumble is the first row of an emission batch, in lane order, that cannot be emitted, if there is one. Which row that
// is must not depend on how rows come together in batches, nor on the order in which expressions are computed. So each
// is computed for the rows before the first at which one failed, and these leave.
type stumble struct {
	errs   expr.Errors
	row    int32 // -1: none
	of     string
	reason string
}

func (s *stumble) reset() {
	s.errs.Reset()
	s.row = -1
}

// at notes a row, before all that were noted, and returns those of sel (nil: all) in front of it.
func (s *stumble) at(row int32, of, reason string, sel []int32) []int32 {
	s.row, s.of, s.reason = row, of, reason
	if sel == nil {
		sel = []int32{}
		for i := range row {
			sel = append(sel, i)
		}
		return sel
	}
	n := len(sel)
	for n > 0 && sel[n-1] >= row {
		n--
	}
	return sel[:n]
}

// after looks at how the computation of e for the rows of sel went, and returns those before the first at which it failed.
func (s *stumble) after(e expr.Expr, sel []int32) []int32 {
	if len(s.errs.Faults) == 0 {
		return sel
	}
	first := s.errs.Faults[0]
	for _, f := range s.errs.Faults {
		if f.Row < first.Row {
			first = f
		}
	}
	s.errs.Reset()
	return s.at(first.Row, e.String(), ": "+first.Msg, sel)
}

// eval computes the expressions for the rows of sel (nil: all) of b into the columns of to, and returns the rows before the
// first at which one failed. They are right in every column.
func (s *stumble) eval(to *vec.Batch, ps []*expr.Program, es []expr.Expr, b *vec.Batch, sel []int32) []int32 {
	to.N = b.N
	for i, p := range ps {
		to.Cols[i] = p.Eval(b, sel, &s.errs)
		sel = s.after(es[i], sel)
	}
	return sel
}
