package runner

// Status describes the run at this moment.
func (r *Runner) Status() Status {
	s := Status{Emitted: r.emitted, Watermark: r.w, Holder: -1}
	if r.unit != nil {
		s.Unit = r.unit.Number
	}
	for _, p := range r.parts {
		s.Read += p.ledger.Read
		s.Partitions = append(s.Partitions, PartStatus{
			PartitionID: p.PartitionID, Next: p.next.Offset, End: p.end, Watermark: p.wm, Finished: p.finished, Ledger: p.ledger,
		})
		if s.Holder < 0 && p.wm == r.w && !p.finished {
			s.Holder = p.index
		}
	}
	for _, sh := range r.shards {
		s.OpenWindows = max(s.OpenWindows, sh.last.OpenWindows)
		s.Groups += sh.last.Groups
		s.StateBytes += sh.last.Bytes
	}
	return s
}
