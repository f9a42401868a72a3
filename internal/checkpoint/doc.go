// Package checkpoint is the one file that holds a job: its bytes, and their replacement in one step.
//
// The words:
//
//   - a unit is one checkpoint: a number, the job's id, and named sections of bytes. What is in a section is its
//     writer's business; this package knows no operator.
//   - the content is the sections marked so. Two units with the same content have the same content hash, whatever their
//     number, job and other sections.
//   - a Store is the checkpoint of a running job: locked, read at the start, replaced at each Save. At every instant, a
//     power loss included, the path names one whole unit: the last saved or the one before it.
//
// Example:
//
//	store, unit, err := checkpoint.Open(host.OS, "/jobs/txns.ckpt") // unit is nil when there is no file yet
//	err = store.Save(&checkpoint.Unit{JobID: id, Number: 1, Sections: []checkpoint.Section{
//		{Name: "plan", Data: plan, Content: true},
//		{Name: "epochs", Data: epochs},
//	}})
//	err = store.Close()
//
// Damage of any kind is refused with a *Refused that names it; docs/CHECKPOINT.md draws the bytes and lists what is refused.
package checkpoint
