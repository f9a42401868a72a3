package broker

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	answerWait = 2 * time.Minute
	stopWait   = 15 * time.Second
	logTail    = 6000
)

// server is a broker of our own: its folder, its address, and the running process, if any.
type server struct {
	home    *home
	addr    string
	release func()   // gives its ports back
	java    []string // command and arguments up to the class to run
	process *process
}

// process is one started Java program. ended is closed when it is gone, and err then says how.
type process struct {
	os    *os.Process
	ended chan struct{}
	err   error
}

// newServer fetches the jars where needed, formats a data folder and runs a broker on it, up to the moment it answers.
func newServer() (*server, error) {
	java, err := tool("java", "openjdk-17-jre-headless")
	if err != nil {
		return nil, err
	}
	cache, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	unlock, err := lock(cache + "/lock")
	if err != nil {
		return nil, err
	}
	lib, err := jars(cache)
	var h *home
	if err == nil {
		h, err = newHome()
	}
	unlock()
	if err != nil {
		return nil, err
	}
	s := &server{home: h, release: func() {}, java: []string{
		java, "-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Djava.awt.headless=true",
		"-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-Dorg.slf4j.simpleLogger.showDateTime=true", "-cp", lib + "/*",
	}}
	if err := s.first(); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// first is the first start of a server: on ports of its choice, tried again with others where a process was quicker to take them.
func (s *server) first() error {
	for attempt := 1; ; attempt++ {
		s.release()
		client, controller, release, err := serverPorts()
		if err != nil {
			s.release = func() {}
			return err
		}
		s.release = release
		s.addr = fmt.Sprintf("127.0.0.1:%d", client)
		if err := os.WriteFile(s.home.path("server.properties"), []byte(properties(s.home.path("data"), client, controller)), 0o644); err != nil {
			return err
		}
		if attempt == 1 {
			if err := s.format(); err != nil {
				return err
			}
		}
		err = s.start()
		if err == nil || attempt == 3 || !strings.Contains(err.Error(), "BindException") {
			return err
		}
	}
}

func (s *server) format() error {
	args := append(s.java[1:len(s.java):len(s.java)], "kafka.tools.StorageTool", "format", "-t", clusterID, "-c", s.home.path("server.properties"))
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	if out, err := exec.CommandContext(ctx, s.java[0], args...).CombinedOutput(); err != nil {
		return fmt.Errorf("formatting the data folder of the test broker: %w\n%s", err, tail(out, logTail))
	}
	return nil
}

// start runs the broker on its data folder and waits until it answers.
func (s *server) start() error {
	log, err := os.OpenFile(s.home.path("broker.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	args := append(s.java[1:len(s.java):len(s.java)], "kafka.Kafka", s.home.path("server.properties"))
	cmd := exec.Command(s.java[0], args...)
	cmd.Stdout, cmd.Stderr = log, log
	if s.process, err = run(cmd); err != nil {
		return fmt.Errorf("starting the test broker: %w", err)
	}
	if err := s.answers(); err != nil {
		s.kill()
		text, _ := os.ReadFile(s.home.path("broker.log"))
		return fmt.Errorf("the test broker on %s does not answer: %w; the end of its log:\n%s", s.addr, err, bytes.TrimSpace(tail(text, logTail)))
	}
	return nil
}

// run starts a command that dies with this process. The kernel ties the child to the thread that started it, so that thread
// is kept for as long as the child lives: were it to end, the child would be killed while the tests still need it.
func run(cmd *exec.Cmd) (*process, error) {
	cmd.SysProcAttr = dieWithParent()
	p := &process{ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		if err == nil {
			p.os = cmd.Process
		}
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.ended)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// answers waits until the broker names itself in an answer, or its process ends, or the time is up.
func (s *server) answers() error {
	ctx, cancel := context.WithTimeout(context.Background(), answerWait)
	defer cancel()
	ready := make(chan error, 1)
	go func() { ready <- awaitBroker(ctx, s.addr) }()
	select {
	case err := <-ready:
		return err
	case <-s.process.ended:
		cancel()
		<-ready
		return fmt.Errorf("its process ended (%v)", s.process.err)
	}
}

// awaitBroker asks for the metadata until they name a broker.
func awaitBroker(ctx context.Context, addr string) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.RetryBackoffFn(func(int) time.Duration { return 50 * time.Millisecond }))
	if err != nil {
		return err
	}
	defer client.Close()
	again := time.NewTicker(50 * time.Millisecond)
	defer again.Stop()
	for {
		metadata, err := kadm.NewClient(client).BrokerMetadata(ctx)
		if err == nil && len(metadata.Brokers) > 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer within %v (last error: %v)", answerWait, err)
		case <-again.C:
		}
	}
}

// kill ends the process at once and waits for its end. Nothing happens when it is gone already.
func (s *server) kill() {
	if p := s.process; p != nil {
		p.signal(syscall.SIGKILL)
		<-p.ended
	}
}

// end leaves nothing of the server.
func (s *server) end() {
	s.kill()
	s.release()
	s.home.remove()
}

// stop ends the process in good order, or at once when that takes too long.
func (s *server) stop() {
	p := s.process
	p.signal(syscall.SIGTERM)
	timeout := time.NewTimer(stopWait)
	defer timeout.Stop()
	select {
	case <-p.ended:
	case <-timeout.C:
		s.kill()
	}
}

// signal does nothing to a process that is gone: its number may be another's by now, which os.Process knows.
func (p *process) signal(sig os.Signal) { _ = p.os.Signal(sig) }
