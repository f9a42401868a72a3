package txngen

import (
	"encoding/json"
	"hash/fnv"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestOneSeedMakesOneSequence(t *testing.T) {
	for _, amount := range []Amount{Number, String, WideNumber} {
		o := Usual(7)
		o.Amount, o.Count = amount, 2000
		a, b := Generate(o), Generate(o)
		if !reflect.DeepEqual(a, b) {
			t.Fatalf("amount %d: two runs differ", amount)
		}
		o.Seed++
		if reflect.DeepEqual(a, Generate(o)) {
			t.Fatalf("amount %d: another seed makes the same", amount)
		}
	}
}

// What a seed means is pinned: a change here makes every number that was printed with a seed worthless.
func TestTheSequenceOfASeedStays(t *testing.T) {
	o := Usual(1)
	o.Malformed, o.Faults = 50, AllFaults()
	h := fnv.New64a()
	for _, r := range Generate(o) {
		h.Write([]byte(r.String()))
	}
	const want = 0x446b342ccdd644eb
	if got := h.Sum64(); got != want {
		t.Errorf("got %#x, want %#x", got, uint64(want))
	}
}

func TestRecordsAreValidAndOfTheUsualSize(t *testing.T) {
	for _, amount := range []Amount{Number, String, WideNumber} {
		o := Usual(3)
		o.Amount = amount
		var bytes int
		records := Generate(o)
		for _, r := range records {
			var object map[string]any
			if err := json.Unmarshal(r.Value, &object); err != nil || !utf8.Valid(r.Value) {
				t.Fatalf("%s: %v", r, err)
			}
			if _, ok := object["event_time"].(string); !ok {
				t.Fatalf("no event_time: %s", r)
			}
			if amount == WideNumber && strings.Count(string(r.Value), "amount") > 1 {
				t.Fatalf("amount named twice: %s", r)
			}
			bytes += len(r.Value)
		}
		if mean := bytes / len(records); mean < 225 || mean > 255 {
			t.Errorf("amount %d: %d bytes in the mean", amount, mean)
		}
	}
}

func TestEverythingPromisedOccurs(t *testing.T) {
	o := Usual(5)
	o.Malformed, o.Faults = 100, AllFaults()
	records := Generate(o)
	for _, text := range []string{
		`+02:00"`, `-05:30"`, `+00:00"`, `"merchant":null`, `"amount":null`, `"score":null`, `\u00`, "Café", "店", `\"`, `"merchant":""`, " : ", `"amount":-`, `"amount":0,`, `a\u006Dou\u006Et`,
	} {
		var found bool
		for _, r := range records {
			if found = strings.Contains(string(r.Value), text); found {
				break
			}
		}
		if !found {
			t.Errorf("%s does not occur", text)
		}
	}
	faults := make(map[string]int)
	for _, r := range records {
		if f, ok := r.Header(FaultHeader); ok {
			faults[string(f)]++
		}
	}
	for _, f := range AllFaults() {
		if faults[string(f)] < 20 {
			t.Errorf("fault %q occurs %d times", f, faults[string(f)])
		}
	}
}

func TestTheFirstMerchantIsTwiceAsFrequentAsTheSecond(t *testing.T) {
	z, r := newZipf(1000), random{9}
	counts := make([]int, 1000)
	for range 200_000 {
		counts[z.draw(&r)]++
	}
	if counts[0] < 180*counts[1]/100 || counts[0] > 220*counts[1]/100 || counts[999] == 0 {
		t.Errorf("counts %v …, last %d", counts[:4], counts[999])
	}
}

func TestRecordsStayWithinTheirDisorder(t *testing.T) {
	o := Usual(11)
	o.Late, o.Edge, o.Disorder = 0, 0, time.Second
	for _, r := range Generate(o) {
		var object struct {
			At string `json:"event_time"`
		}
		if err := json.Unmarshal(r.Value, &object); err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(object.At, " ", "T", 1)
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			at, err = time.Parse("2006-01-02T15:04:05.999999999", text)
		}
		if err != nil {
			t.Fatal(err)
		}
		// A second for the disorder, one for texts cut to seconds, one millisecond for the log timestamp.
		if behind := time.UnixMilli(r.TimestampMillis).Sub(at); behind < -time.Millisecond || behind > 2*time.Second {
			t.Fatalf("%v behind: %s", behind, r)
		}
	}
}
