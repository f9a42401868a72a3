package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"ubik/internal/checkpoint"
	"ubik/internal/connector"
	"ubik/internal/engine"
	"ubik/internal/fault"
	"ubik/internal/host"
	"ubik/internal/op"
	"ubik/internal/plan"
	"ubik/internal/runner"
	"ubik/internal/screen"
	"ubik/internal/vec"
)

func checkpointCommand(args []string) int {
	asJSON, data := false, false
	var path string
	bad := len(args) == 0 || args[0] != "show"
	if !bad {
		for _, a := range args[1:] {
			switch {
			case a == "--json" || a == "-json":
				asJSON = true
			case a == "--data" || a == "-data":
				data = true
			case path == "" && a != "" && (a[0] != '-' || a == "-"):
				path = a
			default:
				bad = true
			}
		}
	}
	if bad || path == "" {
		return report(os.Stderr, usageFault("write: ubik checkpoint show FILE [--json] [--data]", "checkpoint: one file is to be shown"))
	}
	return report(os.Stderr, showCheckpoint(screen.Text(os.Stdout), path, asJSON, data))
}

func showCheckpoint(w io.Writer, path string, asJSON, data bool) error {
	file, err := checkpoint.Read(host.OS, path)
	if err != nil {
		return err
	}
	unit, err := runner.ReadUnit(file)
	if err != nil {
		return err
	}
	v := view(file, unit, data)
	if v.Stored, err = storedRows(unit); err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	}
	v.print(w, unit)
	return nil
}

// checkpointView is what `checkpoint show --json` prints. Its fields are documented in docs/CHECKPOINT.md and do not
// change their meaning. Keys and values of the data are only in Data.
type checkpointView struct {
	Job         string            `json:"job"`
	Unit        uint64            `json:"unit"`
	Complete    bool              `json:"complete"`
	Mode        string            `json:"mode"`
	ContentHash string            `json:"content_hash"`
	Bytes       int64             `json:"bytes"`
	Sink        string            `json:"sink"`
	Facts       map[string]string `json:"query"`
	Watermark   string            `json:"watermark"`
	Records     uint64            `json:"records"`
	Rows        uint64            `json:"rows"`
	Stored      []storedView      `json:"stored,omitempty"`
	Partitions  []partitionView   `json:"partitions"`
	Lanes       []laneView        `json:"lanes"`
	Sections    []sectionView     `json:"sections"`
	Milestones  int               `json:"milestones"`
	Data        *dataView         `json:"data,omitempty"`
}

type storedView struct {
	Source string `json:"source"`
	Rows   int    `json:"rows"`
	Bytes  int    `json:"bytes"`
}

type partitionView struct {
	Partition  string `json:"partition"`
	As         string `json:"as,omitempty"`
	LogID      string `json:"log_id,omitempty"`
	Position   int64  `json:"position"`
	End        *int64 `json:"end,omitempty"`
	Finished   bool   `json:"finished"`
	Newest     string `json:"newest_time"`
	Read       uint64 `json:"read"`
	Used       uint64 `json:"used"`
	Filtered   uint64 `json:"filtered"`
	Unwindowed uint64 `json:"unwindowed"`
	Late       uint64 `json:"late"`
	LateFloor  uint64 `json:"late_by_floor"`
	Malformed  uint64 `json:"malformed"`
	PartlyLate uint64 `json:"partly_late"`
}

type laneView struct {
	Lane  string `json:"lane"`
	Rows  uint64 `json:"rows"`
	Chain string `json:"chain"`
}

type sectionView struct {
	Name    string `json:"name"`
	Bytes   int    `json:"bytes"`
	Content bool   `json:"content"`
}

type dataView struct {
	Query string `json:"query_text"`
	State string `json:"state_hex"`
}

// storedRows is what each band join keeps of its two sides; nil for other queries. A side is named by its source, or where
// there are several operators by the number of its own.
func storedRows(u *runner.Unit) ([]storedView, error) {
	var names []string
	var joins []plan.Fact
	for _, f := range u.Facts {
		if name, ok := strings.CutPrefix(f.Name, "source of "); ok {
			names = append(names, name)
		}
		if strings.HasPrefix(f.Name, "operator") {
			joins = append(joins, f)
		}
	}
	var views []storedView
	for i, f := range joins {
		placed, isJoin := op.PlacedSides(f.Value)
		if !isJoin || i >= len(u.States) {
			continue
		}
		sides, err := op.JoinStored(bytes.Join(u.States[i], nil), placed)
		if err != nil {
			return nil, fault.Wrap(fault.Checkpoint, err, "", "the operator state in the checkpoint cannot be read")
		}
		for side, s := range sides {
			name := []string{"left", "right"}[side] + " of " + f.Name
			if len(joins) == 1 && len(names) == 2 {
				name = names[side]
			}
			views = append(views, storedView{name, s.Rows, s.Bytes})
		}
	}
	return views, nil
}

func view(file *checkpoint.Unit, u *runner.Unit, data bool) *checkpointView {
	hash := file.ContentHash()
	v := &checkpointView{
		Job: hex.EncodeToString(u.JobID[:]), Unit: u.Number, Complete: u.Complete, Mode: u.Mode.String(), ContentHash: hex.EncodeToString(hash[:]),
		Bytes: file.Bytes, Sink: u.Target, Facts: map[string]string{}, Watermark: engine.TimeText(u.Watermark()), Records: u.Read(), Milestones: len(u.Milestones),
	}
	for _, f := range u.Facts {
		v.Facts[f.Name] = f.Value
	}
	for i := range u.Partitions {
		p := &u.Partitions[i]
		for k := range p.Clocks {
			c := &p.Clocks[k]
			l := &c.Ledger
			pv := partitionView{
				Partition: runner.PartName(p.PartitionID), As: c.Alias, LogID: p.LogID, Position: p.Next.Offset, Finished: p.Finished, Newest: engine.TimeText(c.MaxTime),
				Read: l.Read, Used: l.Used, Filtered: l.Filtered, Unwindowed: l.Unwindowed, Late: l.Late, LateFloor: l.LateByFloor, Malformed: l.Malformed, PartlyLate: l.PartlyLate,
			}
			if p.Until >= 0 && p.Until != connector.EndUnknown {
				until := p.Until
				pv.End = &until
			}
			v.Partitions = append(v.Partitions, pv)
		}
	}
	for _, l := range u.Lanes {
		v.Rows += l.Number
		v.Lanes = append(v.Lanes, laneView{l.Name, l.Number, hex.EncodeToString(l.Chain[:])})
	}
	for _, s := range file.Sections {
		v.Sections = append(v.Sections, sectionView{s.Name, len(s.Data), s.Content})
	}
	if data {
		var state []byte
		for _, stage := range u.States {
			state = append(state, bytes.Join(stage, nil)...)
		}
		v.Data = &dataView{u.Query, hex.EncodeToString(state)}
	}
	return v
}

func (v *checkpointView) print(w io.Writer, u *runner.Unit) {
	fmt.Fprintf(w, "job           %s\n", v.Job)
	state := "running or stopped"
	if v.Complete {
		state = "complete"
	}
	fmt.Fprintf(w, "unit          %d, %s (%s)\n", v.Unit, state, v.Mode)
	fmt.Fprintf(w, "size          %s\ncontent hash  %s\n", engine.SizeText(v.Bytes), v.ContentHash)
	for _, f := range u.Facts {
		fmt.Fprintf(w, "%-13s %s\n", f.Name, f.Value)
	}
	fmt.Fprintf(w, "sink          %s\n", v.Sink)
	fmt.Fprintf(w, "watermark     %s\n", v.Watermark)
	fmt.Fprintf(w, "rows          %d\n", v.Rows)
	for _, s := range v.Stored {
		fmt.Fprintf(w, "%-13s %s, %s of columns\n", "stored of "+s.Source, counted(uint64(s.Rows), "row"), engine.SizeText(int64(s.Bytes)))
	}
	for _, p := range u.Partitions {
		end := ""
		switch {
		case p.Until == connector.EndUnknown && p.Finished:
			end = ", its end"
		case p.Until >= 0 && p.Until != connector.EndUnknown:
			end = fmt.Sprintf(" of %d", p.Until)
		}
		newest := ""
		for k := range p.Clocks {
			if c := &p.Clocks[k]; c.MaxTime != vec.NegInf {
				newest += ", newest time " + engine.TimeText(c.MaxTime)
				if c.Alias != "" {
					newest += " as " + c.Alias
				}
			}
		}
		fmt.Fprintf(w, "%s: position %d%s%s\n", runner.PartName(p.PartitionID), p.Next.Offset, end, newest)
	}
	var rows []ledgerRow
	for i := range u.Partitions {
		p := &u.Partitions[i]
		for k := range p.Clocks {
			rows = append(rows, ledgerRow{ledgerName(p.PartitionID, p.Clocks[k].Alias), &p.Clocks[k].Ledger})
		}
	}
	writeLedger(w, rows, v.Data != nil)
	if v.Data != nil {
		fmt.Fprintf(w, "query text    %s\nstate         %s\n", v.Data.Query, v.Data.State)
	}
}
