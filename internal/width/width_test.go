package width

import "testing"

func TestWideRangesAscend(t *testing.T) {
	for i, r := range wide {
		if r[0] > r[1] || i > 0 && r[0] <= wide[i-1][1] {
			t.Errorf("range %d: %x", i, r)
		}
	}
	for _, r := range []rune{0x10FF, 0x1160, 0x2319, 0x303F, 0x4DC0, 0x3FFFE, 0x1F0D0, 0xE0000} {
		if isWide(r) {
			t.Errorf("%x is wide", r)
		}
	}
}
