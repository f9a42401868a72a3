package authgen

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
)

func TestAnAmountIsTheNumberOfItsCents(t *testing.T) {
	g := &generator{random: rand.New(rand.NewPCG(1, 1))}
	for cents := int64(-1000); cents <= 50_000; cents++ {
		text := g.amount(cents)
		var amount *float64
		if err := json.Unmarshal([]byte(text), &amount); err != nil || amount != nil && math.Round(*amount*100) != float64(cents) {
			t.Fatalf("%d cents are %s: %v", cents, text, err)
		}
	}
}
