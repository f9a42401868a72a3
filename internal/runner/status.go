package runner

import "ubik/internal/vec"

// Status describes the run at this moment.
func (r *Runner) Status() Status {
	s := Status{Emitted: r.emitted, Timed: r.timed, Unsaved: r.moved || r.dirty || r.saving != nil, Watermark: r.w, Holder: -1}
	if r.unit != nil {
		s.Unit = r.unit.Number
	}
	for _, p := range r.parts {
		ps := PartStatus{PartitionID: p.PartitionID, From: p.from.Offset, Next: p.next.Offset, End: p.end, Until: p.until, Finished: p.finished, Watermark: vec.PosInf}
		s.Read += p.taps[0].ledger.Read
		for _, t := range p.taps {
			ps.Watermark = min(ps.Watermark, t.wm)
			ps.References = append(ps.References, RefStatus{p.aliasOf(t), t.ledger})
		}
		s.Partitions = append(s.Partitions, ps)
		if r.timed && s.Holder < 0 && ps.Watermark == r.w && !p.finished {
			s.Holder = p.index
		}
	}
	for i, st := range r.stages {
		windows := 0
		var sides [2]int
		for _, sh := range st.shards {
			sides[0] += sh.last.Sides[0]
			sides[1] += sh.last.Sides[1]
			windows = max(windows, sh.last.OpenWindows)
			s.Groups += sh.last.Groups
			s.StateBytes += sh.last.Bytes
		}
		s.OpenWindows += windows
		if st.Node.StoresRows() {
			j := JoinStatus{Left: sides[0], Right: sides[1]}
			if len(r.stages) > 1 {
				j.Operator = i + 1
			}
			s.Joins = append(s.Joins, j)
		}
	}
	return s
}
