package kafka

import (
	"fmt"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
	"ubik/internal/ubiktest/rawlog"
)

// sought gives the positions of a start point.
func sought(t *testing.T, s *source, start connector.StartPoint) ([]int64, error) {
	t.Helper()
	parts, err := s.Partitions(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	at, err := s.Seek(testContext(t), start, parts)
	if err != nil {
		return nil, err
	}
	var out []int64
	for _, p := range at {
		out = append(out, p.Offset)
		if p.Epoch != -1 {
			t.Errorf("%v: the epoch is %d", start, p.Epoch)
		}
	}
	return out, nil
}

func at(time int64) connector.StartPoint {
	return connector.StartPoint{At: connector.StartTime, Time: time}
}

func offsets(list ...connector.PartitionOffset) connector.StartPoint {
	return connector.StartPoint{At: connector.StartOffsets, Offsets: list}
}

func TestWhereAFirstStartBegins(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "sought", 3, nil)
		dated := func(p int32, millis ...int64) (out []rawlog.Record) {
			for _, m := range millis {
				out = append(out, rawlog.Record{Partition: p, Value: []byte("v"), TimestampMillis: m})
			}
			return out
		}
		for i := range int64(20) { // a batch each
			b.Produce(t, topic, dated(0, 1_000_000+1000*i))
		}
		b.Produce(t, topic, dated(1, 1_005_000, 1_001_000, 1_009_000, 1_002_000)) // out of order, in one batch
		deleteBefore(t, b, topic, 4)

		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		const ms, second = 1000, 1_000_000
		for _, c := range []struct {
			start connector.StartPoint
			want  string
		}{
			{connector.StartPoint{}, "[4 0 0]"},
			{connector.StartPoint{At: connector.StartLatest}, "[20 4 0]"},
			{at(1_010_000 * ms), "[10 4 0]"},
			{at(1_010_000*ms + 1), "[11 4 0]"},
			{at(1_009_999*ms + 1), "[10 4 0]"},
			{at(1_006_000 * ms), "[6 2 0]"},
			{at(1_001_000 * ms), "[4 0 0]"}, // of what is gone too
			{at(1), "[4 0 0]"},
			{at(0), "[4 0 0]"},
			{at(-5 * second), "[4 0 0]"},
			{at(-62135596800 * second), "[4 0 0]"},
			{at(9_000_000 * ms), "[20 4 0]"},
			{at(253402300799 * second), "[20 4 0]"},
			{offsets(connector.PartitionOffset{Partition: 0, Offset: 20}), "[20 0 0]"},
			{offsets(connector.PartitionOffset{Partition: 0, Offset: 4}, connector.PartitionOffset{Partition: 1, Offset: 3}, connector.PartitionOffset{Partition: 2}), "[4 3 0]"},
		} {
			if got, err := sought(t, s, c.start); err != nil || fmt.Sprint(got) != c.want {
				t.Errorf("%v: %v, %v, want %s", c.start, got, err, c.want)
			}
		}
		for _, c := range []struct {
			start    connector.StartPoint
			msg, try string
		}{
			{offsets(connector.PartitionOffset{Partition: 0, Offset: 3}), "--start {0:3}: " + topic + "/0 has no position 3: it begins at 4 and ends at 20",
				"give one from 4 to 20; a partition that is not named begins at its first record"},
			{offsets(connector.PartitionOffset{Partition: 0, Offset: 7}, connector.PartitionOffset{Partition: 1, Offset: 5}),
				"--start {0:7,1:5}: " + topic + "/1 has no position 5: it begins at 0 and ends at 4", "give one from 0 to 4; a partition that is not named begins at its first record"},
			{offsets(connector.PartitionOffset{Partition: 3}), "--start {3:0}: topic " + topic + " has no partition 3", "its partitions are 0 to 2"},
		} {
			_, err := sought(t, s, c.start)
			wantError(t, err, fault.Usage, c.msg, c.try)
		}
	})
}

func TestReadingBeginsWhereTheStartPointSays(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "begun", 1, nil)
		records := b.Produce(t, topic, numbered(0, 0, 50))
		b.ProduceAborted(t, topic, numbered(0, 50, 60))
		settle(t, b, topic)
		open := b.Begin(t, broker.FreshName("open"))
		pending := open.Produce(topic, numbered(0, 60, 70))

		// The end is that of the log, whether a transaction is open or not.
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		for start, want := range map[*connector.StartPoint]int64{
			{At: connector.StartLatest}:                                                                    71,
			{At: connector.StartTime, Time: 1_700_000_000_065_000}:                                         60, // the marker of the aborted one, which is of now
			{At: connector.StartTime, Time: 1_700_000_000_030_000}:                                         30,
			{At: connector.StartOffsets, Offsets: []connector.PartitionOffset{{Partition: 0, Offset: 45}}}: 45,
		} {
			if got, err := sought(t, s, *start); err != nil || got[0] != want {
				t.Errorf("%v: %v, %v, want %d", start, got, err, want)
			}
		}
		open.Commit()
		for start, want := range map[*connector.StartPoint][]row{
			{At: connector.StartOffsets, Offsets: []connector.PartitionOffset{{Partition: 0, Offset: 61}}}: rowsOf(pending),
			{At: connector.StartTime, Time: 1_700_000_000_045_000}:                                         append(rowsOf(records[45:]), rowsOf(pending)...),
		} {
			s := newTestSource(t, urlOf(b, topic), connector.Options{})
			at := starts(t, s, false)
			from, err := sought(t, s, *start)
			if err != nil {
				t.Fatal(err)
			}
			at[0].From.Offset = from[0]
			mustOpen(t, s, at)
			rows, _ := readRows(t, s, 0, len(want))
			wantRows(t, rows, want)
		}
	})
}
