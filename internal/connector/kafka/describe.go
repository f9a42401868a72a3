package kafka

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// topicID is Kafka's identity of a topic. Its text is that of Kafka's own tools.
type topicID [16]byte

func (t topicID) String() string { return base64.RawURLEncoding.EncodeToString(t[:]) }

// partitionInfo is a partition as metadata shows it. leader is -1 while there is none.
type partitionInfo struct {
	leader int32
	epoch  int32
}

// topicInfo is a topic as metadata shows it; parts is ordered by partition number.
type topicInfo struct {
	cluster string
	id      topicID
	parts   []partitionInfo
}

// topicInfo asks for the topic; found is false when there is none. It never creates it.
func (l *link) topicInfo(ctx context.Context, cl *kgo.Client) (info topicInfo, found bool, err error) {
	req := kmsg.NewMetadataRequest()
	name := kmsg.NewMetadataRequestTopic()
	name.Topic = &l.topic
	req.Topics = []kmsg.MetadataRequestTopic{name}
	req.AllowAutoTopicCreation = false
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return info, false, err
	}
	if resp.ClusterID != nil {
		info.cluster = *resp.ClusterID
	}
	if len(resp.Topics) != 1 {
		return info, false, fmt.Errorf("the broker answers with %d topics for one", len(resp.Topics))
	}
	t := &resp.Topics[0]
	switch err := kerr.ErrorForCode(t.ErrorCode); err {
	case nil:
	case kerr.UnknownTopicOrPartition:
		return info, false, nil
	default:
		return info, false, err
	}
	if resp.Version < 10 {
		return info, false, kerr.UnsupportedVersion // no topic ids: a topic created again could not be told
	}
	info.id = t.TopicID
	info.parts = make([]partitionInfo, len(t.Partitions))
	for i := range t.Partitions {
		p := &t.Partitions[i]
		if p.Partition < 0 || int(p.Partition) >= len(info.parts) {
			return info, false, fmt.Errorf("the broker numbers a partition of %s %d, of %d", l.topic, p.Partition, len(info.parts))
		}
		info.parts[p.Partition] = partitionInfo{p.Leader, p.LeaderEpoch}
		if p.ErrorCode != 0 && p.Leader < 0 || p.ErrorCode == kerr.LeaderNotAvailable.Code {
			info.parts[p.Partition].leader = -1
		}
	}
	return info, true, nil
}

// absent is the Usage error for a topic that does not exist, with names that do.
func (l *link) absent(ctx context.Context, cl *kgo.Client) error {
	req := kmsg.NewMetadataRequest()
	req.Topics = nil // all
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	var names []string
	for i := range resp.Topics {
		if t := resp.Topics[i].Topic; t != nil && !resp.Topics[i].IsInternal {
			names = append(names, *t)
		}
	}
	try := "create it, or name one that exists"
	if near := nearest(l.topic, names, 3); len(near) > 0 {
		try = "did you mean " + strings.Join(near, ", ") + "?"
	}
	return &fault.Error{Class: fault.Usage, Err: connector.Absent{Topic: l.topic}, Try: try,
		Msg: fmt.Sprintf("kafka at %s has no topic %s", l.address(), l.topic)}
}

const (
	askEarliest = -2
	askEnd      = -1
	askLocal    = -4 // what lies before is in tiered storage

	notDated = -1 // the answer that no record has the time asked for, or a later one
)

// offsets asks the leader of each partition of info for the earliest position or, at the given isolation (0: high
// watermark, 1: last stable offset), for the end; or for the first record before that end which the log dates at which,
// in ms since 1970 UTC, or later: notDated where there is none.
func (l *link) offsets(ctx context.Context, cl *kgo.Client, info *topicInfo, which int64, isolation int8) ([]int64, error) {
	out := make([]int64, len(info.parts))
	asked := make(map[int32][]int32)
	for i, p := range info.parts {
		if p.leader < 0 {
			return nil, fmt.Errorf("%s/%d has no leader", l.topic, i)
		}
		asked[p.leader] = append(asked[p.leader], int32(i))
	}
	for leader, parts := range asked {
		req := kmsg.NewListOffsetsRequest()
		req.ReplicaID = -1
		req.IsolationLevel = isolation
		t := kmsg.NewListOffsetsRequestTopic()
		t.Topic = l.topic
		for _, p := range parts {
			rp := kmsg.NewListOffsetsRequestTopicPartition()
			rp.Partition = p
			rp.CurrentLeaderEpoch = info.parts[p].epoch
			rp.Timestamp = which
			t.Partitions = append(t.Partitions, rp)
		}
		req.Topics = []kmsg.ListOffsetsRequestTopic{t}
		kresp, err := cl.Broker(int(leader)).RetriableRequest(ctx, &req)
		if err != nil {
			return nil, err
		}
		n := 0
		for _, rt := range kresp.(*kmsg.ListOffsetsResponse).Topics {
			for _, rp := range rt.Partitions {
				if err := kerr.ErrorForCode(rp.ErrorCode); err != nil {
					return nil, err
				}
				if rp.Partition < 0 || int(rp.Partition) >= len(out) || rp.Offset < 0 && (rp.Offset != notDated || which < 0) {
					return nil, fmt.Errorf("the broker answers position %d for %s/%d", rp.Offset, l.topic, rp.Partition)
				}
				out[rp.Partition] = rp.Offset
				n++
			}
		}
		if n != len(parts) {
			return nil, fmt.Errorf("the broker answers for %d of %d partitions of %s", n, len(parts), l.topic)
		}
	}
	return out, nil
}

// configs asks for the topic's configuration. ok is false when this user may not see it.
func (l *link) configs(ctx context.Context, cl *kgo.Client) (c map[string]string, ok bool, err error) {
	req := kmsg.NewDescribeConfigsRequest()
	r := kmsg.NewDescribeConfigsRequestResource()
	r.ResourceType = kmsg.ConfigResourceTypeTopic
	r.ResourceName = l.topic
	req.Resources = []kmsg.DescribeConfigsRequestResource{r}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return nil, false, err
	}
	if len(resp.Resources) != 1 {
		return nil, false, fmt.Errorf("the broker answers with %d configurations for one", len(resp.Resources))
	}
	switch err := kerr.ErrorForCode(resp.Resources[0].ErrorCode); err {
	case nil:
	case kerr.TopicAuthorizationFailed, kerr.ClusterAuthorizationFailed:
		return nil, false, nil
	default:
		return nil, false, err
	}
	c = make(map[string]string)
	for _, e := range resp.Resources[0].Configs {
		if e.Value != nil {
			c[e.Name] = *e.Value
		}
	}
	return c, true, nil
}

// identity names the topic for a comparison with another connector: the cluster's id and the topic's name.
func (l *link) identity(ctx context.Context) (string, error) {
	cl, err := l.client()
	if err != nil {
		return "", err
	}
	var id string
	err = l.patient(ctx, func(ctx context.Context) error {
		info, _, err := l.topicInfo(ctx, cl)
		id = fmt.Sprintf("kafka %s %s", info.cluster, l.topic)
		return err
	})
	return id, err
}
