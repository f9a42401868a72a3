package kafka

import (
	"encoding/binary"
	"fmt"

	"ubik/internal/fault"
)

// The sink's state in a checkpoint. Rows written again lie behind those written before, so it is not the same in two runs.
//
//	1 byte   version: 2
//	16 bytes topic id
//	4 bytes  number of partitions, big endian
//	         of each partition 8 bytes, big endian: the position behind the last row acknowledged, 0 before the first
//
// Version 1 has no positions.
const (
	stateVersion = 2
	stateHead    = 1 + 16 + 4
)

func appendState(dst []byte, id topicID, ends []int64) []byte {
	dst = append(dst, stateVersion)
	dst = append(dst, id[:]...)
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(ends)))
	for _, end := range ends {
		dst = binary.BigEndian.AppendUint64(dst, uint64(end))
	}
	return dst
}

func parseState(b []byte) (id topicID, ends []int64, err error) {
	wrong := fault.New(fault.Checkpoint, "the checkpoint's state of the Kafka sink cannot be read",
		"resume with the version of the program that wrote it")
	if len(b) < stateHead || b[0] != 1 && b[0] != stateVersion {
		return id, nil, wrong
	}
	copy(id[:], b[1:])
	n, rest := int(binary.BigEndian.Uint32(b[17:])), b[stateHead:]
	switch {
	case b[0] == 1 && len(rest) == 0 && n <= 1<<20:
		return id, make([]int64, n), nil
	case b[0] == stateVersion && len(rest)%8 == 0 && len(rest)/8 == n:
	default:
		return id, nil, wrong
	}
	for ; len(rest) > 0; rest = rest[8:] {
		ends = append(ends, int64(binary.BigEndian.Uint64(rest)))
	}
	return id, ends, nil
}

const startOverSink = "start over with a new checkpoint and another topic"

// lost names the first partition that ends before a row that was acknowledged; nil: there is none.
func (s *sink) lost(known, now []int64) error {
	for i, end := range known {
		if i < len(now) && now[i] < end {
			return fmt.Errorf("%s/%d ends at %d, before %d, where the last row that was acknowledged ends: rows are gone from the topic", s.link.topic, i, now[i], end)
		}
	}
	return nil
}

// acknowledged notes where a row was put. One that gets the place of a row acknowledged before is told by the next flush,
// which looks why.
func (s *sink) acknowledged(partition int32, at int64) {
	if at < 0 || int(partition) >= len(s.ends) {
		return // the broker did not say where; or a partition was added, which the flush tells
	}
	if end := s.ends[partition]; at < end {
		if s.replaced == nil {
			s.replaced = fault.New(fault.Sink,
				fmt.Sprintf("%s/%d gave a row position %d, before %d, where the last row that was acknowledged ends: rows are gone from the topic", s.link.topic, partition, at, end), startOverSink)
		}
		return
	}
	s.ends[partition] = at + 1
}
