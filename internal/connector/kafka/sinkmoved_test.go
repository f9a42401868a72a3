package kafka

import (
	"fmt"
	"regexp"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
)

// A unit must not say that rows are in a topic that has taken the place of the one they went to. Brokers before 4.0 take
// rows by the topic's name, so that nothing else would tell.
func TestATopicThatChangesWhileItIsWrittenIsToldByTheFlush(t *testing.T) {
	const try = "start over with a new checkpoint and another topic"
	_, b := fake(t, kfake.MaxVersions(kversion.V3_6_0()))
	topic := b.NewTopic(t, "again", 1, nil)
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 10)
	mustFlush(t, k)
	recreate(t, b, topic)
	write(t, k, 10, 20)
	_, err := k.Flush(testContext(t))
	wantError(t, err, fault.Sink, "topic "+topic+" was deleted and created again while it was written: the rows written before are gone", try)

	topic = b.NewTopic(t, "more", 1, nil)
	k = newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 10)
	mustFlush(t, k)
	if _, err := b.Admin(t).CreatePartitions(testContext(t), 1, topic); err != nil {
		t.Fatal(err)
	}
	_, err = k.Flush(testContext(t))
	wantError(t, err, fault.Sink, "topic "+topic+" has 2 partitions, when the run began it had 1: keys would move", try)
	if _, again := k.Flush(testContext(t)); again != err {
		t.Errorf("another flush says %v", again)
	}
}

// answerEnd makes the cluster say that the only partition asked for ends at 7, as often as times has it.
func answerEnd(c *kfake.Cluster, topic string, times *atomic.Int64) {
	c.ControlKey(2, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		req := kreq.(*kmsg.ListOffsetsRequest)
		if req.Topics[0].Partitions[0].Timestamp != askEnd || times.Add(-1) < 0 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.ListOffsetsResponse)
		rt := kmsg.NewListOffsetsResponseTopic()
		rt.Topic = topic
		rp := kmsg.NewListOffsetsResponseTopicPartition()
		rp.Offset = 7
		rt.Partitions = append(rt.Partitions, rp)
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
}

func TestATopicThatLostItsEndIsRefused(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "cut", 1, map[string]string{"cleanup.policy": "compact"})
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 10)
	state := mustFlush(t, k)
	var times atomic.Int64
	answerEnd(c, topic, &times)

	msg := topic + "/0 ends at 7, before 10, where the last row that was acknowledged ends: rows are gone from the topic"
	const try = "start over with a new checkpoint and another topic"
	resumed := connector.Resume{Resumed: true, State: state}
	times.Store(100)
	wantError(t, newTestSink(t, b, topic, connector.Options{}).Open(testContext(t), resumed), fault.Sink, msg, try)
	_, err := k.Flush(testContext(t))
	wantError(t, err, fault.Sink, msg, try)

	// An end that a leader does not know yet passes.
	for _, n := range []int64{0, 1, 2} {
		times.Store(n)
		whole := newTestSink(t, b, topic, connector.Options{})
		whole.link.tune.retryFirst = time.Millisecond
		mustOpenSink(t, whole, resumed)
		if again := mustFlush(t, whole); string(again) != string(state) {
			t.Errorf("the state is %x, then %x", state, again)
		}
	}
}

// Where nobody asks for the end, the answer to a row tells.
func TestARowThatGetsThePlaceOfAnAcknowledgedOneEndsTheRun(t *testing.T) {
	c, b := fake(t)
	topic := b.NewTopic(t, "again", 1, map[string]string{"cleanup.policy": "compact"})
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 10)
	mustFlush(t, k)
	answerProduce(c, func(pp *kmsg.ProduceResponseTopicPartition) { pp.BaseOffset = 7 })
	write(t, k, 10, 12)
	_, err := k.Flush(testContext(t))
	wantError(t, err, fault.Sink, topic+"/0 gave a row position 7, before 10, where the last row that was acknowledged ends: rows are gone from the topic",
		"start over with a new checkpoint and another topic")
}

func TestALogThatABrokerLostTheEndOfIsNoticed(t *testing.T) {
	b := broker.StartOwn(t)
	stopped := b.NewTopic(t, "stopped", 1, map[string]string{"cleanup.policy": "compact"})
	running := b.NewTopic(t, "running", 1, map[string]string{"cleanup.policy": "compact"})
	k := newTestSink(t, b, stopped, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	r := newTestSink(t, b, running, connector.Options{})
	mustOpenSink(t, r, connector.Resume{})
	var state []byte
	for i := range 10 {
		write(t, k, 10*i, 10*i+10)
		state = mustFlush(t, k)
		write(t, r, 10*i, 10*i+10)
		mustFlush(t, r)
	}
	b.Kill(t)
	for _, topic := range []string{stopped, running} {
		b.CutLog(t, topic, 0, 1000)
	}
	b.Restart(t)
	const try = "start over with a new checkpoint and another topic"
	message := regexp.MustCompile(`^` + running + `/0 (ends at|gave a row position) [1-9]0, before 100, where the last row that was acknowledged ends: rows are gone from the topic$`)
	write(t, r, 100, 110)
	_, err := r.Flush(testContext(t))
	if fault.ClassOf(err) != fault.Sink || !message.MatchString(err.Error()) {
		t.Errorf("the error is %v", err)
	}
	end := b.Ends(t, stopped, broker.Uncommitted)[0]
	err = newTestSink(t, b, stopped, connector.Options{}).Open(testContext(t), connector.Resume{Resumed: true, State: state})
	wantError(t, err, fault.Sink, fmt.Sprintf("%s/0 ends at %d, before 100, where the last row that was acknowledged ends: rows are gone from the topic", stopped, end), try)
}

// A broker that was killed knows all it has acknowledged when it is back.
func TestASinkGoesOnWithItsStateAfterARestartOfTheBroker(t *testing.T) {
	b := broker.StartOwn(t)
	topic := b.NewTopic(t, "back", 3, map[string]string{"cleanup.policy": "compact"})
	state := []byte(nil)
	for round := range 3 {
		k := newTestSink(t, b, topic, connector.Options{})
		mustOpenSink(t, k, connector.Resume{Resumed: round > 0, State: state})
		write(t, k, 1000*round, 1000*round+1000)
		state = mustFlush(t, k)
		b.Kill(t)
		b.Restart(t)
	}
	wantWritten(t, b, topic, 3000)
}

func TestAStateOfBeforePositionsWereKeptIsTaken(t *testing.T) {
	_, b := fake(t)
	topic := b.NewTopic(t, "old", 2, map[string]string{"cleanup.policy": "compact"})
	k := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, k, connector.Resume{})
	state := mustFlush(t, k)
	old := append([]byte{1}, state[1:stateHead]...)
	again := newTestSink(t, b, topic, connector.Options{})
	mustOpenSink(t, again, connector.Resume{Resumed: true, State: old})
	write(t, again, 0, 10)
	if now := mustFlush(t, again); len(now) != stateHead+16 || now[0] != stateVersion {
		t.Errorf("the state is %x", now)
	}
	for _, wrong := range [][]byte{nil, {}, old[:20], append(old, 0), state[:len(state)-8], append(state, make([]byte, 8)...), append([]byte{3}, state[1:]...)} {
		if _, _, err := parseState(wrong); fault.ClassOf(err) != fault.Checkpoint {
			t.Errorf("%x: %v", wrong, err)
		}
	}
}
