package fault

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestAPanicEndsTheProcessWithTheCodeOfADefect(t *testing.T) {
	if os.Getenv("UBIK_GUARD_TEST") != "" {
		go func() {
			defer Guard()
			var m map[string]int
			m["x"] = 1
		}()
		select {}
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "UBIK_GUARD_TEST=1")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 70 {
		t.Fatalf("%v\n%s", err, out)
	}
	const last = "\nubik: a defect of ubik: assignment to entry in nil map; report it with the text above; what is saved is whole\n"
	if !strings.HasSuffix(string(out), last) || !strings.Contains(string(out), "guard_test.go:16") {
		t.Fatalf("%s", out)
	}
}

func TestAGoroutineThatEndsWellIsLeftAlone(t *testing.T) {
	defer Guard()
}
