package internal_test

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"testing"
)

// fused are the instructions of arm64 that multiply and add without rounding in between, with the place in the source.
var fused = regexp.MustCompile(`\(\S*/(internal/\S+\.go:\d+)\)\s+FN?M(?:ADD|SUB)[DS]\b`)

// On some processors the compiler fuses x*y + z into one instruction, which rounds once, and the result is another one than
// elsewhere. An explicit conversion, float64(x*y) + z, forbids it.
func TestNoProcessorRoundsOtherwise(t *testing.T) {
	args := []string{"build", "-gcflags=-S"}
	for _, dir := range slices.Sorted(maps.Keys(imports)) {
		if imports[dir].pure {
			args = append(args, "ubik/"+dir)
		}
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "CGO_ENABLED=0")
	listing, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, listing[max(0, len(listing)-2000):])
	}
	meant := 0
	for _, m := range fused.FindAllSubmatch(listing, -1) {
		if regexp.MustCompile(`^internal/expr/precise\.go:`).Match(m[1]) {
			meant++ // math.FMA, in twoProduct
			continue
		}
		t.Errorf("%s: a product and a sum are fused; write float64(x*y) + z", m[1])
	}
	if meant == 0 {
		t.Error("the listing shows no fused instruction, not even those that are meant")
	}
}
