package kafka

import (
	"testing"

	"ubik/internal/connector"
)

// A run that stops before a record goes on there, with the epoch of the record before as the proof.
func TestAChunkGivesThePositionOfEachRecord(t *testing.T) {
	for round := range 2 {
		s := takeSlab()
		for _, r := range []struct {
			offset int64
			before int32
		}{{7, -1}, {8, 3}, {12, 3}, {13, 4}} {
			s.add(r.offset, 0, r.before, nil, []byte("{}"), false, 0)
		}
		for i, want := range []connector.Position{{Offset: 7, Epoch: -1}, {Offset: 8, Epoch: 3}, {Offset: 12, Epoch: 3}, {Offset: 13, Epoch: 4}} {
			if got := s.chunk.At(i); got != want {
				t.Errorf("round %d, record %d: got %+v, want %+v", round, i, got, want)
			}
		}
		s.chunk.Release()
	}
}
