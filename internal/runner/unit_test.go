package runner

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"ubik/internal/checkpoint"
	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/plan"
	"ubik/internal/vec"
)

// wholeUnit has a value of its own in every field.
func wholeUnit() *Unit {
	incident := func(at int64) *Incident {
		return &Incident{Offset: at, Time: vec.Time(at + 1), Behind: vec.Time(at + 2), Field: fmt.Sprint("field ", at), Reason: fmt.Sprint("reason ", at)}
	}
	clock := func(alias string, n int64) UnitClock {
		return UnitClock{
			Alias: alias, MaxTime: vec.Time(-n), Floor: vec.NegInf + vec.Time(n), Watermark: vec.PosInf - vec.Time(n),
			Ledger: Ledger{
				Read: 1<<63 + uint64(n), Malformed: 2, Filtered: 3, Unwindowed: 4, Late: 5, LateByFloor: 6, Used: 7, PartlyLate: 8,
				FirstMalformed: incident(n + 100), FirstLate: incident(n + 200), WorstLate: incident(n + 300),
			},
		}
	}
	part := func(n int64) UnitPartition {
		return UnitPartition{
			Source: 1, PartitionID: connector.PartitionID{Topic: fmt.Sprint("topic ", n), Index: int32(n)}, LogID: fmt.Sprint("id ", n),
			From: connector.Position{Offset: n + 10, Epoch: -1}, Until: n + 1<<40,
			Next:     connector.Position{Offset: n + 1000, Epoch: int32(n + 5), Hash: [16]byte{byte(n), 2, 15: 9}},
			Finished: n%2 == 1, Clocks: []UnitClock{clock("a", n), clock("b", n+20)},
		}
	}
	lanes := func(n uint64) []UnitLane {
		return []UnitLane{{"a/0", n, [16]byte{1, 2, 3}}, {"a lane, \"quoted\"", n + 1, [16]byte{15: 255}}}
	}
	times := func(a, b int64) []vec.Time { // of two clocks of each of two partitions
		return []vec.Time{vec.Time(a), vec.Time(a + 100), vec.Time(b), vec.Time(b + 100)}
	}
	return &Unit{
		JobID: [16]byte{1, 15: 2}, Number: 300, Mode: KeepOpen, Complete: true, Query: "SELECT é\n", MaxRecord: 1234, Target: "kafka out",
		Facts: []plan.Fact{{Name: "delay", Value: "5 µs"}, {Name: "WHERE", Value: "none"}}, Sink: []byte{7, 0, 255},
		Tables:     []Table{{Name: "t", Format: "csv", Dialect: "{}", Schema: "k VARCHAR", Inferred: true}, {Name: "u", Format: "json", Schema: "k INTEGER"}},
		Partitions: []UnitPartition{part(1), part(2)}, Lanes: lanes(12), States: [][][]byte{{{1, 2, 3, 0, 255}}, {{4, 0}}},
		Milestones: []Milestone{
			{Unit: 1, Watermark: -3, Next: []int64{4, 5}, MaxTime: times(6, 7), Floor: times(8, 9), Lanes: lanes(3)},
			{Unit: 200, Watermark: 7, Next: []int64{14, 15}, MaxTime: times(16, 17), Floor: times(18, 19), Lanes: lanes(5)},
		},
	}
}

// unset names the fields of a value that are zero, those of every struct within included.
func unset(v reflect.Value, name string) []string {
	var out []string
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			out = append(out, unset(v.Field(i), name+"."+v.Type().Field(i).Name)...)
		}
		return out
	case reflect.Pointer:
		if !v.IsNil() {
			return unset(v.Elem(), name)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			return unset(v.Index(0), name+"[0]")
		}
	default:
		if !v.IsZero() {
			return nil
		}
	}
	return []string{name}
}

func TestAUnitIsReadBackWithEveryField(t *testing.T) {
	u := wholeUnit()
	// The hash of the position a file begins at is that of nothing.
	for _, name := range unset(reflect.ValueOf(u), "Unit") {
		if name != "Unit.Partitions[0].From.Hash" {
			t.Errorf("the test leaves %s unset", name)
		}
	}
	got, err := ReadUnit(u.Sections())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, u) {
		t.Errorf("got  %+v\nwant %+v", got, u)
	}
	empty, err := ReadUnit((&Unit{}).Sections())
	if err != nil || len(empty.States) != 1 || len(empty.States[0][0])+len(empty.Sink) > 0 || empty.Partitions != nil || empty.Facts != nil {
		t.Errorf("an empty unit is read as %+v, %v", empty, err)
	}
}

// What belongs to the moment of the cut is content; what belongs to the job, to its history or to the sink is not.
func TestTheContentIsWhatTheOutputDependsOn(t *testing.T) {
	hash := func(change func(u *Unit)) [16]byte {
		u := wholeUnit()
		change(u)
		return u.Sections().ContentHash()
	}
	was := hash(func(*Unit) {})
	for name, change := range map[string]func(u *Unit){
		"the job": func(u *Unit) { u.JobID[0]++ }, "the number": func(u *Unit) { u.Number++ }, "the text of the query": func(u *Unit) { u.Query += " " },
		"a leader epoch": func(u *Unit) { u.Partitions[0].Next.Epoch++ }, "the milestones": func(u *Unit) { u.Milestones = nil },
		"the sink":                func(u *Unit) { u.Sink = nil },
		"the pieces of the state": func(u *Unit) { u.States[0] = [][]byte{{1}, {2, 3}, nil, {0, 255}} },
	} {
		if hash(change) != was {
			t.Errorf("%s changes the content", name)
		}
	}
	for name, change := range map[string]func(u *Unit){
		"a position": func(u *Unit) { u.Partitions[1].Next.Offset++ }, "the hash of a prefix": func(u *Unit) { u.Partitions[1].Next.Hash[0]++ },
		"a floor": func(u *Unit) { u.Partitions[0].Clocks[0].Floor++ }, "a clock": func(u *Unit) { u.Partitions[0].Clocks[1].MaxTime++ },
		"the ledger": func(u *Unit) { u.Partitions[1].Clocks[1].Ledger.Late++ }, "an incident": func(u *Unit) { u.Partitions[1].Clocks[0].Ledger.WorstLate = nil },
		"a lane": func(u *Unit) { u.Lanes[0].Number++ }, "a chain": func(u *Unit) { u.Lanes[1].Chain[3]++ }, "the state": func(u *Unit) { u.States[1][0][0]++ },
		"a table": func(u *Unit) { u.Tables[1].Schema = "" }, "a fact": func(u *Unit) { u.Facts[0].Value = "6 µs" }, "the mode": func(u *Unit) { u.Mode = Bounded },
		"completeness": func(u *Unit) { u.Complete = false }, "an end": func(u *Unit) { u.Partitions[0].Until = -1 },
	} {
		if hash(change) == was {
			t.Errorf("%s does not change the content", name)
		}
	}
}

func TestAMissingOrDamagedSectionIsNamed(t *testing.T) {
	for i, s := range wholeUnit().Sections().Sections {
		f := wholeUnit().Sections()
		f.Sections = append(f.Sections[:i:i], f.Sections[i+1:]...)
		optional := s.Name == sectionClocks || s.Name == sectionTables || s.Name == stateSection(1) // the checksum of the file tells when one is cut out
		if _, err := ReadUnit(f); !optional && (err == nil || err.Error() != fmt.Sprintf("the checkpoint has no section %q", s.Name)) {
			t.Errorf("without %s: %v", s.Name, err)
		}
		if strings.HasPrefix(s.Name, sectionState) || s.Name == sectionSink {
			continue // their bytes are the operator's and the sink's
		}
		for what, data := range map[string][]byte{"cut": s.Data[:len(s.Data)-1], "longer": append(s.Data[:len(s.Data):len(s.Data)], 0)} {
			f := wholeUnit().Sections()
			f.Sections[i].Data = data
			if _, err := ReadUnit(f); err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("section %q of the checkpoint: ", s.Name)) {
				t.Errorf("%s %s: %v", s.Name, what, err)
			}
		}
	}
	f := wholeUnit().Sections()
	f.Sections[0].Data = (&Unit{}).Sections().Sections[0].Data
	if _, err := ReadUnit(f); err == nil || err.Error() != "the sections of the checkpoint contradict each other" {
		t.Errorf("epochs of no partition: %v", err)
	}
}

// A file made for the purpose has right checksums, so counts are believed only as far as the bytes reach.
func TestACountTakesNoMoreMemoryThanItsSectionIsLong(t *testing.T) {
	u := &Unit{}
	for range 500 {
		u.Partitions = append(u.Partitions, UnitPartition{Clocks: make([]UnitClock, 1)})
	}
	f := u.Sections()
	var e vec.Encoder
	e.Uvarint(20000)
	history := append(e.Buf, make([]byte, 20000)...)
	total := 0
	for i := range f.Sections {
		if f.Sections[i].Name == sectionHistory {
			f.Sections[i].Data = history
		}
		total += len(f.Sections[i].Data)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadUnit(f); err == nil {
		t.Error("it was read")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(100*total) {
		t.Errorf("%d bytes of sections take %d bytes of memory", total, took)
	}
}

// pack puts the sections behind each other, each with its length; unpack takes whatever bytes it gets.
func pack(f *checkpoint.Unit) []byte {
	var e vec.Encoder
	for _, s := range f.Sections {
		e.Bytes(s.Data)
	}
	return e.Buf
}

func unpack(data []byte) *checkpoint.Unit {
	d := &vec.Decoder{Buf: data}
	f := wholeUnit().Sections()
	for i := range f.Sections {
		f.Sections[i].Data = append([]byte{}, d.Bytes()...)
	}
	return f
}

// FuzzReadUnit: whatever the sections hold, it is refused as a fault of the checkpoint, or it is a unit that is written
// and read as itself.
func FuzzReadUnit(f *testing.F) {
	f.Add(pack(wholeUnit().Sections()))
	f.Add(pack((&Unit{}).Sections()))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		u, err := ReadUnit(unpack(data))
		if err != nil {
			var fe *fault.Error
			if !errors.As(err, &fe) || fe.Class != fault.Checkpoint {
				t.Fatalf("it is refused by %v", err)
			}
			return
		}
		again, err := ReadUnit(u.Sections())
		if err != nil || !bytes.Equal(pack(again.Sections()), pack(u.Sections())) {
			t.Fatalf("read again it is\n%+v, %v\nit was\n%+v", again, err, u)
		}
	})
}
