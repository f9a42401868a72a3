package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// brokerEnv names a broker to use instead of the in-process one; it is the variable of the tests.
const brokerEnv = "UBIK_TEST_KAFKA"

const partitions = 4

// benchKafka measures from a topic into a topic: start of the process, reading to the end, last row acknowledged.
func benchKafka(ctx context.Context, o *options, ubik string) error {
	addr, what := os.Getenv(brokerEnv), "the broker at "+os.Getenv(brokerEnv)
	if addr == "" {
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1))
		if err != nil {
			return err
		}
		defer cluster.Close()
		addr, what = cluster.ListenAddrs()[0], "an in-process Kafka, which shares the cores with the query"
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.ProducerBatchCompression(kgo.NoCompression()))
	if err != nil {
		return err
	}
	defer client.Close()
	admin := kadm.NewClient(client)
	name := fmt.Sprintf("ubik-bench-%d", time.Now().UnixNano())
	remove, err := createTopic(ctx, admin, name, partitions)
	if err != nil {
		return err
	}
	defer remove()
	fmt.Printf("producing %d records of %d bytes, uncompressed, into %d partitions of %s\n", o.records, rowBytes-1, partitions, what)
	want, err := produce(ctx, client, name, o.records)
	if err != nil {
		return fmt.Errorf("producing: %w", err)
	}
	c := &contestant{}
	for round := range o.rounds {
		sink := fmt.Sprintf("%s-counts-%d", name, round)
		remove, err := createTopic(ctx, admin, sink, 1)
		if err != nil {
			return err
		}
		defer remove()
		took, err := measure(exec.CommandContext(ctx, ubik, "run", "--from", "txns=kafka://"+addr+"/"+name, "--to", "kafka://"+addr+"/"+sink,
			"--schema", schema, "--delay", "5s", "--until-end", "--quiet", query))
		if err != nil {
			return err
		}
		c.costs = append(c.costs, took)
		got, err := consume(ctx, addr, admin, sink)
		if err != nil {
			return fmt.Errorf("reading the answer: %w", err)
		}
		if err := want.same(got); err != nil {
			return fmt.Errorf("the answer is wrong: %w", err)
		}
		fmt.Printf("round %d  %8.2f s wall %8.2f s CPU %8.1f MB peak %9.0f records/s %9.0f records per CPU second\n", round+1,
			took.wall.Seconds(), took.cpu.Seconds(), megabytes(took.peak), rate(o.records, took.wall), rate(o.records, took.cpu))
	}
	fmt.Printf("\n%d records in, %d rows out, as expected in every run. Medians: %.0f records/s, %.0f records per CPU second, %.1f MB peak.\n",
		o.records, len(want), c.median(func(c cost) float64 { return rate(o.records, c.wall) }),
		c.median(func(c cost) float64 { return rate(o.records, c.cpu) }), c.median(func(c cost) float64 { return megabytes(c.peak) }))
	return nil
}

func createTopic(ctx context.Context, admin *kadm.Client, name string, partitions int32) (remove func(), err error) {
	if _, err := admin.CreateTopic(ctx, partitions, 1, nil, name); err != nil {
		return nil, fmt.Errorf("creating the topic %s: %w", name, err)
	}
	return func() {
		if _, err := admin.DeleteTopic(context.WithoutCancel(ctx), name); err != nil {
			fmt.Fprintf(os.Stderr, "bench: the topic %s is left behind: %v\n", name, err)
		}
	}, nil
}

// produce fills the topic and computes the answer beside, in the plainest way.
func produce(ctx context.Context, client *kgo.Client, topic string, n int) (answer, error) {
	want := answer{}
	g := newGenerator()
	const batch = 50_000
	var failed error
	for i := range n {
		m := g.next()
		key := group{string(merchantName(nil, m.merchant)), m.at.Truncate(time.Minute).Unix()}
		t := want[key]
		want[key] = total{t.n + 1, t.cents + m.cents}
		value := append([]byte(nil), m.value[:rowBytes-1]...)
		client.Produce(ctx, &kgo.Record{Topic: topic, Partition: int32(i % partitions), Value: value, Timestamp: m.at}, func(_ *kgo.Record, err error) {
			if err != nil && failed == nil {
				failed = err
			}
		})
		if i%batch == batch-1 || i == n-1 {
			if err := client.Flush(ctx); err != nil {
				return nil, err
			}
			if failed != nil { // no callback is running now
				return nil, failed
			}
		}
	}
	return want, nil
}

// consume reads the answer from the topic.
func consume(ctx context.Context, addr string, admin *kadm.Client, topic string) (answer, error) {
	ends, err := admin.ListEndOffsets(ctx, topic)
	if err != nil {
		return nil, err
	}
	left := int64(0)
	ends.Each(func(o kadm.ListedOffset) { left += o.Offset })
	client, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	if err != nil {
		return nil, err
	}
	defer client.Close()
	a := answer{}
	for left > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return nil, err
		}
		for _, r := range fetches.Records() {
			if err := a.add(r.Value); err != nil {
				return nil, err
			}
			left--
		}
	}
	return a, nil
}
