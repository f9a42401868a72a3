package kafka

import (
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/ubiktest/broker"
)

// Where a run begins does not depend on whether a transaction is open: what it reads then waits for that.
func TestAStartBehindAnOpenTransactionIsWhereItWouldBeWithoutIt(t *testing.T) {
	onBoth(t, func(t *testing.T, b *broker.Broker) {
		topic := b.NewTopic(t, "behind", 1, nil)
		b.Produce(t, topic, numbered(0, 0, 10))
		open := b.Begin(t, broker.FreshName("open"))
		open.Produce(topic, numbered(0, 10, 15))
		var want []row
		for i := 15; i < 30; i++ { // a batch each
			want = append(want, rowsOf(b.Produce(t, topic, numbered(0, i, i+1)))...)
		}
		const day = 1_700_000_000_000_000
		starting := map[*connector.StartPoint]int64{
			{At: connector.StartLatest}:                                                                    30,
			{At: connector.StartTime, Time: day + 2000}:                                                    2,
			{At: connector.StartTime, Time: day + 20_000}:                                                  20,
			{At: connector.StartTime, Time: day + 40_000}:                                                  30,
			{At: connector.StartOffsets, Offsets: []connector.PartitionOffset{{Partition: 0, Offset: 12}}}: 12,
			{At: connector.StartOffsets, Offsets: []connector.PartitionOffset{{Partition: 0, Offset: 30}}}: 30,
		}
		s := newTestSource(t, urlOf(b, topic), connector.Options{})
		for start, offset := range starting {
			if got, err := sought(t, s, *start); err != nil || got[0] != offset {
				t.Errorf("%v: %v, %v, want %d", start, got, err, offset)
			}
		}
		at := starts(t, s, false)
		if p := at[0].Partition; p.End != 10 || p.High != 30 {
			t.Errorf("it is listed as %+v", p)
		}
		at[0].From.Offset = 20
		mustOpen(t, s, at)

		none := newTestSource(t, urlOf(b, topic), connector.Options{})
		past := starts(t, none, true)
		past[0].From.Offset, past[0].Until = 20, 20
		mustOpen(t, none, past)
		if rows, next := readToEnd(t, none, 0); len(rows) != 0 || next.Offset != 20 {
			t.Errorf("%v are read, up to %v", rows, next)
		}

		// What was read was stable, and no log ends before where a run began.
		past[0].Until = -1
		past[0].From = connector.Position{Offset: 20, Epoch: 0}
		wantError(t, newTestSource(t, urlOf(b, topic), connector.Options{}).Open(testContext(t), past), fault.LogChanged,
			topic+"/0 ends at 10, before the recorded position 20", "start over with a new checkpoint: records that were read are not in the log any more")
		past[0].From = connector.Position{Offset: 31, Epoch: -1}
		wantError(t, newTestSource(t, urlOf(b, topic), connector.Options{}).Open(testContext(t), past), fault.LogChanged,
			topic+"/0 ends at 30, before the recorded position 31", "start over with a new checkpoint: records that were read are not in the log any more")

		open.Commit()
		rows, _ := readRows(t, s, 0, 10)
		wantRows(t, rows, want[5:])
	})
}
