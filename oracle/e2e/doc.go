// Package e2e proves the program on a real Kafka broker, from outside: the built binary with the command line that a user types, killed with SIGKILL again
// and again and started again, and what it leaves in its output topic held against DuckDB's answer over a cold dump of the source topics.
//
// Words: a life is one run of the program from its start to its death. A kill is aimed when the program was told to kill itself at a phase, else it comes at
// a random moment. A kill counts when in each operator of the query a window was open, or a row was kept for a partner, and records were unread. A feed is
// what fills a source topic, stage by stage.
//
//	go test ./e2e -run Headline -v        prints the seed, the kills by phase, the rows written again and the records per second
//	go test ./e2e -run BandJoin -v        the same for joins of two topics
//	go test ./e2e -run 'Tree|Itself' -v   for chains, self-joins, windows over joins, unions
//	UBIK_TEST_SEED=7 go test ./e2e        draws the same transactions and plans the same kills again
//
// There is no program code here, only tests.
package e2e
