// Package sim is a simulated world for the runner: a log in memory, a sink that remembers every write, one file for the
// checkpoint, and no time. A seed is one execution: it decides which pending action is performed next, how long chunks
// are, when a tick comes and whether it is due for a checkpoint, when the log grows, and where the process dies.
//
//	world := sim.World{Sources: []sim.Source{{"t", "k VARCHAR, ts TIMESTAMP", 5e6, ""}}, SQL: "SELECT …", Partitions: log}
//	result, err := world.Run(seed, sim.Options{End: sim.ToEnd, Crashes: 3, Checkpoint: true})
//
// Its words: a life is one run from its start to its clean end or its crash; a schedule is the sequence of all decisions
// of an execution. Whatever the schedule, the rows of each lane by their number, the ledger, and the content of the
// checkpoint at equal positions must be the same. Run finds what contradicts that within one execution; Check compares
// it with the naive evaluator; History compares executions with each other.
package sim
