package runner

import (
	"strconv"

	"github.com/zeebo/xxh3"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/op"
	"ubik/internal/vec"
)

// begin starts with what decoding has found.
func (s *prepared) begin(bad []codec.Malformed) {
	s.class = resize(s.class, s.all.N)
	clear(s.class)
	s.cause = append(s.cause[:0], bad...)
	for _, m := range bad {
		s.class[m.Row] = classMalformed
	}
}

func (s *prepared) prepare(c *connector.Chunk, t *tap) {
	n := s.all.N
	sel := s.sel[0][:0]
	for i, cl := range s.class {
		if cl == classUsed {
			sel = append(sel, int32(i))
		}
	}
	s.sel[0] = sel

	s.batch.N = n
	s.batch.Pos = c.Pos
	s.batch.Part = t.index
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
		s.encode(c, sel, t)
		return
	}
	s.batch.Keys.Build(s.batch.Cols[:s.in.Keys], n, sel)
	s.batch.Hash = resize(s.batch.Hash, n)
	for _, i := range sel {
		s.batch.Hash[i] = xxh3.Hash(s.batch.Keys.Key(int(i)))
	}
	if s.placed {
		b := &s.batch
		b.Place, b.PlaceEnds = b.Place[:0], b.PlaceEnds[:0]
		for _, pos := range c.Pos {
			b.Place = op.AppendPlace(b.Place, op.Origin{Part: int32(t.index), Pos: pos})
			b.PlaceEnds = append(b.PlaceEnds, uint32(len(b.Place)))
		}
	}
}

// fail marks the rows that an expression failed on and returns sel without them.
func (s *prepared) fail(sel []int32, cl class, field string) []int32 {
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

func (s *prepared) keepUsed(sel []int32) []int32 {
	out := sel[:0]
	for _, i := range sel {
		if s.class[i] == classUsed {
			out = append(out, i)
		}
	}
	return out
}

// NoTime is why a record without a time is malformed.
const NoTime = "the time column is absent or NULL"

func (s *prepared) evalTime(sel []int32) []int32 {
	s.batch.Time = resize(s.batch.Time, s.all.N)
	v := s.time.Eval(s.all, sel, &s.errs)
	name := s.in.TimeName
	sel = s.fail(sel, classMalformed, name)
	whole := true
	for _, i := range sel {
		t := vec.Time(v.I64[i])
		if v.IsNull(int(i)) {
			s.class[i] = classMalformed
			s.cause = append(s.cause, codec.Malformed{Row: i, Field: name, Reason: NoTime})
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

func (s *prepared) filter(sel []int32) []int32 {
	out := s.where.Filter(s.all, sel, s.sel[1][:0], &s.errs)
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

func (s *prepared) window(sel []int32, n int) []int32 {
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

func (s *prepared) evalExprs(sel []int32) []int32 {
	for k, p := range s.exprs {
		s.batch.Cols[k] = p.Eval(s.all, sel, &s.errs)
		sel = s.fail(sel, classBadExpr, "")
	}
	return sel
}

// encode writes the rows of a record-by-record query.
func (s *prepared) encode(c *connector.Chunk, sel []int32, t *tap) {
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
			r.Keys = append(r.Keys, t.keyText...)
			r.Keys = append(strconv.AppendInt(r.Keys, c.Pos[i], 10), '}')
			r.KeyEnds = append(r.KeyEnds, uint32(len(r.Keys)))
		}
		ms := int64(0)
		if c.LogTime != nil && c.LogTime[i] != connector.NoTime {
			ms = vec.FloorDiv(c.LogTime[i], 1000)
		}
		r.Times = append(r.Times, ms)
	}
}
