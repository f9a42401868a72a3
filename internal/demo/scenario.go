package demo

import (
	"fmt"
	"slices"
	"time"
)

// Scenario is a query and the records that flow in while it is killed.
type Scenario struct {
	Name    string // what stands behind `ubik demo`; "" for the first
	Doc     string
	intro   string // what flows in, and what the query does; %d: the number of kills
	killed  string // how a kill is described
	sources []source
	sink    string // topic
	query   string
	records int // in all topics together
	// record makes the record of number i: the index of its source, its partition, value and time. random gives numbers
	// below n, the same ones in every run.
	record func(i int, random func(n uint64) int64) (source int, partition int32, value []byte, at time.Time)
}

// source is a topic of a scenario.
type source struct{ topic, schema string }

const partitions = 4 // of each topic

// Scenarios are what can be shown.
var Scenarios = []*Scenario{
	{
		Doc: "count and sum transactions per merchant and minute",
		intro: "400,000 transactions flow into a topic of 4 partitions (an in-process Kafka). One query counts and sums them per\n" +
			"merchant and minute. It is killed with SIGKILL %d times and started again with the same command line.",
		killed:  "in the middle of a window",
		sources: []source{{"txns", "merchant VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"}},
		sink:    "txn_counts",
		records: 400_000,
		query: `SELECT merchant,
         TUMBLE(event_time, INTERVAL 1 MINUTE) AS window,
         count(*) AS n, sum(amount) AS total
  FROM txns
  GROUP BY merchant, TUMBLE(event_time, INTERVAL 1 MINUTE)`,
		record: transaction,
	},
	{
		Name: "join",
		Doc:  "match settlements with their authorisations",
		intro: "150,000 authorisations and their settlements flow into two topics of 4 partitions (an in-process Kafka). One query\n" +
			"matches them by id, within ten minutes. It is killed with SIGKILL %d times and started again with the same command line.",
		killed: "with rows waiting for their partners",
		sources: []source{
			{"auths", "auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"},
			{"settlements", "auth_id VARCHAR, amount DECIMAL(18,2), event_time TIMESTAMP"},
		},
		sink:    "matched",
		records: 300_000,
		query: `SELECT a.auth_id, a.amount AS authorised, s.amount AS settled, s.event_time - a.event_time AS took
  FROM auths a JOIN settlements s
    ON a.auth_id = s.auth_id
   AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 10 MINUTE`,
		record: payment,
	},
}

// Find returns the scenario of a name.
func Find(name string) (*Scenario, bool) {
	i := slices.IndexFunc(Scenarios, func(s *Scenario) bool { return s.Name == name })
	if i < 0 {
		return nil, false
	}
	return Scenarios[i], true
}

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// timeText is a time as the records have it.
func timeText(t time.Time) string { return t.Format("2006-01-02T15:04:05.000Z") }

// transaction: times ascend by 20 ms with a disorder of up to 3 s, and one in 5,000 comes a minute late.
func transaction(i int, random func(n uint64) int64) (int, int32, []byte, time.Time) {
	at := start.Add(time.Duration(i)*20*time.Millisecond - time.Duration(random(3000))*time.Millisecond)
	if i%5000 == 4999 {
		at = at.Add(-time.Minute)
	}
	cents := random(100_000)
	value := fmt.Appendf(nil, `{"id":%d,"merchant":"m%02d","amount":%d.%02d,"currency":"EUR","event_time":"%s"}`,
		i, min(random(60), random(60)), cents/100, cents%100, timeText(at))
	return 0, int32(random(partitions)), value, at
}

// payment: each even record authorises, each odd one settles one of the last 4,000 authorisations: some never, some twice,
// and some later than ten minutes. Times ascend by 180 ms with a disorder of up to 3 s.
func payment(i int, random func(n uint64) int64) (int, int32, []byte, time.Time) {
	side, id := i%2, i/2
	if side == 1 {
		id = max(0, id-int(random(4000)))
	}
	at := start.Add(time.Duration(i/2)*180*time.Millisecond - time.Duration(random(3000))*time.Millisecond)
	cents := 100 + id*7919%100_000
	value := fmt.Appendf(nil, `{"auth_id":"a%06d","amount":%d.%02d,"event_time":"%s"}`, id, cents/100, cents%100, timeText(at))
	return side, int32(random(partitions)), value, at
}
