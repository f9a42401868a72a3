package kafka

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kversion"

	"ubik/internal/connector"
	"ubik/internal/fault"
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
