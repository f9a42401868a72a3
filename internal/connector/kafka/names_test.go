package kafka

import (
	"fmt"
	"testing"
)

func TestNamesThatHoldWhatWasMeantAreNear(t *testing.T) {
	names := []string{"payments-txns", "mytxns", "orders", "txn", "pt"}
	for meant, want := range map[string]string{
		"txns":  "[txn mytxns payments-txns]",
		"pt":    "[pt]",
		"order": "[orders]",
		"other": "[]",
	} {
		if got := fmt.Sprint(nearest(meant, names, 3)); got != want {
			t.Errorf("%s: %s, want %s", meant, got, want)
		}
	}
}
