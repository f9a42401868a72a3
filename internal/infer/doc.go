// Package infer guesses the schema of a source from its first records: names, types and a line of advice where the
// guess has a price. Its words:
//
//   - The sample are the records a Sampler is given.
//   - A tally counts what was met in one place: how many values of each kind, and what their texts look like.
//   - A node is a place: a column, a field of an object, the elements of a list. Nodes form a tree, the root is the
//     record.
//
// For example:
//
//	s := infer.NewJSON()
//	s.Add([]byte(`{"merchant":"A","amount":9.5,"event_time":"2026-01-01T00:00:00Z"}`))
//	s.Schema(nil).DDL("") // merchant VARCHAR, amount DOUBLE, event_time TIMESTAMP
//
// # The rules
//
// A type is one under which every record of the sample can be read, and a function of the multiset of the records: their
// order decides the order of columns and which value a note shows, never a type.
//
//	met                                         type
//	true and false                              BOOLEAN
//	integers, 1e2 among them                    BIGINT; HUGEINT when one needs it; DOUBLE when one is beyond that
//	a number with a point or a fraction         DOUBLE, 1.0 included: who writes it has fractions in mind
//	texts that are all dates                    DATE
//	texts that a cast to TIMESTAMP all accepts  TIMESTAMP
//	any other texts                             VARCHAR; so are texts of which some are times. Beside numbers, NaN,
//	                                            Infinity and -Infinity are numbers, as in our own output
//	scalars of several kinds                    VARCHAR
//	NULL alone, nothing at all                  VARCHAR
//	lists                                       a list of the type of all their elements
//	objects                                     STRUCT of all fields met, in order of first appearance; or MAP
//	objects with scalars or lists, lists with scalars, objects without any member
//	                                            JSON
//
// An object is a MAP(VARCHAR, …) when more than mapNames names were met in it, a single one holds on average fewer than a
// tenth of them, and all the values are of one kind.
//
// The texts of CSV fields are booleans (true and false in any case), numbers, times or texts by their looks, and then
// follow the same table. A number with a leading zero or plus is a text (a postal code, a phone number); so is one with
// decimal comma or separated thousands, with a note of how to read it. nan and inf are numbers beside numbers.
//
// # Names
//
// A SQL name is known without regard to case, a JSON name is not: of names that differ only in case the one met first is
// the column, and a note says so. The empty name, and text that is not UTF-8, cannot be declared.
//
// # Bounds
//
// At most nodesMax places are told apart. Names met for the first time when there are that many, and names longer than
// nameMax bytes, are not listed, and a note says so. Below levelsMax levels everything is JSON. So memory is bounded by
// the bounds, never by the sample.
package infer
