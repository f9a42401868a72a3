package engine

import (
	"fmt"
	"log/slog"
	"time"

	"ubik/internal/runner"
	"ubik/internal/vec"
)

// logStatus writes the line that a run shows of itself every few seconds.
func (s *shell) logStatus(now time.Time) {
	st := s.r.Status()
	rate := float64(st.Read-s.lastRead) / now.Sub(s.lastStatus).Seconds()
	s.lastStatus, s.lastRead = now, st.Read
	var late, malformed uint64
	lag := int64(0)
	for i := range st.Partitions {
		p := &st.Partitions[i]
		for k := range p.References {
			l := &p.References[k].Ledger
			late += l.Late + l.LateByFloor
			malformed += l.Malformed
		}
		lag += max(p.Lag(), 0)
	}
	attrs := []slog.Attr{
		slog.Int64("records/s", int64(rate)), slog.Uint64("records", st.Read), slog.Int64("lag", lag),
	}
	if st.Timed {
		attrs = append(attrs, slog.String("watermark", TimeText(st.Watermark)))
	}
	if st.Holder >= 0 && len(st.Partitions) > 1 {
		attrs = append(attrs, slog.String("held by", runner.PartName(st.Partitions[st.Holder].PartitionID)))
	}
	attrs = append(attrs, slog.Int("open windows", st.OpenWindows), slog.Int("stored", st.Groups))
	for _, j := range st.Joins {
		number := ""
		if j.Operator > 0 {
			number = fmt.Sprint(" ", j.Operator)
		}
		attrs = append(attrs, slog.Int("left"+number, j.Left), slog.Int("right"+number, j.Right))
	}
	attrs = append(attrs, slog.String("state", SizeText(int64(st.StateBytes))), slog.Uint64("rows", st.Emitted),
		slog.Uint64("late", late), slog.Uint64("malformed", malformed))
	if s.job.Store != nil {
		attrs = append(attrs, slog.String("checkpoint age", s.checkpointAge(&st, now).Round(100*time.Millisecond).String()),
			slog.String("checkpoint size", SizeText(s.savedSize.Load())))
	}
	s.job.Log.LogAttrs(s.ctx, slog.LevelInfo, "running", attrs...)
}

// tellGrown warns, once of each, of logs that have more records than a run without an end will ever take from them: those
// that it reads to where they ended when the job began, beside others that it follows.
func (s *shell) tellGrown() {
	if s.job.Runner.Mode != runner.Unbounded {
		return
	}
	st := s.r.Status()
	for i := range st.Partitions {
		if p := &st.Partitions[i]; p.Until >= 0 && p.End > p.Until && !s.grown[i] {
			s.grown[i] = true
			s.job.Log.Warn(fmt.Sprintf("%s has grown, to %d: it is read to position %d, where it ended when the job began; to take up what was added start over with a new checkpoint and an empty sink",
				runner.PartName(p.PartitionID), p.End, p.Until))
		}
	}
}

// checkpointAge is for how long something may have been in no checkpoint: since the last one was durable, or 0 when that
// holds all there is.
func (s *shell) checkpointAge(st *runner.Status, now time.Time) time.Duration {
	if !st.Unsaved {
		s.savedAt = now
	}
	return max(now.Sub(s.savedAt), 0)
}

// TimeText is how messages write a watermark.
func TimeText(t vec.Time) string {
	switch t {
	case vec.NegInf:
		return "none yet"
	case vec.PosInf:
		return "end"
	}
	return time.UnixMicro(int64(t)).UTC().Format("2006-01-02T15:04:05.999999Z")
}

// SizeText is how messages write a number of bytes.
func SizeText(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d B", n)
}
