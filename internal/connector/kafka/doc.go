// Package kafka reads and writes topics of Apache Kafka.
//
//	kafka://host1:9092,host2:9092/topic              the port may be left out: 9092
//	kafka://host/topic?compacted=yes                 source: read a compacted topic all the same
//	kafka://host/topic?partitions=12                 sink: partitions of a topic that is created
//
// # Words
//
// A link is the client of one topic: it knows how to ask and how long to be patient. A part is an open partition. A
// piece is what one fetch answer brought for one part: whole record batches, still compressed, with the position
// behind them. A slab is the memory of one chunk.
//
// # The source
//
// One fetcher goroutine for each broker asks for whole batches and puts them, as pieces, into the queues of the parts;
// it reads only batch headers. Read, on its caller's goroutine, checks, decompresses and copies records into a chunk. So
// positions move past batches that hold nothing readable (control records, aborted records, records that compaction
// took) without a record being there, and decoding runs on as many cores as there are readers.
//
// The franz-go client carries the requests; its own consumer is not used. It reports no progress over batches without a
// readable record, drops what it has fetched for a partition when that is paused, tells nothing of a partition whose
// answers are empty, and is able to move a position on its own. Here nothing can: a position only ever follows from the
// batches read, and there is no reset of any kind.
//
// What makes reading exact:
//   - Isolation is read_committed, and the end of a partition is its last stable offset, asked from the leader.
//   - Each answer's topic id, each position against the log's range, and, when the leader changes, the leader epoch of
//     the record before against the new leader's history are compared. Any difference ends the run with LogChanged.
//   - Offsets ascend strictly in what Read gives; a record that does not is dropped and counted.
//
// Memory: a part asks for no more when its queue holds its share of the budget; nobody asks when all queues together
// hold the whole of it, but for a part whose queue is empty and whose reader waits.
//
// # The sink
//
// Rows go through the idempotent producer with acks=all, partitioned by murmur2 of the key like the Java client does.
// No record is ever given up half-way: cancelling one whose fate is unknown could lose its successor. When the broker
// stays silent for longer than delivery.timeout.ms the sink fails as a whole, and the next run writes the rows again.
package kafka
