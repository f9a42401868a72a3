package kafka

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// The sink's state in a checkpoint, of the same bytes for the same topic:
//
//	1 byte   version: 1
//	16 bytes topic id
//	4 bytes  number of partitions, big endian
const (
	stateVersion = 1
	stateSize    = 1 + 16 + 4
)

func appendState(dst []byte, id topicID, partitions int32) []byte {
	dst = append(dst, stateVersion)
	dst = append(dst, id[:]...)
	return binary.BigEndian.AppendUint32(dst, uint32(partitions))
}

func parseState(b []byte) (id topicID, partitions int32, err error) {
	if len(b) != stateSize || b[0] != stateVersion {
		return id, 0, fault.New(fault.Checkpoint, "the checkpoint's state of the Kafka sink cannot be read",
			"resume with the version of the program that wrote it")
	}
	copy(id[:], b[1:])
	return id, int32(binary.BigEndian.Uint32(b[17:])), nil
}

// defaultLargest is a topic's max.message.bytes where it is not to be seen: the smallest default of any version.
const defaultLargest = 1_000_012

// Open implements connector.Sink.
func (s *sink) Open(ctx context.Context, r connector.Resume) error {
	if s.producer != nil {
		panic("kafka: sink opened twice")
	}
	cl, err := s.link.client()
	if err != nil {
		return err
	}
	if err := s.link.patient(ctx, func(ctx context.Context) error { return s.prepare(ctx, cl, &r) }); err != nil {
		return err
	}
	return s.startProducer()
}

// prepare finds or creates the topic and checks it. It may be called again after an error that passes.
func (s *sink) prepare(ctx context.Context, cl *kgo.Client, r *connector.Resume) error {
	info, found, err := s.link.topicInfo(ctx, cl)
	if err != nil {
		return err
	}
	if !found {
		if r.State != nil {
			// A broker that has just started may not know all topics yet: ask twice.
			if s.absent++; s.absent < 2 {
				return fmt.Errorf("there is no topic %s", s.link.topic)
			}
			return fault.New(fault.Sink, fmt.Sprintf("topic %s was deleted since the checkpoint", s.link.topic),
				"restore the topic, or start over with a new checkpoint")
		}
		if err := s.create(ctx, cl); err != nil {
			return err
		}
		return fmt.Errorf("topic %s is being created", s.link.topic) // the metadata of the next round shows it
	}
	for i, p := range info.parts {
		if p.leader < 0 {
			return fmt.Errorf("%s/%d has no leader", s.link.topic, i)
		}
	}
	s.id, s.partitions = info.id, int32(len(info.parts))
	if err := s.sameTopic(r); err != nil {
		return err
	}
	if err := s.checkConfigs(ctx, cl); err != nil {
		return err
	}
	if r.Resumed || r.Fresh {
		return nil
	}
	return s.checkEmpty(ctx, cl, &info)
}

// sameTopic compares the topic with the one that the checkpoint knows.
func (s *sink) sameTopic(r *connector.Resume) error {
	if r.State == nil {
		return nil
	}
	id, partitions, err := parseState(r.State)
	if err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Sink, fmt.Sprintf(format, args...), "start over with a new checkpoint and another topic")
	}
	switch {
	case id != s.id:
		return refuse("topic %s was deleted and created again since the checkpoint: the rows written before are gone", s.link.topic)
	case partitions != s.partitions:
		return refuse("topic %s has %d partitions, the checkpoint knows %d: keys would move", s.link.topic, s.partitions, partitions)
	}
	return nil
}

func (s *sink) checkConfigs(ctx context.Context, cl *kgo.Client) error {
	s.largest = defaultLargest
	c, ok, err := s.link.configs(ctx, cl)
	if err != nil {
		return err
	}
	if !ok {
		s.link.logf("topic %s: its configuration is not to be seen by this user (DESCRIBE_CONFIGS); cleanup.policy should be compact and message.timestamp.type CreateTime", s.link.topic)
		return nil
	}
	if c["message.timestamp.type"] == "LogAppendTime" {
		return fault.New(fault.Sink,
			fmt.Sprintf("topic %s has message.timestamp.type=LogAppendTime: a row written again after a crash would get another timestamp", s.link.topic),
			"set message.timestamp.type=CreateTime on the topic, or name another")
	}
	if !strings.Contains(c["cleanup.policy"], "compact") {
		s.link.logf("topic %s is not compacted (cleanup.policy=%s): a row written again after a crash stays twice; readers must take the last of each key", s.link.topic, c["cleanup.policy"])
	}
	if n, err := strconv.ParseInt(c["max.message.bytes"], 10, 32); err == nil && n > 1024 {
		s.largest = int(min(n, 1<<29))
	}
	return nil
}

// checkEmpty refuses a topic that holds something when there is no checkpoint.
func (s *sink) checkEmpty(ctx context.Context, cl *kgo.Client, info *topicInfo) error {
	earliest, err := s.link.offsets(ctx, cl, info, askEarliest, 0)
	if err != nil {
		return err
	}
	end, err := s.link.offsets(ctx, cl, info, askEnd, 0)
	if err != nil {
		return err
	}
	for i := range end {
		if end[i] > earliest[i] {
			return fault.New(fault.Sink,
				fmt.Sprintf("topic %s already holds records (%s/%d: positions %d to %d), and there is no checkpoint that says they are this job's", s.link.topic, s.link.topic, i, earliest[i], end[i]-1),
				"resume with the checkpoint that belongs to them, write to another topic, or accept them with --fresh")
		}
	}
	return nil
}

// create makes the topic: compacted, with the rows' own timestamps, which may lie ahead of the broker's clock.
func (s *sink) create(ctx context.Context, cl *kgo.Client) error {
	err := s.createWith(ctx, cl, [][2]string{
		{"cleanup.policy", "compact"},
		{"message.timestamp.type", "CreateTime"},
		{"message.timestamp.after.max.ms", "9223372036854775807"},
	})
	if errors.Is(err, kerr.InvalidConfig) {
		// Brokers before 3.6 have no such bound.
		err = s.createWith(ctx, cl, [][2]string{{"cleanup.policy", "compact"}, {"message.timestamp.type", "CreateTime"}})
	}
	var k *kerr.Error
	if err == nil || errors.Is(err, kerr.TopicAlreadyExists) || !errors.As(err, &k) || k.Retriable {
		return err
	}
	return &fault.Error{Class: fault.Sink, Err: err,
		Msg: fmt.Sprintf("topic %s does not exist and cannot be created: %v", s.link.topic, err),
		Try: "create it with cleanup.policy=compact and message.timestamp.after.max.ms=9223372036854775807, or let this user create it"}
}

func (s *sink) createWith(ctx context.Context, cl *kgo.Client, configs [][2]string) error {
	req := kmsg.NewCreateTopicsRequest()
	req.TimeoutMillis = 15_000
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic = s.link.topic
	t.NumPartitions = s.link.partitions
	t.ReplicationFactor = -1
	for _, c := range configs {
		e := kmsg.NewCreateTopicsRequestTopicConfig()
		e.Name, e.Value = c[0], &c[1]
		t.Configs = append(t.Configs, e)
	}
	req.Topics = []kmsg.CreateTopicsRequestTopic{t}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	for i := range resp.Topics {
		if err := kerr.ErrorForCode(resp.Topics[i].ErrorCode); err != nil {
			if m := resp.Topics[i].ErrorMessage; m != nil {
				return fmt.Errorf("%w (%s)", err, *m)
			}
			return err
		}
	}
	return nil
}
