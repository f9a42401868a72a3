package file

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// A followed file is looked at again after pollFirst, then each time after twice as long, up to pollMost.
const (
	pollFirst = 20 * time.Millisecond
	pollMost  = 500 * time.Millisecond
)

// errNoMore is how a followed file's reader learns that there is nothing more for now. It gives its memory back then.
var errNoMore = errors.New("no more for now")

// follow reads what there is, or waits for what is appended. It stops when the name leads to another file, or the file
// has lost what was read: when the log was rotated.
func (p *part) follow(ctx context.Context) (*connector.Chunk, error) {
	p.inspected.Lock()
	defer p.inspected.Unlock()
	if err := p.source.use(ctx, p); err != nil {
		return nil, err
	}
	defer p.source.rest(p)
	for {
		c, err := p.reader.Read(ctx, p)
		if err == errNoMore {
			if err = p.await(ctx); err == nil {
				continue
			}
		}
		if err != nil || c.End {
			p.drop() // still locked: another goroutine may inspect the file by its handle
		}
		return c, err
	}
}

// await returns when there are other bytes behind the position than were seen.
func (p *part) await(ctx context.Context) error {
	wait := pollFirst
	timer := p.source.clock.NewTimer(wait)
	defer timer.Stop()
	for {
		if err := p.pause(ctx, timer.C()); err != nil {
			return err
		}
		if err := p.source.use(ctx, p); err != nil {
			return err
		}
		if info, err := p.source.disk.Stat(p.path); err != nil || info.ID != p.id || info.Size != p.seen {
			size, err := p.inspect(ctx)
			if err != nil {
				return err
			}
			if size > p.reader.Seen() {
				return nil // there is more, or other bytes in a last line that is not whole
			}
			p.seen = size
		}
		wait = min(2*wait, pollMost)
		timer.Reset(wait)
	}
}

// pause waits for the alarm. Meanwhile the file may be closed, or inspected by another goroutine.
func (p *part) pause(ctx context.Context, alarm <-chan time.Time) error {
	p.source.rest(p)
	p.inspected.Unlock()
	defer p.inspected.Lock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-alarm:
		return nil
	}
}

// inspectAgain inspects a followed file at any time.
func (p *part) inspectAgain(ctx context.Context) error {
	p.inspected.Lock()
	defer p.inspected.Unlock()
	if err := p.source.use(ctx, p); err != nil {
		return err
	}
	defer p.source.rest(p)
	_, err := p.inspect(ctx)
	return err
}

// inspect returns the size of a followed file. It fails when the file was rotated.
func (p *part) inspect(ctx context.Context) (int64, error) {
	seen := p.reader.Seen()
	info, err := p.source.disk.Stat(p.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, p.removed()
	case err != nil:
		return 0, openError(err, p.path)
	}
	if info.ID != p.id {
		p.drop() // to open the one that has the name now
	} else if info.Size < seen {
		return 0, p.cut(fmt.Sprintf("it was cut to %d bytes", info.Size))
	}
	if p.file == nil {
		if err := p.openFile(ctx); err != nil {
			return 0, err
		}
	}
	last := p.reader.Tail()
	now := make([]byte, len(last))
	if len(last) == 0 {
		return info.Size, nil
	}
	if n, err := p.file.ReadAt(now, seen-int64(len(last))); n < len(now) && err != io.EOF {
		return 0, readError(err, p.path)
	}
	if string(now) != string(last) {
		return 0, p.cut("it was written anew from its beginning")
	}
	return info.Size, nil
}

func (p *part) removed() error { return p.renamed("it was renamed or removed") }

// renamed tells that the log went on in another file.
func (p *part) renamed(how string) error {
	return p.rotated(how, "put the rotated file back under this name", "new file")
}

// cut tells that the file lost what was read of it.
func (p *part) cut(how string) error {
	return p.rotated(how, "put the copy that was made before in its place", "new content")
}

func (p *part) rotated(how, back, now string) error {
	return &fault.Error{
		Class: fault.LogChanged, Err: connector.ErrRotated,
		Msg: fmt.Sprintf("%s was rotated: %s when it had been read to position %d", p.path, how, p.reader.Seen()),
		Try: "what the checkpoint holds is valid: to read the rest " + back + " and run once with --keep-open in place of --follow; for the " + now + " " + startOver,
	}
}
