package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// tuning holds what only tests change.
type tuning struct {
	patience    time.Duration // for a request before and between reading
	outage      time.Duration // for a partition that cannot be read, while running
	notice      time.Duration // after which waiting is told
	retryFirst  time.Duration // pause after the first failure; doubled up to retryMost
	retryMost   time.Duration
	stallEvery  time.Duration // between two reports of one open transaction
	absentTimes int           // metadata answers without the topic until it counts as deleted
	budget      int           // bytes that all queues hold together
	partBudget  int           // bytes that one queue holds at most
	dial        func(ctx context.Context, network, addr string) (net.Conn, error)
}

func defaultTuning() tuning {
	return tuning{patience: 30 * time.Second, outage: 2 * time.Minute, notice: 2 * time.Second,
		retryFirst: 100 * time.Millisecond, retryMost: 2 * time.Second, stallEvery: 10 * time.Second,
		absentTimes: 10, budget: 64 << 20, partBudget: 4 << 20}
}

// link is the client of one topic.
type link struct {
	target
	role  role
	props properties
	logf  func(format string, args ...any)
	tune  tuning

	begun     atomic.Bool // it is open: a login that is refused from now on was taken before
	permitted atomic.Bool // something was read or written: whoever may not any more could before
	met       atomic.Bool // a broker has answered what protocol it speaks

	waiting waiting

	mu     sync.Mutex
	cl     *kgo.Client // nil before the first use: until then nothing is touched
	failed time.Time   // when the first of the questions was asked that have all failed since; zero: the last one did not
}

func newLink(url string, o *connector.Options, r role) (*link, error) {
	t, err := parseURL(url, r)
	if err != nil {
		return nil, err
	}
	p, err := parseProperties(o.Client)
	if err != nil {
		return nil, err
	}
	l := &link{target: t, role: r, props: p, logf: o.Logf, tune: defaultTuning()}
	if l.logf == nil {
		l.logf = func(string, ...any) {}
	}
	return l, nil
}

// client returns the link's client for all but producing.
func (l *link) client() (*kgo.Client, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cl != nil {
		return l.cl, nil
	}
	cl, err := l.newClient()
	if err == nil {
		l.cl = cl
	}
	return cl, err
}

// newClient makes a client of the URL's brokers and the properties.
func (l *link) newClient(extra ...kgo.Opt) (*kgo.Client, error) {
	opts, err := l.props.options()
	if err != nil {
		return nil, err
	}
	opts = append(opts, kgo.SeedBrokers(l.brokers...), kgo.RequestRetries(2),
		kgo.MetadataMinAge(250*time.Millisecond), kgo.BrokerMaxReadBytes(1<<30), kgo.WithHooks(meeting{l}))
	if l.tune.dial != nil {
		opts = append(opts, kgo.Dialer(l.tune.dial))
	}
	cl, err := kgo.NewClient(append(opts, extra...)...)
	if err != nil {
		return nil, fault.Wrap(fault.Usage, err, "", "the client properties cannot be used")
	}
	return cl, nil
}

// close ends the client and its goroutines.
func (l *link) close() {
	l.mu.Lock()
	cl := l.cl
	l.mu.Unlock()
	if cl != nil {
		cl.Close()
	}
}

func (l *link) address() string { return strings.Join(l.brokers, ",") }

// meeting notes that a broker answers.
type meeting struct{ link *link }

// OnBrokerRead implements kgo.HookBrokerRead.
func (m meeting) OnBrokerRead(_ kgo.BrokerMetadata, key int16, _ int, _, _ time.Duration, err error) {
	if key == apiVersions && err == nil {
		m.link.met.Store(true)
	}
}

const apiVersions = 18 // the key of the request that any client begins with

// hangUps is how often a broker may answer what protocol it speaks and then close the connection, until that counts as
// its answer.
const hangUps = 5

// patient calls ask until it succeeds, fails for good, or patience ends; after a while it tells that it waits. An end
// of ctx is returned as it is.
func (l *link) patient(ctx context.Context, ask func(context.Context) error) error {
	inner, cancel := context.WithTimeout(ctx, l.tune.patience)
	defer cancel()
	began := time.Now()
	told := make(chan struct{})
	notice := time.AfterFunc(l.tune.notice, func() {
		defer fault.Guard()
		defer close(told)
		l.waits(asking, l.failedSince(began), "waiting for kafka at %s …", l.address())
	})
	defer notice.Stop()
	var last error
	closed := 0
	for pause := l.tune.retryFirst; ; pause = min(2*pause, l.tune.retryMost) {
		l.met.Store(false)
		err := ask(inner)
		if err == nil {
			if !notice.Stop() {
				<-told
			}
			l.answered()
			l.waitsNoMore(asking)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if f := l.permanent(err); f != nil {
			return f
		}
		if inner.Err() == nil || last == nil {
			last = err // once patience has ended, err says only that; the one before says why
		}
		if l.met.Load() && errors.Is(err, io.EOF) && !l.props.sasl && !l.begun.Load() {
			closed++
		}
		if closed >= hangUps {
			return &fault.Error{Class: fault.Retryable, Err: err, Try: hangUpTry,
				Msg: fmt.Sprintf("kafka at %s closes the connection at the first question, as a broker does that wants a login", l.address())}
		}
		select {
		case <-inner.Done():
			if err := ctx.Err(); err != nil {
				return err
			}
			return l.outageError(last, l.waited(began))
		case <-time.After(pause):
		}
	}
}

// answered ends an outage.
func (l *link) answered() {
	l.mu.Lock()
	l.failed = time.Time{}
	l.mu.Unlock()
}

// failedSince is when the first of the questions was asked that have all failed since, the last of which was begun then.
func (l *link) failedSince(began time.Time) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed.IsZero() {
		return began
	}
	return l.failed
}

// waited is for how long the broker has not answered when a question that was begun then has outlasted patience: as long
// as that, or longer where those before it failed, too.
func (l *link) waited(began time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed.IsZero() {
		l.failed = began
		return l.tune.patience
	}
	return time.Since(l.failed).Round(time.Second)
}

const hangUpTry = "check -X security.protocol and the login, and that the broker runs; then run the same command again"

func (l *link) outageError(err error, waited time.Duration) error {
	why := "no answer"
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		why = err.Error()
	}
	try := "check the address and that the broker runs; then run the same command again"
	if errors.Is(err, io.EOF) { // also what a broker does that expects another protocol, or no such user
		try = "the broker closes the connection: " + hangUpTry
	}
	return &fault.Error{Class: fault.Retryable, Err: err, Try: try,
		Msg: fmt.Sprintf("kafka at %s could not be used for %v: %s", l.address(), waited, why)}
}
