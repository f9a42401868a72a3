package op

import (
	"strconv"
	"strings"

	"ubik/internal/expr"
	"ubik/internal/vec"
)

// JoinKind is what a BandJoin gives.
type JoinKind uint8

const (
	Inner JoinKind = iota
	Left           // and left rows without a partner
	Right
	Full
	Semi // left rows with a partner, once
	Anti // left rows without one
)

var joinKindNames = [...]string{"INNER", "LEFT", "RIGHT", "FULL", "SEMI", "ANTI"}

func (k JoinKind) String() string { return joinKindNames[k] }

// keeps reports whether rows of a side leave also without a partner.
func (k JoinKind) keeps(side int) bool {
	if side == 0 {
		return k == Left || k == Full || k == Anti
	}
	return k == Right || k == Full
}

// BandJoin joins two inputs whose keys are equal and whose times lie within a band:
//
//	l.ts + Lo ≤ r.ts ≤ l.ts + Hi
//
// Of each input batch the first Keys columns are the key, those behind are what the query needs of the row. Residual,
// Where and Select read a batch with the columns behind the key of the left input, then those of the right; the columns of an
// absent side are NULL.
type BandJoin struct {
	Kind     JoinKind
	Keys     int
	KeyTypes []vec.Type    // of the key's columns; nil: a loaded state's keys are not checked
	Columns  [2][]vec.Type // of the columns behind the key, left and right
	Placed   [2]bool       // batches of a side have places, since some of its rows come from another operator
	Records  [2]int        // how many records a row of a side is made of at most, absent ones included; 0 stands for 1
	Lo, Hi   vec.Time      // µs, both inclusive, Lo ≤ Hi
	Residual expr.Expr     // BOOLEAN over a pair, part of what makes it one; nil: none
	Where    expr.Expr     // BOOLEAN over a joined row, which leaves if it is TRUE; nil: all leave
	Select   []expr.Expr   // output columns
	OutKey   []expr.Expr   // with --key: the columns of the output key; nil: the rows' positions
}

var joinSides = [2]string{"LEFT", "RIGHT"}

// PlacedSides tells of the text that Describe gives which sides are placed; false when it is not that of a band join.
func PlacedSides(text string) (sides [2]bool, isJoin bool) {
	rest, isJoin := strings.CutPrefix(text, "BAND JOIN ")
	for side, word := range joinSides {
		sides[side] = strings.Contains(rest, " PLACED "+word+" ")
	}
	return sides, isJoin
}

// Describe is the canonical text.
func (n *BandJoin) Describe() string {
	var b strings.Builder
	b.WriteString("BAND JOIN " + n.Kind.String() + " KEYS " + strconv.Itoa(n.Keys) +
		" FROM " + strconv.FormatInt(int64(n.Lo), 10) + " TO " + strconv.FormatInt(int64(n.Hi), 10))
	for side, word := range joinSides {
		if n.Placed[side] {
			b.WriteString(" PLACED " + word + " " + strconv.Itoa(n.Records[side]))
		}
	}
	list := func(word string, size int, item func(i int) string) {
		for i := 0; i < size; i++ {
			b.WriteString(word + item(i))
			word = ", "
		}
	}
	for side, word := range joinSides {
		list(" "+word+" ", len(n.Columns[side]), func(i int) string { return n.Columns[side][i].String() })
	}
	if n.Residual != nil {
		b.WriteString(" RESIDUAL " + n.Residual.String())
	}
	if n.Where != nil {
		b.WriteString(" WHERE " + n.Where.String())
	}
	list(" SELECT ", len(n.Select), func(i int) string { return n.Select[i].String() })
	list(" KEY ", len(n.OutKey), func(i int) string { return n.OutKey[i].String() })
	return b.String()
}

// StoresRows is true: a join keeps rows of both sides.
func (n *BandJoin) StoresRows() bool { return true }

// WantsPlaces is true for the sides that are placed.
func (n *BandJoin) WantsPlaces(input int) bool { return n.Placed[input] }

// New returns a running shard of the join.
func (n *BandJoin) New(s Shard) Operator {
	j := &bandJoin{node: n, shard: s, w: vec.NegInf}
	j.pending.store, j.keys.store = &j.store, &j.store
	for side, types := range n.Columns {
		j.layout[side] = newRowLayout(types)
		j.rings[side].store = &j.store
		j.keeps[side] = n.Kind.keeps(side)
		j.tracks[side] = j.keeps[side]
		j.check[side] = vec.NewBatch(types...)
	}
	j.keyCheck = vec.NewBatch(n.KeyTypes...).Cols
	j.tracks[0] = j.tracks[0] || n.Kind == Semi
	j.pairs = vec.NewBatch(append(append([]vec.Type{}, n.Columns[0]...), n.Columns[1]...)...)
	if n.Residual != nil {
		j.residual = expr.Compile(n.Residual)
	}
	if n.Where != nil {
		j.where = expr.Compile(n.Where)
	}
	j.out.Cols, j.selects = compileAll(n.Select)
	if n.OutKey != nil {
		j.out.Key, j.outKeys = compileAll(n.OutKey)
	}
	return j
}

// bandJoin is one shard of a running BandJoin. Its state is w and the rows that can still be part of an output row.
//
// A row waits in pending until the cursor passes its time; then nothing as early will come, and rows settle in the
// order of their times. The settled rows of a side form a ring: they are added behind and dropped in front, and those of
// one key are linked in the same order. A row that settles meets the partners that are no later than it, so each pair is
// found once, at the time at which it leaves.
type bandJoin struct {
	node   *BandJoin
	shard  Shard
	layout [2]rowLayout
	keeps  [2]bool // rows leave also without a partner
	tracks [2]bool // whether a row has matched is noted

	w       vec.Time // the cursor last advanced to
	target  vec.Time // the one being advanced to, when active
	active  bool
	stored  [2]int // rows, by side
	store   pageStore
	keys    joinKeys
	pending pendingRows
	rings   [2]ring
	check   [2]*vec.Batch // where loaded rows are decoded to be checked

	keyCheck []*vec.Vector // and keys

	joinApplying
	joinSlice
	moment
	joinEmission
	joinSaving
}

// Stat reports the stored rows, of both sides and of each, and the memory held.
func (j *bandJoin) Stat() Stat {
	return Stat{Groups: j.stored[0] + j.stored[1], Sides: j.stored, Bytes: j.store.bytes + j.keys.bytes() + j.sorter.bytes()}
}

// from and to bound the times of a left row's partners.
func (j *bandJoin) from(l vec.Time) vec.Time { return shift(l, j.node.Lo) }
func (j *bandJoin) to(l vec.Time) vec.Time   { return shift(l, j.node.Hi) }

// due is the last time at which a row of a side can be part of an output row.
func (j *bandJoin) due(side int, t vec.Time) vec.Time {
	if side == 0 {
		return max(t, shift(t, j.node.Hi))
	}
	return max(t, unshift(t, j.node.Lo))
}

// The finite times furthest out. A sum beyond them stays there: still later, or earlier, than every row.
const (
	timeFirst = vec.NegInf + 1
	timeLast  = vec.PosInf - 1
)

// shift is t + d for a finite t and any d.
func shift(t, d vec.Time) vec.Time {
	s := t + d
	if d >= 0 && s < t {
		return timeLast
	}
	if d < 0 && s > t {
		return timeFirst
	}
	return min(max(s, timeFirst), timeLast)
}

// unshift is t − d for a finite t and any d.
func unshift(t, d vec.Time) vec.Time {
	s := t - d
	if d < 0 && s < t {
		return timeLast
	}
	if d >= 0 && s > t {
		return timeFirst
	}
	return min(max(s, timeFirst), timeLast)
}
