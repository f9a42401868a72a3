package script

import (
	"path/filepath"
	"testing"
)

// In every execution of every script, what became of the records adds up to the records read, partition by partition.
func TestTheLedgerAddsUp(t *testing.T) {
	scripts, err := Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	ledgers := 0
	for _, s := range scripts {
		for i := range s.Cases {
			c := &s.Cases[i]
			if c.rejection() != "" {
				continue
			}
			for _, seed := range seeds {
				o, err := c.execute(seed)
				if err != nil {
					t.Fatal(err)
				}
				for p, l := range o.Ledgers {
					ledgers++
					if sum := l.Malformed + l.Filtered + l.Unwindowed + l.Late + l.LateByFloor + l.Used; sum != l.Read || l.PartlyLate > l.Used {
						t.Errorf("%s/%s, seed %d, partition %d: %+v", filepath.Base(s.Path), c.Name, seed, p, l)
					}
				}
			}
		}
	}
	if ledgers < 100 {
		t.Errorf("only %d ledgers were seen", ledgers)
	}
}
