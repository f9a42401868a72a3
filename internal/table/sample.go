package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/fault"
)

// AbsentRecords is how many of the first records of a source are looked at for its declared columns: one that none of them
// has is likely misspelt.
const AbsentRecords = 10_000

const (
	sampleRecords = 1000 // of each partition
	sampleText    = 1 << 20
	pollEvery     = 200 * time.Millisecond
)

// limits bound a sample.
type limits struct {
	each, all int // records of a partition, of all partitions; 0: no bound
}

// place is where a record of a file lies in it, in bytes: without the line end, with a byte order mark. Of one that is
// larger than what is permitted the end is not known.
type place struct {
	from, to int64
	large    bool
}

// placeOf is the place of a chunk's record.
func placeOf(c *connector.Chunk, record int) place {
	span := c.Spans[record]
	from := c.Pos[record]
	to := from
	if span.Len < codec.HugeLen {
		to += int64(span.Len)
	}
	if from == 0 && bytes.HasSuffix(c.Data[:span.Off], []byte(mark)) {
		to += int64(len(mark))
	}
	return place{from, to, span.Len == codec.HugeLen}
}

const mark = "\uFEFF" // a byte order mark, which is before the text of the first record

// sample gives each the first records of every partition, in order, with the index of the partition and their place in it,
// and returns how many there were. A record without a value, or too large, is given as nil. A source that goes on is waited for until it has
// one, as long as the Resolver waits.
func (r *Resolver) sample(ctx context.Context, t *Table, max limits, each func(part int, at place, record []byte)) (int, error) {
	for {
		n, err := r.sampleOnce(ctx, t, max, each)
		if n > 0 || err != nil || !t.Kind.Replayable || !r.waitsFor(t) {
			return n, err
		}
		if err := r.pause(ctx); err != nil { // there are positions, but none with a record that can be read
			return 0, err
		}
	}
}

func (r *Resolver) sampleOnce(ctx context.Context, t *Table, max limits, each func(part int, at place, record []byte)) (int, error) {
	src, err := t.Kind.NewSource(t.URL, r.optionsOf(t))
	if err != nil {
		return 0, err
	}
	defer src.Close()
	parts, err := r.listed(ctx, t, src)
	if err != nil {
		return 0, err
	}
	var at []connector.Start
	for _, p := range parts {
		until := p.End
		if until == connector.EndUnknown {
			until = -1
		}
		at = append(at, connector.Start{Partition: p, From: connector.Position{Offset: p.Earliest, Epoch: -1}, Until: until})
	}
	if err := src.Open(ctx, at); err != nil {
		return 0, err
	}
	if !t.Kind.Replayable { // there is no end to read to: what has not come in time is no part of the sample
		timed, cancel := r.whileWaiting(ctx)
		defer cancel()
		ctx = timed
	}
	total := 0
	for i, p := range parts {
		most := bound(max, total)
		n, err := r.sampleOf(ctx, t, src, i, p, most, each)
		total += n
		switch {
		case err == nil:
		case context.Cause(ctx) == errWaited:
			return total, nil
		case fault.ClassOf(err) == fault.Data && total > 0:
			// The run delivers what is before the damage, and tells of it there.
		default:
			return total, err
		}
	}
	return total, nil
}

// bound is how many records a partition may give behind total others.
func bound(max limits, total int) int {
	switch left := max.all - total; {
	case max.all == 0:
		return max.each
	case max.each == 0:
		return left
	default:
		return min(max.each, left)
	}
}

// sampleOf reads the first records of one partition.
func (r *Resolver) sampleOf(ctx context.Context, t *Table, src connector.Source, i int, p connector.Partition, most int, each func(part int, at place, record []byte)) (int, error) {
	n, next, ended := 0, p.Earliest, false
	for n < most && !ended && next < p.End {
		if !t.Kind.Replayable {
			r.waits(t.Name)
		}
		c, err := src.Read(ctx, i)
		if err != nil {
			return n, err
		}
		for k, span := range c.Spans {
			if n == most {
				break
			}
			var record []byte
			if span.Len < codec.HugeLen {
				record = c.Data[span.Off : span.Off+span.Len]
			}
			each(i, placeOf(c, k), record)
			n++
		}
		next, ended = c.Next.Offset, c.End
		c.Release()
	}
	return n, nil
}

// optionsOf are the options by which the table's source is made, for a sample.
func (r *Resolver) optionsOf(t *Table) *connector.Options {
	opts := r.Options
	opts.Client, opts.Framing, opts.HeaderCheck, opts.Follow = t.Client, t.Framing(), t.HeaderCheck(), t.Follow
	if opts.Stdin != nil && !t.Kind.Replayable {
		in, ok := opts.Stdin.(*tap)
		if !ok {
			in = newTap(opts.Stdin)
			r.Options.Stdin = in
		}
		opts.Stdin = in.sample()
	}
	return &opts
}

// listed lists the partitions, and waits until one of them holds something.
func (r *Resolver) listed(ctx context.Context, t *Table, src connector.Source) ([]connector.Partition, error) {
	for {
		parts, err := src.Partitions(ctx)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			if p.End > p.Earliest {
				return parts, nil
			}
		}
		if !r.waitsFor(t) {
			return parts, nil
		}
		if err := r.pause(ctx); err != nil {
			return nil, err
		}
	}
}

// waitsFor tells whether a source that has no records yet is waited for any longer, and has that told.
func (r *Resolver) waitsFor(t *Table) bool {
	if !goesOn(t) || r.left() <= 0 {
		return false
	}
	r.waits(t.Name)
	return true
}

// goesOn tells whether the run reads the source beyond its present end.
func goesOn(t *Table) bool { return t.Kind.Unbounded || t.Follow }

// left is how much longer the source may be empty.
func (r *Resolver) left() time.Duration { return r.Wait - r.Clock.Now().Sub(r.began) }

// pause lets some time pass.
func (r *Resolver) pause(ctx context.Context) error {
	timer := r.Clock.NewTimer(min(pollEvery, r.left()))
	defer timer.Stop()
	select {
	case <-timer.C():
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// errWaited is why a context of whileWaiting ends.
var errWaited = errors.New("waited")

// whileWaiting returns a context that ends when the Resolver waits no longer.
func (r *Resolver) whileWaiting(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := r.Clock.NewTimer(r.left())
	go func() {
		defer fault.Guard()
		defer timer.Stop()
		select {
		case <-timer.C():
			cancel(errWaited)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// waits tells that a source is waited for.
func (r *Resolver) waits(name string) {
	if r.Waiting == nil || r.told[name] {
		return
	}
	if r.told == nil {
		r.told = map[string]bool{}
	}
	r.told[name] = true
	r.Waiting(name)
}

// tooLarge is the error of a source of whose first records so many are larger than what is permitted that too few are left.
func (r *Resolver) tooLarge(t *Table, large, all int) error {
	text := fmt.Sprintf("the first %d records of %s are", all, t.Name)
	switch {
	case large < all && large == 1:
		text = fmt.Sprintf("1 of the first %d records of %s is", all, t.Name)
	case large < all:
		text = fmt.Sprintf("%d of the first %d records of %s are", large, all, t.Name)
	case all == 1:
		text = "the first record of " + t.Name + " is"
	}
	return fault.New(fault.Data, text+" larger than --max-record permits, so its columns cannot be found", fmt.Sprintf("raise --max-record, which is %d", r.Options.MaxRecord))
}

// none is the error of a source without a record.
func (r *Resolver) none(t *Table, try string) error {
	text := t.Name + " holds no records"
	if goesOn(t) && r.left() <= 0 {
		text = fmt.Sprintf("%s has had no records for %v (--infer-wait)", t.Name, r.Wait)
	}
	return fault.New(fault.Usage, text+", so its columns cannot be found", try)
}
