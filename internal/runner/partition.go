package runner

import (
	"fmt"
	"strconv"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/vec"
)

// partition is one partition of a source: where it is read. All references to the source read it together.
//
//	next.Offset ≤ read ≤ end      next: behind the last sequenced record; read: behind the last chunk got
type partition struct {
	connector.PartitionID
	source int // index of its source
	index  int
	logID  string
	until  int64 // fixed end, -1: none
	end    int64 // as last listed
	asked  int64 // next when the list was asked for: a later end cannot be below it

	from     connector.Position // where the first start began
	next     connector.Position
	read     int64
	finished bool   // next has reached the fixed end
	ended    bool   // the fixed end has been read; it is in flight or sequenced
	taps     []*tap // one for each reference to the source, in the order of the plan's inputs

	damage  error // what follows the chunks that were read cannot be read
	reading bool  // a Read is open
	waited  int   // ticks for which it has been open
	queue   []*flight
}

func newPartition(index int, p connector.Partition) *partition {
	return &partition{PartitionID: p.PartitionID, source: p.Source, index: index, logID: p.LogID, until: -1, end: p.End}
}

// newest is the newest time up to which every reference with a time column has come: −∞ at first, +∞ without any.
func (p *partition) newest() vec.Time {
	t := vec.PosInf
	for _, tp := range p.taps {
		if tp.in.Time != nil {
			t = min(t, tp.maxTime)
		}
	}
	return t
}

// keyText is a position key behind its brace and up to the position, as the output writes it: of the topic only quotes,
// backslashes and control characters are escaped.
func keyText(id connector.PartitionID) string {
	text := append(appendEscaped([]byte(`"_topic":"`), id.Topic), '"')
	if id.Index != connector.NoIndex {
		text = fmt.Appendf(text, `,"_partition":%d`, id.Index)
	}
	return string(text) + `,"_offset":`
}

// appendEscaped appends a text as it stands between the quotes of a JSON string.
func appendEscaped(dst []byte, text string) []byte {
	for _, c := range []byte(strings.ToValidUTF8(text, "\uFFFD")) {
		switch short := strings.IndexByte("\b\f\n\r\t", c); {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case short >= 0:
			dst = append(dst, '\\', "bfnrt"[short])
		case c < ' ':
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// logKey tells the partitions of all sources apart: two sources may have topics of one name.
type logKey struct {
	source int
	connector.PartitionID
}

func (p *partition) key() logKey { return logKey{p.source, p.PartitionID} }

// behind reports whether the log is known to hold more than was read.
func (p *partition) behind() bool {
	if p.until >= 0 {
		return !p.ended
	}
	return p.read < p.end
}

func (p *partition) name() string { return PartName(p.PartitionID) }

// PartName is how messages name a partition: topic/number, or a file's path.
func PartName(id connector.PartitionID) string {
	if id.Index == connector.NoIndex {
		return id.Topic
	}
	return id.Topic + "/" + strconv.Itoa(int(id.Index))
}

// flight is a chunk between Got and its last use.
type flight struct {
	part     *partition
	chunk    *connector.Chunk
	slot     *slot
	prepared bool
}

func (f *flight) release() {
	f.chunk.Release()
	f.chunk = nil
}
