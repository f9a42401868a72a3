package catalog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/expr"
)

// ParseStart reads earliest, latest, a time, or {partition:offset, …}. Its error is of class Usage.
func ParseStart(text string) (connector.StartPoint, error) {
	s, ok := parseStart(text)
	if !ok {
		return s, noStart("", text)
	}
	return s, nil
}

// noStart is the fault of a --start value, behind the name that it is given with.
func noStart(name, text string) error {
	return usage("write earliest, latest, a time such as '2026-01-01 00:00:00', or positions such as {0:5,1:7}", "--start "+name+text+" is not understood")
}

func parseStart(text string) (s connector.StartPoint, ok bool) {
	text = strings.TrimSpace(text)
	switch {
	case strings.EqualFold(text, "earliest"):
		return s, true
	case strings.EqualFold(text, "latest"):
		return connector.StartPoint{At: connector.StartLatest}, true
	case strings.HasPrefix(text, "{"):
		return parseOffsets(text)
	}
	s.At = connector.StartTime
	s.Time, ok = expr.ParseTimestamp([]byte(text))
	return s, ok
}

func parseOffsets(text string) (s connector.StartPoint, ok bool) {
	s.At = connector.StartOffsets
	text, ok = strings.CutSuffix(text[1:], "}")
	if !ok {
		return s, false
	}
	for _, one := range strings.Split(text, ",") {
		p, o, _ := strings.Cut(one, ":")
		partition, err1 := strconv.ParseInt(strings.TrimSpace(p), 10, 32)
		offset, err2 := strconv.ParseInt(strings.TrimSpace(o), 10, 64)
		if err1 != nil || err2 != nil || partition < 0 || offset < 0 {
			return s, false
		}
		s.Offsets = append(s.Offsets, connector.PartitionOffset{Partition: int32(partition), Offset: offset})
	}
	slices.SortFunc(s.Offsets, func(a, b connector.PartitionOffset) int { return cmp.Compare(a.Partition, b.Partition) })
	for i := 1; i < len(s.Offsets); i++ {
		if s.Offsets[i].Partition == s.Offsets[i-1].Partition {
			return s, false
		}
	}
	return s, true
}
