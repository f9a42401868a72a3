package file

import (
	"context"
	"errors"

	"ubik/internal/connector/lines"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// checkHeader judges the header, if files have one, and reports whether it lies before the position from which on the
// run reads. A header that is not there yet, or not whole, is judged when reading comes to it.
func (p *part) checkHeader(ctx context.Context, f host.File) (passed bool, err error) {
	if !p.source.framing.Header {
		return true, nil
	}
	o := p.options()
	if p.from > 0 {
		o.Until, o.Wait = p.from, false // a position is never in the middle of the header
	}
	var in lines.Input = plainInput{p.path, f}
	if p.packing != plain {
		st := newStream(p.path, p.packing, p.packed)
		defer st.close()
		in = streamInput{st, f}
	}
	passed, err = lines.First(ctx, in, o)
	var wrong *lines.HeaderError
	switch {
	case errors.As(err, &wrong) && p.from > 0: // it was right when what follows was read
		return false, changed(p.path, p.from)
	case errors.As(err, &wrong):
		return false, p.headerFault(err)
	case ctx.Err() != nil:
		return false, ctx.Err()
	case p.from == 0:
		return false, nil // reading comes to it, and to what is wrong before
	case fault.ClassOf(err) == fault.Data:
		return false, changed(p.path, p.from)
	}
	return passed, err
}

// headerFault tells of a wrong header in whose file it is; other errors stay as they are.
func (p *part) headerFault(err error) error {
	var h *lines.HeaderError
	if !errors.As(err, &h) {
		return err
	}
	try := "the files of one source have one header: give a pattern that leaves this one out, or put it right"
	var told *fault.Error
	if errors.As(h.Err, &told) && told.Try != "" {
		try = told.Try
	}
	return fault.Wrap(fault.Data, h.Err, try, "the first record of %s is not the expected header", p.path)
}
