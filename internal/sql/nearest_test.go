package sql

import "testing"

func TestWhatIsMeantByAWord(t *testing.T) {
	names := []string{"event_time", "amount", "ingest_time", "merchant", "customer_id", "ts"}
	for word, want := range map[string]string{
		"amuont": "amount", "AMOUNT": "amount", "merchnat": "merchant",
		"amnt": "amount", "time": "event_time", "cust": "customer_id", "id": "", "ingest": "ingest_time",
		"mount": "amount", "venttime": "event_time", "price": "", "t": "", "amountx": "amount",
		"custonar_ip": "customer_id", "xvxnt_timx": "event_time", "xvxnt_ximx": "", // three letters of a long word
		"custones": "", "amxxnt": "amount", "axxxnt": "", "tz": "ts", // fewer of a shorter one
	} {
		if got := Nearest(word, names); got != want {
			t.Errorf("%s: %q, want %q", word, got, want)
		}
	}
}
