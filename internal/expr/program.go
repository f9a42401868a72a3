package expr

import "ubik/internal/vec"

// Fault is a value error of one row.
type Fault struct {
	Row int32
	Msg string // one line, such as `overflow: 2147483647 + 1 is not an INTEGER`
}

// Errors collects the faults of a batch in the order they were met. A row may have several; the first is the one to
// report.
type Errors struct {
	Faults []Fault
}

// Add notes a fault.
func (e *Errors) Add(row int32, msg string) { e.Faults = append(e.Faults, Fault{row, msg}) }

// Reset empties the list and keeps its memory.
func (e *Errors) Reset() { e.Faults = e.Faults[:0] }

// Program is a compiled expression. It owns scratch memory and is used by one worker at a time; it keeps nothing
// from one batch to the next but that memory.
type Program struct {
	root node
	typ  vec.Type
	run  run
}

// run is what the nodes of a program share while they work on a batch.
type run struct {
	b    *vec.Batch
	n    int // rows of the batch
	errs *Errors
	all  []int32 // 0, 1, 2 …, at least n long
}

// node is a compiled expression. eval returns a vector of run.n rows that is right for the rows of sel (nil: all);
// other rows are unspecified and have not been looked at. The vector is the node's own, until its next eval.
type node interface {
	eval(r *run, sel []int32) *vec.Vector
}

// filterNode is a BOOLEAN node that can tell the rows where it is TRUE without making a vector.
type filterNode interface {
	node
	// filter appends to dst the rows of sel (nil: all) where the node is TRUE, in order. dst may be sel[:0].
	filter(r *run, sel, dst []int32) []int32
}

// Compile makes a program. e is shared, never changed.
func Compile(e Expr) *Program { return &Program{root: e.compile(), typ: e.Type()} }

func (p *Program) start(b *vec.Batch, errs *Errors) *run {
	r := &p.run
	r.b, r.n, r.errs = b, b.N, errs
	for i := len(r.all); i < r.n; i++ {
		r.all = append(r.all, int32(i))
	}
	return r
}

// rows returns sel, or the list of all rows for nil.
func (r *run) rows(sel []int32) []int32 {
	if sel == nil {
		return r.all[:r.n]
	}
	return sel
}

func (r *run) fault(row int32, msg string) { r.errs.Add(row, msg) }

// Eval computes the expression for the rows of sel, ascending row numbers of b, or for all rows when sel is nil.
// Faults are appended to errs, and the result is NULL there. The vector has b.N rows; those outside sel are
// unspecified. It is lent: valid until the next Eval or Filter, or as long as the batch when the expression is a
// column.
func (p *Program) Eval(b *vec.Batch, sel []int32, errs *Errors) *vec.Vector {
	return p.root.eval(p.start(b, errs), sel)
}

// Filter appends to dst the rows of sel (nil: all) where the expression, a BOOLEAN, is TRUE; not those where it is
// FALSE or NULL. dst may be sel[:0], which filters in place. The result is never nil: an empty selection is not all rows.
func (p *Program) Filter(b *vec.Batch, sel, dst []int32, errs *Errors) []int32 {
	return filter(p.start(b, errs), p.root, sel, dst)
}

// filter never returns nil, which would mean all rows where no row is meant.
func filter(r *run, n node, sel, dst []int32) []int32 {
	if dst == nil {
		dst = make([]int32, 0, max(r.n, 1))
	}
	if f, ok := n.(filterNode); ok {
		return f.filter(r, sel, dst)
	}
	v := n.eval(r, sel)
	return trueRows(v, r.rows(sel), dst)
}

// trueRows appends the rows where v is TRUE.
func trueRows(v *vec.Vector, rows, dst []int32) []int32 {
	if v.Type.Phys() != vec.PhysBool {
		return dst // the type of a bare NULL
	}
	if v.HasNulls() {
		for _, i := range rows {
			if !v.IsNull(int(i)) && v.Bools[i] {
				dst = append(dst, i)
			}
		}
		return dst
	}
	for _, i := range rows {
		if v.Bools[i] {
			dst = append(dst, i)
		}
	}
	return dst
}

// columnNode gives the batch's own vector.
type columnNode int

func (c columnNode) eval(r *run, _ []int32) *vec.Vector { return r.b.Cols[c] }

func (c columnNode) filter(r *run, sel, dst []int32) []int32 {
	return trueRows(r.b.Cols[c], r.rows(sel), dst)
}

// literalNode is one value, copied to every row when first needed.
type literalNode struct {
	one *vec.Vector // its row 0
	v   *vec.Vector // the first filled rows hold it
	n   int
}

func (l *literalNode) eval(r *run, _ []int32) *vec.Vector {
	if l.v.Len() == r.n {
		return l.v
	}
	l.v.Resize(r.n)
	if l.one.IsNull(0) {
		l.v.SetAllNull()
		return l.v
	}
	if l.n < r.n {
		// Resize may have moved to fresh memory, so all of it is filled.
		l.v.Arena = l.one.Arena
		for i := 0; i < r.n; i++ {
			copyRow(l.v, i, l.one, 0)
		}
		l.n = r.n
	}
	return l.v
}

// copyRow copies the value of row j of u, not NULL, to row i of v. A text's span is copied: the two share an arena.
func copyRow(v *vec.Vector, i int, u *vec.Vector, j int) {
	switch v.Type.Phys() {
	case vec.PhysBool:
		v.Bools[i] = u.Bools[j]
	case vec.PhysI64:
		v.I64[i] = u.I64[j]
	case vec.PhysI128:
		v.I128[i] = u.I128[j]
	case vec.PhysF64:
		v.F64[i] = u.F64[j]
	case vec.PhysBytes:
		v.Spans[i] = u.Spans[j]
	case vec.PhysIval:
		v.Ivals[i] = u.Ivals[j]
	}
}
