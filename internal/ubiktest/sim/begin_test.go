package sim

import "testing"

// TestARunThatBeginsBehindRecordsIsOneOverTheRest: of every world's log a part is passed over at the first start, and
// whatever happens from then on, the output is that of a log without it.
func TestARunThatBeginsBehindRecordsIsOneOverTheRest(t *testing.T) {
	list := append(worlds(), joinWorlds()...)
	for i := range list {
		w := &list[i]
		for k, p := range w.Partitions {
			w.Passed = append(w.Passed, len(p.Records)*(k%3)/3) // of every third one nothing
		}
		if len(w.Partitions) == 1 {
			w.Passed[0] = len(w.Partitions[0].Records) / 2
		}
	}
	trySchedules(t, list, (*schedules+5)/6, 100)
}
