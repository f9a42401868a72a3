package runner

import (
	"strconv"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/expr"
	"ubik/internal/op"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// class is what preparing found of a record, before its partition's watermark is known.
type class uint8

const (
	classUsed       class = iota // used, unless it turns out late
	classBadExpr                 // an expression behind the window failed: malformed, unless it turns out late
	classUnwindowed              // in no window
	classFiltered                // WHERE is not true
	classBadWhere                // WHERE failed: malformed, but it counts for the watermark
	classMalformed               // not a row: does not count for the watermark
)

// slot is everything one chunk in flight needs: decoder, compiled expressions, columns. A slot belongs to one chunk
// from the moment it is prepared until every shard has applied it; so nothing is copied and no lock is needed.
type slot struct {
	in      *plan.Input
	decoder codec.Decoder
	decoded vec.Batch // columns of the decoder
	all     vec.Batch // and the pseudo columns behind them
	time    *expr.Program
	where   *expr.Program
	exprs   []*expr.Program

	bad    []codec.Malformed
	errs   expr.Errors
	cause  []codec.Malformed // one for each row of a malformed class, by ascending row within each kind
	class  []class
	sel    [3][]int32
	first  []vec.Time // end of the first window that holds the row
	last   []vec.Time // end of the last one
	batch  op.Batch
	shards [][]int32 // rows for each shard, made by the sequencer
	left   int       // shards that have not applied yet
	final  []int32   // record by record: the rows that were encoded

	// Record by record: the rows are encoded while preparing.
	value, key codec.Encoder
	rows       connector.Rows
	keyText    string // what a position key begins with
}

func newSlot(c *Config, in *plan.Input) *slot {
	s := &slot{in: in, decoder: c.NewDecoder(in.Columns), shards: make([][]int32, c.Shards)}
	for _, col := range in.Columns {
		s.decoded.Cols = append(s.decoded.Cols, vec.NewVector(col.Type))
	}
	s.all.Cols = append(s.all.Cols, s.decoded.Cols...)
	for _, p := range in.Pseudo {
		s.all.Cols = append(s.all.Cols, vec.NewVector(plan.PseudoType(p)))
	}
	for i := range s.sel {
		s.sel[i] = make([]int32, 0, 1024) // never nil, which would mean all rows
	}
	if in.Time != nil {
		s.time = expr.Compile(in.Time)
	}
	if in.Where != nil {
		s.where = expr.Compile(in.Where)
	}
	for _, e := range in.Exprs {
		s.exprs = append(s.exprs, expr.Compile(e))
	}
	s.batch.Cols = make([]*vec.Vector, len(in.Exprs))
	if c.Plan.Root == nil {
		s.value = c.NewEncoder(c.Plan.Output)
		if in.KeyCols != nil {
			s.key = c.NewEncoder(c.Plan.Key)
		}
	}
	return s
}

// prepare takes a chunk as far as it goes without knowing what came before it.
func (s *slot) prepare(c *connector.Chunk, part *partition) {
	s.bad = s.decoder.Decode(&c.Records, &s.decoded, s.bad[:0])
	n := len(c.Spans)
	s.all.N = n
	s.class = resize(s.class, n)
	clear(s.class)
	s.cause = append(s.cause[:0], s.bad...)
	for _, m := range s.bad {
		s.class[m.Row] = classMalformed
	}
	s.fillPseudo(c, part)

	sel := s.sel[0][:0]
	for i, cl := range s.class {
		if cl == classUsed {
			sel = append(sel, int32(i))
		}
	}
	s.sel[0] = sel

	s.batch.N = n
	s.batch.Pos = c.Pos
	s.batch.Part = part.index
	if s.time != nil {
		sel = s.evalTime(sel)
	}
	if s.where != nil {
		sel = s.filter(sel)
	}
	if s.in.Window != nil {
		sel = s.window(sel, n)
	}
	sel = s.evalExprs(sel)
	if s.value != nil {
		s.encode(c, sel)
		return
	}
	s.batch.Keys.Build(s.batch.Cols[:s.in.Keys], n, sel)
	s.batch.Hash = resize(s.batch.Hash, n)
	for _, i := range sel {
		s.batch.Hash[i] = xxh3.Hash(s.batch.Keys.Key(int(i)))
	}
}

// fail marks the rows that an expression failed on and returns sel without them.
func (s *slot) fail(sel []int32, cl class, field string) []int32 {
	if len(s.errs.Faults) == 0 {
		return sel
	}
	for _, e := range s.errs.Faults {
		if s.class[e.Row] == classUsed {
			s.class[e.Row] = cl
			s.cause = append(s.cause, codec.Malformed{Row: e.Row, Field: field, Reason: e.Msg})
		}
	}
	s.errs.Faults = s.errs.Faults[:0]
	return s.keepUsed(sel)
}

func (s *slot) keepUsed(sel []int32) []int32 {
	out := sel[:0]
	for _, i := range sel {
		if s.class[i] == classUsed {
			out = append(out, i)
		}
	}
	return out
}

func (s *slot) evalTime(sel []int32) []int32 {
	s.batch.Time = resize(s.batch.Time, s.all.N)
	v := s.time.Eval(&s.all, sel, &s.errs)
	name := s.in.TimeName
	sel = s.fail(sel, classMalformed, name)
	whole := true
	for _, i := range sel {
		t := vec.Time(v.I64[i])
		if v.IsNull(int(i)) {
			s.class[i] = classMalformed
			s.cause = append(s.cause, codec.Malformed{Row: i, Field: name, Reason: "the time column is absent or NULL"})
			whole = false
			continue
		}
		if !t.InRange() {
			s.class[i] = classMalformed
			s.cause = append(s.cause, codec.Malformed{Row: i, Field: name, Reason: "the time lies outside the years 0001 to 9999"})
			whole = false
			continue
		}
		s.batch.Time[i] = t
	}
	if !whole {
		sel = s.keepUsed(sel)
	}
	return sel
}

func (s *slot) filter(sel []int32) []int32 {
	out := s.where.Filter(&s.all, sel, s.sel[1][:0], &s.errs)
	s.sel[1] = out
	for _, i := range sel {
		s.class[i] = classFiltered
	}
	for _, i := range out {
		s.class[i] = classUsed
	}
	if len(s.errs.Faults) == 0 {
		return out
	}
	for _, e := range s.errs.Faults {
		if s.class[e.Row] != classBadWhere { // also where an OR went on and came out TRUE
			s.class[e.Row] = classBadWhere
			s.cause = append(s.cause, codec.Malformed{Row: e.Row, Reason: e.Msg})
		}
	}
	s.errs.Faults = s.errs.Faults[:0]
	return s.keepUsed(out)
}

func (s *slot) window(sel []int32, n int) []int32 {
	s.first = resize(s.first, n)
	s.last = resize(s.last, n)
	in := s.in.Window.Ends(s.batch.Time, sel, s.first, s.last, s.sel[2][:0])
	s.sel[2] = in
	if len(in) < len(sel) {
		for _, i := range sel {
			s.class[i] = classUnwindowed
		}
		for _, i := range in {
			s.class[i] = classUsed
		}
	}
	return in
}

func (s *slot) evalExprs(sel []int32) []int32 {
	for k, p := range s.exprs {
		s.batch.Cols[k] = p.Eval(&s.all, sel, &s.errs)
		sel = s.fail(sel, classBadExpr, "")
	}
	return sel
}

// encode writes the rows of a record-by-record query.
func (s *slot) encode(c *connector.Chunk, sel []int32) {
	s.final = sel
	r := &s.rows
	out := vec.Batch{N: s.all.N, Cols: s.batch.Cols}
	r.Values, r.ValueEnds = s.value.AppendRows(r.Values[:0], r.ValueEnds[:0], &out, sel)
	r.Keys, r.KeyEnds, r.Times = r.Keys[:0], r.KeyEnds[:0], r.Times[:0]
	if s.key != nil {
		key := vec.Batch{N: s.all.N}
		for _, k := range s.in.KeyCols {
			key.Cols = append(key.Cols, s.batch.Cols[k])
		}
		r.Keys, r.KeyEnds = s.key.AppendRows(r.Keys, r.KeyEnds, &key, sel)
	}
	for _, i := range sel {
		if s.key == nil {
			r.Keys = append(r.Keys, s.keyText...)
			r.Keys = append(strconv.AppendInt(r.Keys, c.Pos[i], 10), '}')
			r.KeyEnds = append(r.KeyEnds, uint32(len(r.Keys)))
		}
		t := int64(0)
		if c.LogTime != nil && c.LogTime[i] != connector.NoTime {
			t = floorDiv(c.LogTime[i], 1000)
		}
		r.Times = append(r.Times, t)
	}
}

// fillPseudo makes the columns that come with the record.
func (s *slot) fillPseudo(c *connector.Chunk, part *partition) {
	n := s.all.N
	s.keyText = part.keyText
	for k, p := range s.in.Pseudo {
		v := s.all.Cols[len(s.in.Columns)+k]
		v.Resize(n)
		switch p {
		case plan.PseudoTopic:
			v.Arena = append(v.Arena[:0], part.Topic...)
			for i := range v.Spans {
				v.Spans[i] = vec.Span{Len: uint32(len(part.Topic))}
			}
		case plan.PseudoPartition:
			if part.Index == connector.NoIndex {
				v.SetAllNull()
				continue
			}
			for i := range v.I64 {
				v.I64[i] = int64(part.Index)
			}
		case plan.PseudoOffset:
			copy(v.I64, c.Pos)
		case plan.PseudoTimestamp:
			if c.LogTime == nil {
				v.SetAllNull()
			} else {
				copy(v.I64, c.LogTime)
				for i, t := range c.LogTime {
					if t == connector.NoTime {
						v.SetNull(i)
					}
				}
			}
		case plan.PseudoKey:
			v.Arena = c.Data
			for i := range v.Spans {
				if c.Keys == nil || c.Keys[i].Len == codec.NullLen {
					v.SetNull(i)
					continue
				}
				reason := ""
				if c.Keys[i].Len == codec.HugeLen {
					v.SetNull(i)
					reason = "the record's key is larger than --max-record permits"
				} else if v.Spans[i] = c.Keys[i]; !utf8.Valid(v.Bytes(i)) {
					reason = "the record's key is not UTF-8 text"
				}
				if reason != "" && s.class[i] == classUsed {
					s.class[i] = classMalformed
					s.cause = append(s.cause, codec.Malformed{Row: int32(i), Field: "_key", Reason: reason})
				}
			}
		}
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
