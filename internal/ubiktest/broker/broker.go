package broker

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// Environment names the variable whose value, host:port, is a broker to use instead of starting one.
const Environment = "UBIK_TEST_KAFKA"

// Broker is a Kafka broker for tests. Its methods may be called from several tests at once, but for Kill and Restart.
type Broker struct {
	// Addr is host:port, to be given to clients.
	Addr string

	own *server // nil for a broker that was running already
}

// Start gives a broker that answers. It is ended, and its data removed, when the test is over. When it cannot be had the test fails and says why.
func Start(tb testing.TB) *Broker {
	tb.Helper()
	b, err := start()
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(b.close)
	return b
}

func start() (*Broker, error) {
	if addr := os.Getenv(Environment); addr != "" {
		ctx, cancel := context.WithTimeout(context.Background(), answerWait)
		defer cancel()
		if err := awaitBroker(ctx, addr); err != nil {
			return nil, fmt.Errorf("%s names the broker %s, which does not answer: %w", Environment, addr, err)
		}
		return &Broker{Addr: addr}, nil
	}
	s, err := newServer()
	if err != nil {
		return nil, err
	}
	return &Broker{Addr: s.addr, own: s}, nil
}

// StartOwn gives a broker as Start does, and starts one also where the environment names another: for tests that Kill or Restart it.
func StartOwn(tb testing.TB) *Broker {
	tb.Helper()
	s, err := newServer()
	if err != nil {
		tb.Fatal(err)
	}
	b := &Broker{Addr: s.addr, own: s}
	tb.Cleanup(b.close)
	return b
}

func (b *Broker) close() {
	if b.own != nil {
		b.own.end()
	}
}

// Kill ends the broker with SIGKILL, as a crash would. Restart brings it back with what its disk held.
func (b *Broker) Kill(tb testing.TB) {
	tb.Helper()
	b.mustOwn(tb)
	b.own.kill()
}

// Restart starts the broker again, on the same address and data, and waits until it answers. One that is running is first stopped in good order.
func (b *Broker) Restart(tb testing.TB) {
	tb.Helper()
	b.mustOwn(tb)
	b.own.stop()
	if err := b.own.start(); err != nil {
		tb.Fatal(err)
	}
}

// CutLog takes the end of a partition's log away: what is left is its first bytes. The broker must be down; the next start keeps the whole batches.
func (b *Broker) CutLog(tb testing.TB, topic string, partition int32, bytes int64) {
	tb.Helper()
	b.mustOwn(tb)
	path := filepath.Join(b.own.home.path("data"), fmt.Sprintf("%s-%d", topic, partition), fmt.Sprintf("%020d.log", 0))
	if err := os.Truncate(path, bytes); err != nil {
		tb.Fatal(err)
	}
}

func (b *Broker) mustOwn(tb testing.TB) {
	tb.Helper()
	if b.own == nil {
		tb.Fatalf("this test ends its broker, and %s=%s is not its own: it must get it from StartOwn", Environment, b.Addr)
	}
}

// shared is the broker of this test binary: started by the first test that asks, ended by Main. A failure to start is kept too: it is not tried again.
var shared struct {
	sync.Mutex
	main   bool
	broker *Broker
	err    error
}

// Shared gives the one broker of this test binary, for tests that neither kill nor restart it and that name their topics with NewTopic.
// The package's TestMain must be Main, or end in Run.
func Shared(tb testing.TB) *Broker {
	tb.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.main {
		tb.Fatal("broker.Shared needs this in the package's tests: func TestMain(m *testing.M) { broker.Main(m) }")
	}
	if shared.broker == nil && shared.err == nil {
		shared.broker, shared.err = start()
	}
	if shared.err != nil {
		tb.Fatal(shared.err)
	}
	return shared.broker
}

// Main runs the tests of a binary, ends the shared broker if one was started, and exits with the tests' code.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main for a TestMain that has more to tidy up: it gives the code instead of exiting with it.
func Run(m *testing.M) int {
	shared.Lock()
	shared.main = true
	shared.Unlock()
	code := m.Run()
	shared.Lock()
	defer shared.Unlock()
	if shared.broker != nil {
		shared.broker.close()
	}
	return code
}
