package rawlog

import (
	"strings"
	"testing"
)

func rec(partition int32, offset int64, key, value string) Record {
	return Record{Partition: partition, Offset: offset, Key: []byte(key), Value: []byte(value)}
}

func TestReemissionsCountsIdenticalRepeats(t *testing.T) {
	again, err := Reemissions([]Record{rec(0, 0, "a", "1"), rec(0, 1, "b", "2"), rec(0, 2, "a", "1"), rec(0, 5, "a", "1")})
	if err != nil || again != 2 {
		t.Fatalf("got %d, %v; want 2 and no error", again, err)
	}
}

func TestReemissionsNamesWhatDiffers(t *testing.T) {
	withHeader := rec(0, 1, "a", "1")
	withHeader.Headers = []Header{{"h", nil}}
	later := rec(0, 1, "a", "1")
	later.TimestampMillis = 7
	tombstone := Record{Offset: 1, Key: []byte("a")}
	for name, second := range map[string]Record{
		"value": rec(0, 1, "a", "2"), "header": withHeader, "timestamp": later, "tombstone": tombstone, "partition": rec(1, 0, "a", "1"),
	} {
		if _, err := Reemissions([]Record{rec(0, 0, "a", "1"), second}); err == nil || !strings.Contains(err.Error(), "one key, two contents") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err := Reemissions([]Record{{Value: []byte("1")}})
	if want := `a record without key: 0/0 key=null value="1" time=0`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestLatestPerKeyKeepsTheLastOfEachPartition(t *testing.T) {
	got := LatestPerKey([]Record{
		rec(1, 0, "a", "other partition"), rec(0, 0, "a", "1"), rec(0, 1, "b", "2"), rec(0, 2, "a", "3"), rec(0, 3, "c", "4"),
		{Partition: 0, Offset: 4, Key: []byte("c")}, {Partition: 0, Offset: 9, Value: []byte("no key")},
	})
	want := []string{"2", "3", "no key", "other partition"}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i := range want {
		if string(got[i].Value) != want[i] {
			t.Fatalf("record %d: got %s, want %q", i, got[i], want[i])
		}
	}
}
