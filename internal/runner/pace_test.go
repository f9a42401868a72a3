package runner

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	jsonrec "ubik/internal/codec/json"
	"ubik/internal/connector"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// steady is a log of a few partitions into each of which records come at one rate, in the order of their times: 1,000 a second
// of each source.
type steady struct {
	parts   []connector.Partition
	of      []int // by partition: how many its source has
	records int   // of each source
	chunk   int
	next    []int
}

// read makes the next chunk of a partition: every so many of the source's records, which have keys and times that ascend.
func (s *steady) read(p int) *connector.Chunk {
	var values []string
	number := func(i int) int { return i*s.of[p] + int(s.parts[p].Index) }
	for i := s.next[p]; number(i) < s.records && len(values) < s.chunk; i++ {
		values = append(values, fmt.Sprintf(`{"k":%d,"n":%d,"ts":%d}`, number(i), i, int64(1767225600e6)+int64(number(i))*1000))
	}
	c := chunk(int64(s.next[p]), values...)
	s.next[p] += len(values)
	c.End = number(s.next[p]) >= s.records
	return c
}

// joinOf is a runner of a join of two topics with some partitions each.
func joinOf(t *testing.T, kind string, delay, band vec.Time, shards int, s *steady, counts [2]int) *Runner {
	t.Helper()
	fields, err := plan.Schema("k BIGINT, n INTEGER, ts BIGINT")
	if err != nil {
		t.Fatal(err)
	}
	req := plan.Request{Query: "SELECT a.n, b.n AS m FROM (SELECT k, n, make_timestamp(ts) AS ts FROM a) a " + kind + " JOIN (SELECT k, n, make_timestamp(ts) AS ts FROM b) b ON a.k = b.k AND b.ts BETWEEN a.ts AND a.ts + INTERVAL '" +
		strconv.Itoa(int(band/1e6)) + "' SECOND"}
	for i, name := range []string{"a", "b"} {
		req.Sources = append(req.Sources, plan.Source{Name: name, Log: "test " + name, Schema: fields, Format: "json", Bounded: true, Delay: delay})
		for p := range counts[i] {
			s.parts = append(s.parts, connector.Partition{PartitionID: connector.PartitionID{Topic: name, Index: int32(p)}, LogID: "id", End: int64((s.records - p + counts[i] - 1) / counts[i]), Source: i})
			s.of, s.next = append(s.of, counts[i]), append(s.next, 0)
		}
	}
	p, err := plan.Build(req)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(Config{Plan: p, NewDecoder: Decoders(jsonrec.Format), NewEncoder: jsonrec.Format.NewEncoder, Mode: Bounded, Shards: shards, Target: "test"}, s.parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What a join stores of records that come at a steady rate is what the band and the delay span, and a chunk of each
// partition, in whatever order the chunks come and however fast the workers and the sink are:
//
//	left rows ≤ rate × (band + delay), right rows ≤ rate × delay, and a chunk of each partition
//	bytes ≤ 100 for each of them + 1 MiB for each worker: pages begun, the sorter
//
// The figures are the engine's own, as the status line has them, after every event.
func TestWhatAJoinStoresIsBoundedByBandDelayAndAChunk(t *testing.T) {
	const second, perSecond, size = vec.Time(1e6), 1000, 4096
	for _, c := range []struct {
		kind        string
		band, delay vec.Time // seconds
		counts      [2]int
		shards      int
		records     int // of each source: keys
	}{
		{"", 10, 20, [2]int{1, 1}, 1, 100_000},
		{"FULL", 10, 20, [2]int{1, 1}, 2, 100_000},
		{"LEFT", 100, 5, [2]int{1, 1}, 3, 250_000},
		{"", 30, 5, [2]int{3, 2}, 2, 120_000},
		{"RIGHT", 30, 5, [2]int{3, 2}, 1, 120_000},
		{"", 60, 5, [2]int{5, 3}, 1, 200_000},
	} {
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 9))
			parts := c.counts[0] + c.counts[1]
			s := &steady{records: c.records, chunk: size}
			r := joinOf(t, c.kind, c.delay*second, c.band*second, c.shards, s, c.counts)
			rowsMost := perSecond*int(c.band+2*c.delay) + parts*(size+1) // what is exactly as old as the cursor stays
			if c.shards > 1 {
				rowsMost += rowsMost / 100 // a worker that is behind may have more of its rows than of its share
			}
			bytesMost := 100*rowsMost + (1<<20)*(1+c.shards)
			most, mostBytes, rows := 0, 0, 0
			var open, ordered []Action
			for finished := false; !finished; {
				for _, a := range r.Actions() {
					switch a.(type) {
					case Write, Flush:
						ordered = append(ordered, a)
					case Finish:
						finished = true
					default:
						open = append(open, a)
					}
				}
				n := len(open)
				if len(ordered) > 0 {
					n++
				}
				if n == 0 {
					continue
				}
				switch k := rng.IntN(n); {
				case k == len(open):
					a := ordered[0]
					ordered = ordered[1:]
					if w, ok := a.(Write); ok {
						rows += w.Rows.Len()
						r.Handle(Written{Rows: w.Rows})
					} else {
						r.Handle(Flushed{})
					}
				default:
					a := open[k]
					open = append(open[:k], open[k+1:]...)
					switch a := a.(type) {
					case Read:
						r.Handle(Got{Part: a.Part, Chunk: s.read(a.Part)})
					case *Task:
						a.Run()
						r.Handle(Done{Task: a})
					}
				}
				st := r.Status()
				most, mostBytes = max(most, st.Groups), max(mostBytes, st.StateBytes)
				if st.Groups > rowsMost || st.StateBytes > bytesMost {
					t.Fatalf("%+v, seed %d: %d rows in %d bytes are stored behind %d records, more than %d in %d", c, seed, st.Groups, st.StateBytes, st.Read, rowsMost, bytesMost)
				}
			}
			if n := len(r.freeOut); n > c.shards*(roundsOfJoins+1) {
				t.Errorf("%+v: %d buffers of rows are kept for later", c, n)
			}
			least := perSecond * int(c.band+c.delay)
			if most < least || rows < c.records/2 {
				t.Errorf("%+v: no more than %d rows were stored, and %d left", c, most, rows)
			}
			t.Logf("%s JOIN, %d partitions, %d workers: %d of %d rows, %d of %d bytes", c.kind, parts, c.shards, most, rowsMost, mostBytes, bytesMost)
		}
	}
}
