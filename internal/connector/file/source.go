package file

import (
	"sync"

	"ubik/internal/codec"
	"ubik/internal/connector"
	"ubik/internal/connector/lines"
	"ubik/internal/host"
)

// source reads the files of one path or pattern.
type source struct {
	disk        host.Disk
	clock       host.Clock
	path        string // or the pattern, or the directory
	checkpoint  string
	wait        bool // a last line waits for its newline
	follow      bool // files have no end
	maxRecord   int
	framing     codec.Framing
	headerCheck func(record []byte) error
	pool        *lines.Pool

	mu     sync.Mutex
	parts  []*part           // as Open gave them
	byPath []*part           // the same, ordered
	looked map[string]looked // by path
	handles
}

func newSource(url string, o *connector.Options) (connector.Source, error) {
	path, err := parse(url)
	if err != nil {
		return nil, err
	}
	if err := checkPattern(path); err != nil {
		return nil, err
	}
	clock := o.Clock
	if clock == nil {
		clock = host.Wall
	}
	return &source{
		disk: o.Disk, clock: clock, path: path, checkpoint: o.Checkpoint, wait: o.KeepOpen || o.Follow, follow: o.Follow,
		maxRecord: o.MaxRecord, framing: o.Framing, headerCheck: o.HeaderCheck,
		pool: lines.NewPool(), looked: map[string]looked{}, handles: handles{turns: make(chan struct{}, openMax)},
	}, nil
}

// Close closes the files. Chunks that are not released yet stay valid.
func (s *source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	var first error
	for _, p := range s.open {
		if err := p.file.Close(); err != nil && first == nil {
			first = openError(err, p.path)
		}
		p.file = nil
	}
	s.open = nil
	return first
}
