package runner

import (
	"fmt"
	"strconv"
	"strings"

	"ubik/internal/connector"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// partition is one partition of the source: where it is read, and its clock.
//
//	next.Offset ≤ read ≤ end      next: behind the last sequenced record; read: behind the last chunk got
type partition struct {
	connector.PartitionID
	source int         // index of its source
	in     *plan.Input // what its records become
	index  int
	logID  string
	until  int64 // fixed end, -1: none
	end    int64 // as last listed
	asked  int64 // next when the list was asked for: a later end cannot be below it

	from     connector.Position // where the first start began
	next     connector.Position
	read     int64
	maxTime  vec.Time // greatest time of a well-formed record, −∞ at first
	floor    vec.Time // −∞: none
	wm       vec.Time // partition watermark: max(maxTime − delay, floor); +∞ when finished in a run whose end counts
	finished bool     // next has reached the fixed end
	ended    bool     // the fixed end has been read; it is in flight or sequenced
	ledger   Ledger
	lane     *lane // record by record: this partition's lane

	reading bool // a Read is open
	waited  int  // ticks for which it has been open
	queue   []*flight
	keyText string // what the position key of its rows begins with
}

func newPartition(in *plan.Input, index int, p connector.Partition) *partition {
	return &partition{
		PartitionID: p.PartitionID, source: p.Source, in: in, index: index, logID: p.LogID, until: -1, end: p.End,
		maxTime: vec.NegInf, floor: vec.NegInf, wm: vec.NegInf,
		keyText: keyText(p.PartitionID),
	}
}

// keyText is a position key up to the position, a JSON object as the output writes it: of the topic only quotes,
// backslashes and control characters are escaped.
func keyText(id connector.PartitionID) string {
	text := append(appendEscaped([]byte(`{"_topic":"`), id.Topic), '"')
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
