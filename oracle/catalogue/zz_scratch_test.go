package catalogue

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

func TestScratch(t *testing.T) {
	d := newTable(t, open(t), []column{{"one", "INTEGER", []string{"1"}}})
	f, err := os.Open("/tmp/q.txt")
	if err != nil {
		t.Skip()
	}
	s := bufio.NewScanner(f)
	for s.Scan() {
		a, b := d.engine(s.Text()), d.duckdb(s.Text())
		show := func(o outcome) string {
			if o.refused != "" {
				return "REFUSED " + o.refused
			}
			return o.typ + " " + printed(o.values[0]) + " " + o.faults[0]
		}
		mark := ""
		if show(a) != show(b) {
			mark = "  <<<<"
		}
		fmt.Printf("%s\n   E %s\n   D %s%s\n", s.Text(), show(a), show(b), mark)
	}
}
