package plan

import (
	"strings"
	"testing"

	"ubik/internal/expr"
	"ubik/internal/sql"
)

func TestAJoinThatCannotRunIsRefusedWithWhatToWrite(t *testing.T) {
	for query, want := range map[string]string{
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id`: `
query:1:20: error: the join of a and s has no bound on how far apart their times are, so rows would be kept forever
SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id
                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add to ON: AND s.event_time BETWEEN a.event_time - INTERVAL 10 MINUTE AND a.event_time + INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a LEFT JOIN settlements s ON a.auth_id = s.auth_id WHERE s.event_time = a.event_time`: `
query:1:20: error: the join of a and s has no bound on how far apart their times are, so rows would be kept forever
SELECT 1 AS x FROM auths a LEFT JOIN settlements s ON a.auth_id = s.auth_id WHERE s.event_time = a.e …
                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add to ON: AND s.event_time BETWEEN a.event_time - INTERVAL 10 MINUTE AND a.event_time + INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a LEFT JOIN settlements s USING (auth_id)`: `
query:1:20: error: the join of a and s has no bound on how far apart their times are, so rows would be kept forever
SELECT 1 AS x FROM auths a LEFT JOIN settlements s USING (auth_id)
                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add to JOIN … ON, in place of USING: AND s.event_time BETWEEN a.event_time - INTERVAL 10 MINUTE AND a.event_time + INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a, settlements s WHERE a.auth_id = s.auth_id`: `
query:1:20: error: the join of a and s has no bound on how far apart their times are, so rows would be kept forever
SELECT 1 AS x FROM auths a, settlements s WHERE a.auth_id = s.auth_id
                   ^~~~~~~~~~~~~~~~~~~~~~
hint: add to WHERE: AND s.event_time BETWEEN a.event_time - INTERVAL 10 MINUTE AND a.event_time + INTERVAL 10 MINUTE`,
		`SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s WHERE a.auth_id = s.auth_id)`: `
query:1:29: error: the join of a and s has no bound on how far apart their times are, so rows would be kept forever
SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s WHERE a.auth_id = s.auth_id)
                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add to the WHERE of EXISTS: AND s.event_time BETWEEN a.event_time - INTERVAL 10 MINUTE AND a.event_time + INTERVAL 10 MINUTE`,
		`SELECT n FROM auths a WHERE EXISTS (FROM settlements s)`: `
query:1:29: error: the join of a and s has no bound on how far apart their times are, so rows would be kept forever
SELECT n FROM auths a WHERE EXISTS (FROM settlements s)
                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add to EXISTS: WHERE s.event_time BETWEEN a.event_time - INTERVAL 10 MINUTE AND a.event_time + INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time >= a.event_time + INTERVAL 1 HOUR`: `
query:1:76: error: the band has no upper bound, so rows of a would be kept forever
… ths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time >= a.event_time + INTERVAL 1 HOUR
                                                        ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add: AND s.event_time <= a.event_time + INTERVAL '1 hour 10 minutes'`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time < a.event_time`: `
query:1:76: error: the band has no lower bound, so rows of s would be kept forever
… LECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time < a.event_time
                                                                           ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add: AND s.event_time >= a.event_time - INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + a.valid`: `
query:1:76: error: a bound of the band must be a constant INTERVAL, but a.valid varies by row
… tlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + a.valid
                                          ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add the most that it can be, beside this condition: AND s.event_time <= a.event_time + INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time - a.event_time < INTERVAL (a.n) MINUTE`: `
query:1:76: error: a bound of the band must be a constant INTERVAL, but to_minutes(a.n) varies by row
…  JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time - a.event_time < INTERVAL (a.n) MINUTE
                                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add the most that it can be, beside this condition: AND s.event_time BETWEEN a.event_time - INTERVAL 10 MINUTE AND a.event_time + INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.made BETWEEN a.made - 1 AND a.made + a.n`: `
query:1:76: error: a bound of the band must be a constant INTERVAL, but a.n varies by row
… M auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.made BETWEEN a.made - 1 AND a.made + a.n
                                                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add the most that it can be, beside this condition: AND s.made <= a.made + INTERVAL 10 MINUTE`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 MONTH`: `
query:1:76: error: a bound of the band is in months, which have no fixed length
… s s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 1 MON …
                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: give it in days: 1 month is at most INTERVAL 31 DAY`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time + INTERVAL 1 MINUTE AND a.event_time`: `
query:1:76: error: this band is empty: s.event_time − a.event_time would have to be at least INTERVAL '1 minute' and at most INTERVAL '0 seconds'
… s s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time + INTERVAL 1 MINUTE AND a.event_t …
                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: exchange the bounds, or their signs`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 400000 DAYS`: `
query:1:76: error: a bound of this band is longer than 1000 years
… s s ON a.auth_id = s.auth_id AND s.event_time BETWEEN a.event_time AND a.event_time + INTERVAL 40000 …
                                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: give a shorter one`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON s.event_time = a.event_time AND a.auth_id < s.auth_id`: `
query:1:50: error: s.event_time = a.event_time is the band of the join of a and s, which has no equality of keys besides
… LECT 1 AS x FROM auths a JOIN settlements s ON s.event_time = a.event_time AND a.auth_id < s.auth_id
                                                 ^~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: add to ON: AND a.auth_id = s.auth_id`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON auth_id = s.auth_id`: `
query:1:50: error: auth_id is a column of a and of s
SELECT 1 AS x FROM auths a JOIN settlements s ON auth_id = s.auth_id
                                                 ^~~~~~~
hint: write a.auth_id or s.auth_id`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_di`: `
query:1:64: error: settlements has no column auth_di
SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_di
                                                               ^~~~~~~
hint: did you mean auth_id?`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = evnt_time`: `
query:1:62: error: neither a nor s has a column evnt_time
SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = evnt_time
                                                             ^~~~~~~~~
hint: did you mean a.event_time?`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = x`: `
query:1:62: error: neither a nor s has a column x
SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = x
                                                             ^
hint: it names an output column, which a condition cannot use; write what it stands for: 1`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = settlements.auth_id`: `
query:1:62: error: settlements is named s in this query
SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = settlements.auth_id
                                                             ^~~~~~~~~~~
hint: write s.auth_id`,
		`SELECT 1 AS x FROM auths a JOIN settlements s USING (n)`: `
query:1:54: error: settlements has no column n
SELECT 1 AS x FROM auths a JOIN settlements s USING (n)
                                                     ^
hint: its columns are: auth_id, amount, event_time, made, m, zoned, booked`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.m`: `
query:1:50: error: cannot compare VARCHAR with BIGINT: cast one of them
SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.m
                                                 ^~~~~~~~~~~~~~~`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND count(*) > 1`: `
query:1:76: error: an aggregate cannot stand in ON
SELECT 1 AS x FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND count(*) > 1
                                                                           ^~~~~~~~`,
		`SELECT 1 AS x FROM auths a JOIN settlements s ON a.n`: `
query:1:50: error: ON needs a BOOLEAN, this is INTEGER
SELECT 1 AS x FROM auths a JOIN settlements s ON a.n
                                                 ^~~
hint: compare it with something`,
		`SELECT 1 AS x FROM auths a JOIN settlements A ON a.auth_id = s.auth_id`: `
query:1:20: error: two sources are named a in this query
SELECT 1 AS x FROM auths a JOIN settlements A ON a.auth_id = s.auth_id
                   ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: give one of them another name: settlements AS b`,
		`SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s) OR n > 1`: `
query:1:29: error: EXISTS cannot stand here
SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s) OR n > 1
                            ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: EXISTS and NOT EXISTS are conditions of WHERE, alone or joined to others by AND`,
		`SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s LIMIT 1)`: `
query:1:37: error: LIMIT and OFFSET in EXISTS are not supported yet
SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s LIMIT 1)
                                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: leave them away: one row is enough for EXISTS`,
		`SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s GROUP BY m)`: `
query:1:37: error: GROUP BY and HAVING in EXISTS are not supported yet
SELECT n FROM auths a WHERE EXISTS (SELECT 1 FROM settlements s GROUP BY m)
                                    ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
hint: leave them away if it is only asked whether there is a row`,
		`SELECT n FROM auths a WHERE EXISTS (SELECT count(*) FROM settlements s WHERE s.event_time = a.event_time)`: `
query:1:44: error: an aggregate cannot stand in the select list of EXISTS
… T n FROM auths a WHERE EXISTS (SELECT count(*) FROM settlements s WHERE s.event_time = a.event_time)
                                        ^~~~~~~~`,
		`SELECT a.n, s.m FROM auths a SEMI JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time = a.event_time`: `
query:1:13: error: the columns of s cannot be named here: this join gives rows of a alone
SELECT a.n, s.m FROM auths a SEMI JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time = a.e …
            ^~~
hint: use JOIN for columns of both`,
		`SELECT s.* FROM auths a ANTI JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time = a.event_time`: `
query:1:8: error: the columns of s cannot be named here: this join gives rows of a alone
SELECT s.* FROM auths a ANTI JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time = a.event_ …
       ^~~
hint: use JOIN for columns of both`,
		`SELECT n AS k FROM auths a JOIN settlements s ON k = 1`: `
query:1:50: error: neither a nor s has a column k
SELECT n AS k FROM auths a JOIN settlements s ON k = 1
                                                 ^
hint: it names an output column, which a condition cannot use; write what it stands for: n`,
		`SELECT 1 AS x FROM auths a JOIN nothing s ON true`: `
query:1:33: error: there is no source named nothing
SELECT 1 AS x FROM auths a JOIN nothing s ON true
                                ^~~~~~~~~
hint: the sources are: auths, settlements; another is added by --from`,
		`FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time = a.event_time`: `
query:1:1: error: two output columns are named auth_id
FROM auths a JOIN settlements s ON a.auth_id = s.auth_id AND s.event_time = a.event_time
^~~~
hint: name the columns in place of *, one of these with AS`,
	} {
		_, err := Build(joinRequest(t, query))
		if err == nil {
			t.Errorf("accepted: %s", query)
			continue
		}
		if got := sql.Describe(err, "query", query); got != strings.TrimPrefix(want, "\n") {
			t.Errorf("got\n%s\nwant%s", got, want)
		}
	}
}

// The hint for a band in months is never shorter than they can be, and only as much longer as they differ.
func TestMonthsAreHintedAsTheMostDaysThatTheyHave(t *testing.T) {
	for _, months := range []int64{1, 2, 3, 5, 12, 13, 24, 47, 48, 49, 100, 1200, 1201, 1212, 4800, 4801, 6000, 12000} {
		most := int64(0)
		for from := range int64(400 * 12) {
			to := from + months
			if n := expr.DaysFromCivil(2000+to/12, to%12+1, 1) - expr.DaysFromCivil(2000+from/12, from%12+1, 1); n > most {
				most = n
			}
		}
		if got := daysMost(months); got < most || got > most+1 {
			t.Errorf("%d months are hinted as %d days, the most is %d", months, got, most)
		}
	}
}
