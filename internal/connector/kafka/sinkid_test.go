package kafka

import (
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// A producer's id is asked for with the patience that other questions have, also at a broker that hangs up.
func TestConnectionsClosedAtTheQuestionForAProducerIDAreBorne(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "id", 1, nil)
	var left, asked atomic.Int64
	c.ControlKey(22, func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked.Add(1)
		return nil, io.EOF, left.Add(-1) >= 0
	})
	left.Store(20)
	k := newTestSink(t, b, topic, connector.Options{})
	k.link.tune.retryFirst, k.link.tune.retryMost = time.Millisecond, time.Millisecond
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 10)
	mustFlush(t, k)
	if asked.Load() < 21 {
		t.Errorf("it was asked for %d times", asked.Load())
	}

	// A producer that the broker does not know any more goes on without another question.
	left.Store(1000)
	answerProduce(c, func(pp *kmsg.ProduceResponseTopicPartition) { pp.ErrorCode = kerr.UnknownProducerID.Code })
	write(t, k, 10, 20)
	mustFlush(t, k)
	wantWritten(t, b, topic, 20)
}

func TestABrokerThatGivesNoProducerIDIsNotWaitedForForEver(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "id", 1, nil)
	c.ControlKey(22, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := kreq.ResponseKind().(*kmsg.InitProducerIDResponse)
		resp.ErrorCode = kerr.CoordinatorLoadInProgress.Code
		return resp, nil, true
	})
	k := newTestSink(t, b, topic, connector.Options{})
	k.link.tune.patience = 300 * time.Millisecond
	if err := k.Open(testContext(t), connector.Resume{}); fault.ClassOf(err) != fault.Retryable {
		t.Errorf("the error is %v", err)
	}
}
