// Package authgen makes card authorisations and the settlements that follow them, as JSON records of two topics, for tests: the same records from the same
// options, on every machine.
//
// Most settlements come within ten minutes of their authorisation, some before it or much later, some exactly on a bound of a band or a microsecond beside.
// There are authorisations without a settlement and with several, settlements of nothing, records that occur twice, absent and null ids, a few ids that half
// the world uses, many equal times, disorder, late records in both topics, records that are late or not by a microsecond, and malformed ones.
//
//	auths, settlements := authgen.Generate(authgen.Usual(seed))
//
// A record of either topic looks like this:
//
//	{"auth_id":"a-00001f","amount":12.34,"event_time":"2026-01-01T00:00:01.25Z"}
//
// The schema of both is: auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP. Each topic is in the order of arrival, and both arrive evenly: the
// first tenth of the one belongs to the first tenth of the other.
package authgen
