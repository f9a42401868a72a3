package kafka

import (
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"ubik/internal/fault"
)

// refused says why a row was not taken. It shows neither key nor value.
func (s *sink) refused(r *kgo.Record, err error) error {
	topic := s.link.topic
	tell := func(c fault.Class, try, format string, args ...any) error {
		return &fault.Error{Class: c, Err: err, Msg: fmt.Sprintf(format, args...), Try: try}
	}
	switch {
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return s.tooLarge(r, err)
	case errors.Is(err, kerr.InvalidTimestamp):
		return tell(fault.Sink, "set message.timestamp.after.max.ms and message.timestamp.before.max.ms of the topic to 9223372036854775807",
			"topic %s refuses a row's timestamp %s: it is too far from the broker's clock (message.timestamp.after.max.ms, message.timestamp.before.max.ms)",
			topic, r.Timestamp.UTC().Format(time.RFC3339))
	case errors.Is(err, kerr.UnknownTopicOrPartition), errors.Is(err, kerr.UnknownTopicID):
		return tell(fault.Sink, "restore the topic, or start over with a new checkpoint", "topic %s was deleted while it was written", topic)
	}
	if f := s.link.permanent(err); f != nil {
		return f
	}
	var k *kerr.Error
	if errors.As(err, &k) && !k.Retriable {
		return tell(fault.Sink, "look into the topic's configuration and the broker's log", "topic %s refuses a row: %v", topic, err)
	}
	return tell(fault.Retryable, "run the same command again", "a row could not be written to topic %s: %v", topic, err)
}

func (s *sink) tooLarge(r *kgo.Record, err error) error {
	return &fault.Error{Class: fault.Sink, Err: err, Try: "raise max.message.bytes of the topic",
		Msg: fmt.Sprintf("a row of %d bytes is larger than topic %s takes (max.message.bytes=%d)", len(r.Key)+len(r.Value), s.link.topic, s.largest)}
}
