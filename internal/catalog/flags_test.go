package catalog

import "testing"

func TestDaysAreWritteninHours(t *testing.T) {
	for text, want := range map[string]string{
		"1d": "24h", "7d": "168h", "1.5d": "36h", "0.25d": "6h", "1d12h": "36h", "1d30m": "24h30m", "2days": "48h", "1 day": "24h", "1d500ms": "24h0m0.5s", "0d": "0s", "1d10s": "24h0m10s",
		"50000d": "1200000h", "50001d": "", "1h": "", "d": "", "-1d": "", "1d-1h": "", "1dx": "", "": "", "1d1d": "",
	} {
		if got := inHours(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
