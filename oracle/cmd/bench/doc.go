// Command bench runs the headline query, or a band join, beside DuckDB, on the same files, in one run, and prints what each of them took. bench/README.md says
// what is measured and how.
//
//	go run ./cmd/bench                            # in oracle/: 10 M rows, 3 rounds
//	go run ./cmd/bench -rows 1000000 -rounds 1    # a quick look
//	go run ./cmd/bench -join                      # the band join of two files of 2 M rows each
//	go run ./cmd/bench -kafka                     # records a second from a topic into a topic
//	go run ./cmd/bench -profile ../bin/cpu.pprof  # one run of ubik under a CPU profile; also with -join
//
// A contestant is a process of its own, so that its time and its memory are its own. Contestants take turns within a round (A B A B), so that what
// the machine does meanwhile meets all of them. An answer that is not the expected one fails the benchmark, however fast it was.
package main
