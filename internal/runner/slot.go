package runner

import (
	"unicode/utf8"

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
	src     *plan.Reading
	decoder codec.Decoder
	decoded vec.Batch // columns of the decoder
	all     vec.Batch // and the pseudo columns behind them
	bad     []codec.Malformed
	refs    []*prepared // for each reference to the source, in the order of partition.taps
	left    int         // steps and writes that still read the slot
}

// prepared is what one reference to the source makes of a chunk.
type prepared struct {
	in    *plan.Input
	all   *vec.Batch // of the slot
	time  *expr.Program
	where *expr.Program
	exprs []*expr.Program

	errs   expr.Errors
	cause  []codec.Malformed // one for each row of a malformed class, by ascending row within each kind
	class  []class
	sel    [3][]int32
	first  []vec.Time // end of the first window that holds the row
	last   []vec.Time // end of the last one
	batch  op.Batch
	placed bool      // the rows' places are wanted
	shards [][]int32 // rows for each shard, made by the sequencer
	final  []int32   // record by record: the rows that were encoded

	// Record by record: the rows are encoded while preparing.
	value, key codec.Encoder
	rows       connector.Rows
}

// newSlot makes a slot for chunks of a source.
func newSlot(c *Config, source int) *slot {
	src := &c.Plan.Sources[source]
	s := &slot{src: src, decoder: c.NewDecoder(source, src.Columns)}
	for _, col := range src.Columns {
		s.decoded.Cols = append(s.decoded.Cols, vec.NewVector(col.Type))
	}
	s.all.Cols = append(s.all.Cols, s.decoded.Cols...)
	for _, p := range src.Pseudo {
		s.all.Cols = append(s.all.Cols, vec.NewVector(plan.PseudoType(p)))
	}
	for i := range c.Plan.Inputs {
		if in := &c.Plan.Inputs[i]; in.Source == source {
			s.refs = append(s.refs, newPrepared(c, in, &s.all))
		}
	}
	return s
}

func newPrepared(c *Config, in *plan.Input, all *vec.Batch) *prepared {
	s := &prepared{in: in, all: all, shards: make([][]int32, c.Shards)}
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
	if in.Stage >= 0 {
		s.placed = c.Plan.Stages[in.Stage].Node.WantsPlaces(in.Port)
		return s
	}
	s.value = c.NewEncoder(c.Plan.Output)
	if in.KeyCols != nil {
		s.key = c.newKeyEncoder(c.Plan.Branches[in.Branch].Key)
	}
	return s
}

// prepare takes a chunk as far as it goes without knowing what came before it.
func (s *slot) prepare(c *connector.Chunk, part *partition) {
	s.bad = s.decoder.Decode(&c.Records, &s.decoded, s.bad[:0])
	s.all.N = len(c.Spans)
	for _, r := range s.refs {
		r.begin(s.bad)
	}
	s.fillPseudo(c, part)
	for i, r := range s.refs {
		r.prepare(c, part.taps[i])
	}
}

// fillPseudo makes the columns that come with the record.
func (s *slot) fillPseudo(c *connector.Chunk, part *partition) {
	n := s.all.N
	for k, p := range s.src.Pseudo {
		v := s.all.Cols[len(s.src.Columns)+k]
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
				if reason != "" {
					s.malformed(codec.Malformed{Row: int32(i), Field: "_key", Reason: reason})
				}
			}
		}
	}
}

// malformed notes a record that is no row for any reference.
func (s *slot) malformed(m codec.Malformed) {
	for _, r := range s.refs {
		if r.class[m.Row] == classUsed {
			r.class[m.Row] = classMalformed
			r.cause = append(r.cause, m)
		}
	}
}

func resize[T any](s []T, n int) []T {
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n, n+n/4)
}
