package runner

import "testing"

// A sink tells a state of its own from none by nil; a file holds the two alike.
func TestTheUnitBeforeTheFirstFlushHasNoSinkState(t *testing.T) {
	f := (&Unit{}).Sections()
	for i := range f.Sections {
		f.Sections[i].Data = append([]byte{}, f.Sections[i].Data...) // as read from a file: no bytes, but not nil
	}
	u, err := ReadUnit(f)
	if err != nil {
		t.Fatal(err)
	}
	if u.Sink != nil {
		t.Errorf("it is read back as %#v, want nil", u.Sink)
	}
}
