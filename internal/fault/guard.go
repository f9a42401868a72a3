package fault

import (
	"fmt"
	"os"
	"runtime/debug"
)

// Guard is the last deferred at the top of a goroutine, so that it runs before what others wait for. When that panics it ends the process with the code of Internal; left
// alone a panic ends it with 2, which says that the command line is wrong.
func Guard() {
	if p := recover(); p != nil {
		fmt.Fprintf(os.Stderr, "%s\nubik: a defect of ubik: %v; report it with the text above; what is saved is whole\n", debug.Stack(), p)
		os.Exit(Internal.Code())
	}
}
