// Package txngen makes card transactions as JSON records, for tests: the same records from the same options, on every machine.
// They are as awkward as real ones: times out of order and late, zone offsets, merchants of very uneven weight and of any spelling, absent and null
// fields, fields nobody asks for, key orders that vary, and on request records that are malformed in many ways.
//
//	options := txngen.Usual(seed)
//	options.Count = 200_000
//	records := txngen.Generate(options)   // numbered as an empty topic would number them
//
// A record looks like this, about 239 bytes in the mean:
//
//	{"id":"t-4f1c22aa","merchant":"m17","amount":12.34,"currency":"EUR","event_time":"2026-01-01T00:00:01.250Z","score":0.37,"channel":"pos",…}
//
// The schema is: merchant VARCHAR, amount DECIMAL(18,2) or, for the wide amounts, DECIMAL(38,2), event_time TIMESTAMP, score DOUBLE.
// The package is pure: no clock, no chance but the seed's.
package txngen
