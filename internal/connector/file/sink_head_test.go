package file

import (
	"context"
	"strings"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

func TestAFileBeginsWithItsHead(t *testing.T) {
	const path, head = "/out/a.csv", "n,text\n"
	m := newDisk(t)
	o := connector.Options{Head: []byte(head), Checkpoint: "/out/job.ckpt"}
	flushed := func(s connector.Sink, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		state, err := s.Flush(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		return state
	}
	holds := func(want string) {
		t.Helper()
		if got := contentOf(t, m, path); got != want {
			t.Fatalf("the file holds %q, not %q", got, want)
		}
	}
	// Also without a row, and in place of what an earlier run left.
	put(t, m, path, "an older output\n")
	state := flushed(openSink(t, m, path, o, connector.Resume{Fresh: true}))
	holds(head)
	if st, err := ParseState(state); err != nil || st.Length != int64(len(head)) {
		t.Fatalf("the head is not a part of the durable length: %+v, %v", st, err)
	}

	s, err := openSink(t, m, path, o, connector.Resume{Resumed: true, State: state})
	if err == nil {
		err = s.Write(context.Background(), rowsOf([]string{"1,a", "2,b"}))
	}
	again := flushed(s, err)
	holds(head + "1,a\n2,b\n")
	flushed(openSink(t, m, path, o, connector.Resume{Resumed: true, State: again}))
	holds(head + "1,a\n2,b\n")
	flushed(openSink(t, m, path, o, connector.Resume{Resumed: true, State: state}))
	holds(head)

	// A run that has a checkpoint but no state of the sink had not come to its first flush.
	flushed(openSink(t, m, path, o, connector.Resume{Resumed: true}))
	holds(head)
}

func TestAFileThatDoesNotBeginWithTheHeadIsRefused(t *testing.T) {
	const path = "/out/a.csv"
	long := strings.Repeat("é", 70)
	for _, c := range []struct{ content, head, shown string }{
		{"n,text\n1,a\n", "n,words\n", `"n,words"`},
		{"n,text\n1,a\n", "n,text\r\n", `"n,text"`},
		{"n,text\n", "n,text\nm\n", `"n,text"`},
		{"", "n\n", `"n"`},
		{"{}\n", long + "\n", `"` + long[:120] + `"…`},
	} {
		m := newDisk(t)
		put(t, m, path, c.content)
		var last tail
		last.add([]byte(c.content))
		state := State{Path: path, Length: int64(len(c.content)), Tail: last.hash()}.Append(nil)
		_, err := openSink(t, m, path, connector.Options{Head: []byte(c.head)}, connector.Resume{Resumed: true, State: state})
		told(t, err, fault.Sink, path+" does not begin as this run would begin it, with "+c.shown,
			"put the file back as it was, or start over with a new checkpoint and another file")
		if got := contentOf(t, m, path); got != c.content {
			t.Fatalf("the refused file holds %q", got)
		}
	}
}
