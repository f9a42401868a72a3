package op

import (
	"strconv"
	"strings"

	"ubik/internal/agg"
	"ubik/internal/expr"
	"ubik/internal/vec"
)

// WindowAggregate is the plan node of GROUP BY with aggregates, with a window or without.
//
// Its input's batches hold the group keys in the first columns, then what Arg and Filter name. What it emits is
// computed from an emission batch, a row for each group of a closed window:
//
//	0  window start   TIMESTAMP, NULL without Window
//	1  window end     TIMESTAMP, NULL without Window
//	2… the group keys, then the results of Aggs
//
// Without Window all rows belong to one that closes at +∞; with no group keys either, it has a row even when there
// was no input.
type WindowAggregate struct {
	Window *Window // nil: none
	Keys   []vec.Field
	Aggs   []AggCall
	Having expr.Expr   // BOOLEAN over the emission batch; nil: all groups
	Select []expr.Expr // over the emission batch: the output columns
	OutKey []expr.Expr // over the emission batch: the output key
}

// AggCall is one aggregate of a query.
type AggCall struct {
	Fn     *agg.Function
	Arg    int    // input column; -1: no argument
	Filter int    // BOOLEAN input column, only whose TRUE rows count; -1: none
	Name   string // as messages name it, such as sum(amount)
}

// The first columns of an emission batch.
const (
	ColWindowStart = iota
	ColWindowEnd
	ColKeys // the first group key
)

// Emission returns the columns of the emission batch.
func (n *WindowAggregate) Emission() []vec.Field {
	ts := vec.TypeOf(vec.Timestamp)
	cols := []vec.Field{{Name: "window_start", Type: ts}, {Name: "window_end", Type: ts}}
	cols = append(cols, n.Keys...)
	for _, a := range n.Aggs {
		cols = append(cols, vec.Field{Name: a.Name, Type: a.Fn.Result})
	}
	return cols
}

// Describe is the canonical text. Expressions print columns by name, so names of the emission batch must differ.
func (n *WindowAggregate) Describe() string {
	var b strings.Builder
	b.WriteString("AGGREGATE")
	if n.Window != nil {
		b.WriteString(" WINDOW " + n.Window.String())
	}
	list := func(word string, size int, item func(i int)) {
		for i := 0; i < size; i++ {
			b.WriteString(word)
			word = ", "
			item(i)
		}
	}
	exprs := func(word string, es []expr.Expr) {
		list(word, len(es), func(i int) { b.WriteString(es[i].String()) })
	}
	list(" BY ", len(n.Keys), func(i int) {
		b.WriteString(vec.QuoteName(n.Keys[i].Name) + " " + n.Keys[i].Type.String())
	})
	list(" CALLS ", len(n.Aggs), func(i int) {
		a := n.Aggs[i]
		b.WriteString(a.Name + " = " + a.Fn.String())
		if a.Arg >= 0 {
			b.WriteString(" OF #" + strconv.Itoa(a.Arg))
		}
		if a.Filter >= 0 {
			b.WriteString(" FILTER #" + strconv.Itoa(a.Filter))
		}
	})
	if n.Having != nil {
		b.WriteString(" HAVING " + n.Having.String())
	}
	exprs(" SELECT ", n.Select)
	exprs(" KEY ", n.OutKey)
	return b.String()
}

// StoresRows is false: what is kept are the results of groups.
func (n *WindowAggregate) StoresRows() bool { return false }

// WantsPlaces is false: a group does not depend on where its rows come from.
func (n *WindowAggregate) WantsPlaces(int) bool { return false }

// New returns a running shard of the aggregate.
func (n *WindowAggregate) New(s Shard) Operator {
	a := &aggregate{
		node: n, shard: s, w: vec.NegInf, next: firstOfAll, due: vec.PosInf,
		index:    map[paneID]*pane{},
		emission: emission{batch: &vec.Batch{}},
	}
	if n.Window != nil {
		a.grid = n.Window.grid()
	}
	for _, c := range n.Emission() {
		a.batch.Cols = append(a.batch.Cols, vec.NewVector(c.Type))
	}
	if n.Having != nil {
		a.having = expr.Compile(n.Having)
	}
	a.out.PlaceAt = -1
	a.out.Cols, a.selects = compileAll(n.Select)
	a.out.Key, a.outKeys = compileAll(n.OutKey)
	return a
}

func compileAll(es []expr.Expr) (*vec.Batch, []*expr.Program) {
	b := &vec.Batch{Cols: make([]*vec.Vector, len(es))}
	ps := make([]*expr.Program, len(es))
	for i, e := range es {
		ps[i] = expr.Compile(e)
	}
	return b, ps
}

// aggregate is one shard of a running WindowAggregate. Its state is the panes and w.
type aggregate struct {
	node  *WindowAggregate
	shard Shard
	grid  grid // unset without Window

	w    vec.Time // the watermark last advanced to
	next int64    // the first window that has not been emitted: grid.after(w)
	due  vec.Time // no window that has rows ends earlier

	panes  []*pane // by (id.pane, id.admit) when sorted
	sorted bool
	index  map[paneID]*pane
	free   []*pane // empty, kept for their memory
	groups int     // in all panes
	bytes  int

	apply applying
	emission
	saving

	windows      int   // open windows as last counted,
	windowsPanes int   // over so many panes,
	windowsNext  int64 // from this one on
}

// paneID names the state of the rows of a pane that were admitted from one window on.
//
// A row belongs to the windows of its pane that end after its own watermark; it is late for the others, even for one
// that is still open here. admit is the earliest it belongs to. Rows that are not partly late have grid.first(pane).
// Without Window both are 0.
type paneID struct{ pane, admit int64 }

func (a paneID) less(b paneID) bool {
	return a.pane < b.pane || a.pane == b.pane && a.admit < b.admit
}

// pane is the groups of a paneID's rows and their running results, a column for each aggregate. All have the length
// of the table.
type pane struct {
	id    paneID
	table table
	accs  []agg.Accumulator

	order   []uint32 // the first so many groups, by hash
	runs    []keyRun // of order
	touched int      // while a batch is applied: its place in applying.panes, or -1
	groups  int      // as counted in aggregate.groups and bytes
	bytes   int
}

func (a *aggregate) newPane(id paneID) *pane {
	var p *pane
	if n := len(a.free); n > 0 {
		p, a.free = a.free[n-1], a.free[:n-1]
	} else {
		p = &pane{}
		for i := range a.node.Aggs {
			p.accs = append(p.accs, a.node.Aggs[i].Fn.New())
		}
	}
	p.id, p.touched = id, -1
	return p
}

// freePanes is how many empty panes are kept.
const freePanes = 4

// recycle takes a pane out of the count and keeps its memory for another.
func (a *aggregate) recycle(p *pane) {
	a.groups -= p.groups
	a.bytes -= p.bytes
	p.groups, p.bytes = 0, 0
	if len(a.free) == freePanes {
		return
	}
	p.reset()
	a.free = append(a.free, p)
}

func (p *pane) reset() {
	p.table.reset()
	for _, acc := range p.accs {
		acc.Reset()
	}
	p.order, p.runs = p.order[:0], p.runs[:0]
}

// grow makes the accumulators as long as the table.
func (p *pane) grow() {
	n := p.table.len()
	for _, acc := range p.accs {
		acc.Grow(n)
	}
}

// size is the memory of the pane in bytes.
func (p *pane) size() int {
	n := p.table.bytes() + cap(p.order)*4 + cap(p.runs)*8
	for _, acc := range p.accs {
		n += acc.Bytes()
	}
	return n
}

// recount brings the aggregate's numbers up to date with p.
func (a *aggregate) recount(p *pane) {
	size := p.size()
	a.groups += p.table.len() - p.groups
	a.bytes += size - p.bytes
	p.groups, p.bytes = p.table.len(), size
}

// paneOf returns the pane, making it when it is not there.
func (a *aggregate) paneOf(id paneID) *pane {
	if p := a.index[id]; p != nil {
		return p
	}
	p := a.newPane(id)
	a.index[id] = p
	a.sorted = len(a.panes) == 0 || a.sorted && a.panes[len(a.panes)-1].id.less(id)
	a.panes = append(a.panes, p)
	if a.node.Window != nil {
		a.due = min(a.due, a.grid.end(max(id.admit, a.next)))
	}
	return p
}

// Stat reports the size of the state. Windows that hop are counted anew when some closed, or when the panes have
// become a sixteenth more.
func (a *aggregate) Stat() Stat {
	s := Stat{OpenWindows: len(a.panes), Groups: a.groups, Bytes: a.bytes}
	if a.node.Window == nil || a.grid.slide == a.grid.size {
		return s
	}
	if a.windowsNext != a.next || (len(a.panes)-a.windowsPanes)*16 > a.windowsPanes {
		a.countWindows()
	}
	s.OpenWindows = a.windows
	return s
}

func (a *aggregate) countWindows() {
	a.sortPanes()
	a.windows, a.windowsPanes, a.windowsNext = 0, len(a.panes), a.next
	// From the back, so that each pane ends no later than those counted: what they cover of it is [low, its last].
	low := int64(noWindow)
	for i := len(a.panes) - 1; i >= 0; i-- {
		id := a.panes[i].id
		first := max(id.admit, a.next)
		if last := min(a.grid.last(id.pane), low-1); last >= first {
			a.windows += int(last - first + 1)
		}
		low = min(low, first)
	}
}
