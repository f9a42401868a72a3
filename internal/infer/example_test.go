package infer_test

import (
	"fmt"

	"ubik/internal/infer"
)

func ExampleSampler() {
	s := infer.NewJSON()
	s.Add([]byte(`{"merchant":"A","amount":9.5,"event_time":"2026-01-01T00:00:00Z","agent":"x"}`))
	s.Add([]byte(`{"merchant":"B","amount":7,"event_time":"2026-01-01 00:00:01","coupon":null}`))
	schema := s.Schema(func(path []string) bool { return path[0] != "agent" })
	fmt.Println(schema.DDL(""))
	for _, c := range schema.Columns {
		if c.Note != "" {
			fmt.Println(c.Name+":", c.Note)
		}
	}
	// Output:
	// merchant VARCHAR, amount DOUBLE, event_time TIMESTAMP, coupon VARCHAR /* not typed: agent */
	// amount: fractions: declare DECIMAL(18,2) for money
	// coupon: only NULL
}
