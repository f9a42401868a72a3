package kafka

import (
	"context"
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
	s.link.begun.Store(true)
	if err := s.startProducer(); err != nil {
		return err
	}
	// While the client does not know the topic yet it gives rows up over one such question that fails.
	return s.link.patient(ctx, func(ctx context.Context) error {
		_, _, err := s.producer.ProducerID(ctx)
		return err
	})
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
	s.ends = make([]int64, len(info.parts))
	if err := s.sameTopic(ctx, cl, r, &info); err != nil {
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
func (s *sink) sameTopic(ctx context.Context, cl *kgo.Client, r *connector.Resume, info *topicInfo) error {
	if r.State == nil {
		return nil
	}
	id, ends, err := parseState(r.State)
	if err != nil {
		return err
	}
	refuse := func(format string, args ...any) error {
		return fault.New(fault.Sink, fmt.Sprintf(format, args...), startOverSink)
	}
	switch {
	case id != s.id:
		return refuse("topic %s was deleted and created again since the checkpoint: the rows written before are gone", s.link.topic)
	case len(ends) != len(s.ends):
		return refuse("topic %s has %d partitions, the checkpoint knows %d: keys would move", s.link.topic, len(s.ends), len(ends))
	}
	now, err := s.link.offsets(ctx, cl, info, askEnd, 0)
	if err != nil {
		return err
	}
	if lost := s.lost(ends, now); lost != nil {
		// A leader that has just been elected may not know the end yet: ask again before rows are given up.
		if s.short++; s.short < 3 {
			return lost
		}
		return fault.New(fault.Sink, lost.Error(), startOverSink)
	}
	copy(s.ends, ends)
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
		if end[i] <= earliest[i] {
			continue
		}
		empty, err := s.holdsNothing(ctx, int32(i), info, end[i])
		if err != nil {
			return err
		}
		if !empty {
			return fault.New(fault.Sink,
				fmt.Sprintf("topic %s already holds records (%s/%d: positions %d to %d), and there is no checkpoint that says they are this job's", s.link.topic, s.link.topic, i, earliest[i], end[i]-1),
				"resume with the checkpoint that belongs to them, write to another topic, or accept them with --fresh")
		}
	}
	return nil
}

// holdsNothing reports whether no reader will ever get a record of a partition up to its end: what is there are
// transactions that were rolled back, and their markers. Whoever may not read cannot tell.
func (s *sink) holdsNothing(ctx context.Context, partition int32, info *topicInfo, end int64) (bool, error) {
	l := &link{target: s.link.target, role: s.link.role, props: s.link.props, logf: s.link.logf, tune: s.link.tune}
	l.compacted = true // what compaction took is no record
	src := openableSource(l, &connector.Options{MaxRecord: 1})
	defer src.Close()
	ps, err := src.Partitions(ctx)
	if err == nil && (len(ps) != len(info.parts) || ps[partition].LogID != info.id.String()) {
		err = fmt.Errorf("topic %s has changed", s.link.topic)
	}
	if err == nil && ps[partition].End < end {
		return false, nil // a transaction is open
	}
	if err == nil {
		p := ps[partition]
		err = src.Open(ctx, []connector.Start{{Partition: p, From: connector.Position{Offset: p.Earliest, Epoch: -1}, Until: p.End}})
	}
	for err == nil {
		var c *connector.Chunk
		if c, err = src.Read(ctx, 0); err == nil {
			n, last := len(c.Pos), c.End
			c.Release()
			if n > 0 || last {
				return n == 0, nil
			}
		}
	}
	if l.permanent(err) != nil {
		return false, nil
	}
	return false, err
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
