package expr

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

func TestTmpDump(t *testing.T) {
	f, _ := os.Create("/tmp/ex/examples.tsv")
	w := bufio.NewWriter(f)
	for _, fn := range Functions() {
		for _, e := range fn.Examples {
			fmt.Fprintf(w, "%s\t%s\t%s\n", e.Call, e.Want, valueOf(e.Call))
		}
	}
	w.Flush()
}
func TestTmpProbe(t *testing.T) {
	in, err := os.Open("/tmp/ex/probe")
	if err != nil {
		return
	}
	f, _ := os.Create("/tmp/ex/probe.out")
	w := bufio.NewWriter(f)
	s := bufio.NewScanner(in)
	for s.Scan() {
		if s.Text() == "" {
			continue
		}
		func() {
			defer func() {
				if r := recover(); r != nil {
					fmt.Fprintf(w, "%s\t?\tPANIC %v\n", s.Text(), r)
				}
			}()
			e, err := read(s.Text())
			if err != nil {
				fmt.Fprintf(w, "%s\t?\terror: %v\n", s.Text(), err)
				return
			}
			fmt.Fprintf(w, "%s\t%s\t%s\n", s.Text(), e.Type(), valueOf(s.Text()))
		}()
	}
	w.Flush()
}
