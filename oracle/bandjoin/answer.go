package bandjoin

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"ubik/internal/ubiktest/rawlog"
	"ubik/oracle/duck"
)

// Answer is what a query gives over a log.
type Answer struct {
	Rows []rawlog.Record // as the program must write them, lane by lane in the order it must; the partition and the offset are left open

	lanes []string       // of each row
	byKey map[string]int // row
}

// Lane names the lane of a row that was written; "" for one that is not in the answer.
func (a *Answer) Lane(r rawlog.Record) string {
	if i, there := a.byKey[string(r.Key)]; there {
		return a.lanes[i]
	}
	return ""
}

// Lanes counts the rows of each lane that has any.
func (a *Answer) Lanes() map[string]uint64 {
	n := map[string]uint64{}
	for _, lane := range a.lanes {
		n[lane]++
	}
	return n
}

// Ask answers a join of two references.
func (l *Log) Ask(q *Query) (*Answer, error) {
	p := Part{SQL: q.rowsSQL(), Of: []string{"a", "s"}, places: []*Reference{l.reference("auths"), l.reference("settlements")}}
	for _, c := range q.Columns {
		p.Columns = append(p.Columns, c.Name)
	}
	return l.answer([]Part{p})
}

// AskTree answers a query of any shape.
func (l *Log) AskTree(t *Tree) (*Answer, error) { return l.answer(t.Parts) }

func (l *Log) reference(name string) *Reference {
	for i := range l.refs {
		if l.refs[i].Name == name {
			return &l.refs[i]
		}
	}
	panic("bandjoin: no reference is named " + name)
}

func (l *Log) answer(parts []Part) (*Answer, error) {
	a := &Answer{byKey: map[string]int{}}
	for i, p := range parts {
		branch := ""
		if len(parts) > 1 {
			branch = fmt.Sprintf(`"_branch":%d`, i+1)
		}
		if p.places == nil {
			for _, name := range p.Of {
				p.places = append(p.places, l.reference(name))
			}
		}
		result, err := l.db.Query(p.SQL)
		if err != nil {
			return nil, err
		}
		n := len(p.Columns)
		for _, row := range result.Rows {
			r := rawlog.Record{Key: p.key(branch, row[n+1:]), Value: p.value(row[:n]), TimestampMillis: millis(row[n].(int64))}
			lane := branch
			if p.Records {
				lane += fmt.Sprintf(" %d", row[n+1])
			}
			if _, twice := a.byKey[string(r.Key)]; twice {
				return nil, fmt.Errorf("two rows of the answer have the key %s", r.Key)
			}
			a.byKey[string(r.Key)] = len(a.Rows)
			a.Rows, a.lanes = append(a.Rows, r), append(a.lanes, lane)
		}
	}
	return a, nil
}

// millis cuts a time of µs.
func millis(us int64) int64 { return time.UnixMicro(us).UnixMilli() }

// key writes the key of a row from the cells behind its timestamp.
func (p *Part) key(branch string, cells []any) []byte {
	var members []string
	if branch != "" {
		members = append(members, branch)
	}
	for i, name := range p.Key {
		members = append(members, fmt.Sprintf("%q:%s", name, jsonText(cells[i])))
	}
	for i, ref := range p.places {
		part, off := cells[2*i], cells[2*i+1]
		if part == nil {
			continue
		}
		place := fmt.Sprintf(`"_topic":%q`, ref.Source.Topic)
		if !ref.Source.File {
			place += fmt.Sprintf(`,"_partition":%d`, part)
		}
		place += fmt.Sprintf(`,"_offset":%d`, off)
		if !p.Records {
			place = fmt.Sprintf("%q:{%s}", p.Of[i], place)
		}
		members = append(members, place)
	}
	return []byte("{" + strings.Join(members, ",") + "}")
}

// value writes a row's columns.
func (p *Part) value(row []any) []byte {
	var b strings.Builder
	sep := byte('{')
	for i, name := range p.Columns {
		b.WriteByte(sep)
		fmt.Fprintf(&b, "%q:%s", name, jsonText(row[i]))
		sep = ','
	}
	return []byte(b.String() + "}")
}

// jsonText writes a value as the program does. Texts are those of the generator: nothing but quotes must be escaped in them.
func jsonText(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return `"` + strings.ReplaceAll(v, `"`, `\"`) + `"`
	case duckdb.Decimal:
		return duck.Decimal(v.Value, int(v.Scale))
	case int64:
		return strconv.FormatInt(v, 10)
	case time.Time:
		text := strings.TrimSuffix(v.UTC().Format("2006-01-02T15:04:05.000000"), "000")
		return `"` + strings.TrimSuffix(text, ".000") + `Z"`
	}
	panic(fmt.Sprintf("bandjoin: no form for %T", v))
}
