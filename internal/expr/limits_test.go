package expr

import "testing"

func TestAFunctionMakesAtMost64MiBOfARow(t *testing.T) {
	for call, want := range map[string]string{
		"length(repeat('ab', 33554432))":                                 "67108864",
		"length(repeat('ab', 33554433))":                                 "error: repeat: the result would be longer than 64 MiB",
		"length(replace(repeat('a', 32768), 'a', repeat('b', 2048)))":    "67108864",
		"length(replace(repeat('a', 32769), 'a', repeat('b', 2048)))":    "error: replace: the result would be longer than 64 MiB",
		"length(replace(repeat('a', 100000), 'a', repeat('b', 100000)))": "error: replace: the result would be longer than 64 MiB",
		"length(replace(repeat('ab', 33554432), 'ab', 'ba'))":            "67108864",
		"length(lpad('a', 16777217, 'x'))":                               "error: lpad: the result would be longer than 64 MiB",
	} {
		if got := valueOf(call); got != want {
			t.Errorf("%s = %q, want %q", call, got, want)
		}
	}
}
