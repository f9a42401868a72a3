package plan

import (
	"strings"
	"testing"

	"ubik/internal/vec"
)

// Rows of a query without an aggregate are told apart by their records' places: a partition's number says nothing where
// files are read, the topic alone nothing where partitions are, and a declared column is no place whatever its name.
func TestAKeyOfPositionsTellsAllRowsApart(t *testing.T) {
	for _, c := range []struct {
		file        bool
		schema, key string
		tellsApart  bool
	}{
		{false, "k VARCHAR", "_partition,_offset", true},
		{false, "k VARCHAR", "_topic,_partition,_offset,k", true},
		{false, "k VARCHAR", "_topic,_offset", false},
		{false, "k VARCHAR", "_partition,k", false},
		{false, "k VARCHAR, _offset BIGINT", "_partition,_offset", false},
		{true, "k VARCHAR", "_topic,_offset", true},
		{true, "k VARCHAR", "_partition,_offset", false},
	} {
		fields, err := Schema(c.schema)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Build(Request{
			Query:   "SELECT k, _topic, _partition, _offset FROM t",
			Sources: []Source{{Name: "t", Log: "test t", Schema: fields, Format: "json", File: c.file, Bounded: true, Delay: vec.Forever}},
			Key:     strings.Split(c.key, ","),
		})
		if (err == nil) != c.tellsApart {
			t.Errorf("files %v, columns %s, --key %s: %v", c.file, c.schema, c.key, err)
		}
	}
}
