package file

import (
	"fmt"
	"testing"

	"ubik/internal/connector"
	"ubik/internal/fault"
	"ubik/internal/host"
)

// deepDisk holds files at several depths. The byte order of their paths is not that of a walk: - and . come before /.
func deepDisk(t *testing.T) *host.Mem {
	t.Helper()
	m := newDisk(t)
	for _, dir := range []string{"/out/logs/a/deep", "/out/logs/a.d", "/out/logs/.git", "/out/other"} {
		m.Mkdir(dir)
	}
	for _, path := range []string{"logs/b.jsonl", "logs/a/1.jsonl", "logs/a/deep/2.jsonl", "logs/a-1.jsonl", "logs/a.d/3.jsonl", "logs/.git/4.jsonl", "logs/a/.5.jsonl", "logs/a/6.csv", "other/7.jsonl"} {
		put(t, m, "/out/"+path, path+"\n")
	}
	m.Symlink("..", "/out/logs/a/up")
	m.Symlink("../other", "/out/logs/more")
	m.Symlink("../../other/7.jsonl", "/out/logs/a/7.jsonl")
	return m
}

func TestFilesOfAnyDepthAreReadInTheOrderOfTheirPaths(t *testing.T) {
	m := deepDisk(t)
	for url, want := range map[string]string{
		"/out/logs/**/*.jsonl":         "[a-1.jsonl a.d/3.jsonl a/.5.jsonl a/1.jsonl a/7.jsonl a/deep/2.jsonl b.jsonl]",
		"file:///out/./logs/**/[0-9]*": "[a.d/3.jsonl a/1.jsonl a/6.csv a/7.jsonl a/deep/2.jsonl]",
		"/out/logs/**":                 "[a-1.jsonl a.d/3.jsonl a/1.jsonl a/6.csv a/7.jsonl a/deep/2.jsonl b.jsonl]",
		"/out/logs/**/":                "[a-1.jsonl a.d/3.jsonl a/1.jsonl a/6.csv a/7.jsonl a/deep/2.jsonl b.jsonl]",
		"/out/logs/**/deep/**/*":       "[a/deep/2.jsonl]",
		"/out/logs/**/.git/*":          "[.git/4.jsonl]",
		"/out/logs/**/more/*":          "[more/7.jsonl]",
		"/out/logs/a/up/**/b*":         "[a/up/b.jsonl]",
	} {
		s, _ := opened(t, m, url, connector.Options{})
		var got []string
		for i, p := range s.parts {
			got = append(got, p.path[len("/out/logs/"):])
			first, _ := step(t, s, i)
			if text := contentOf(t, m, p.path); fmt.Sprint(first) != "[0:"+text[:len(text)-1]+"]" {
				t.Errorf("%s: %s: %s", url, p.path, first)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", url, got, want)
		}
	}
}

func TestTwoStarsThatArePartOfANameAreRefused(t *testing.T) {
	for url, want := range map[string][2]string{
		"/out/**.jsonl": {"the pattern /out/**.jsonl has ** in the name **.jsonl, where it does not stand for directories",
			"write /out/**/*.jsonl for files at any depth, or /out/*.jsonl"},
		"out/***": {"the pattern out/*** has ** in the name ***, where it does not stand for directories",
			"write out/**/* for files at any depth, or out/*"},
		`**/a**b/\**[**]/x**`: {`the pattern **/a**b/\**[**]/x** has ** in the name a**b, where it does not stand for directories`,
			`write **/**/a*b/\**[**]/x* for files at any depth, or **/a*b/\**[**]/x*`},
	} {
		_, err := Kind.NewSource(url, &connector.Options{})
		told(t, err, fault.Usage, want[0], want[1])
	}
	for _, url := range []string{`a\**b`, "a[**]b", "a*[*]*", "**/*/**"} {
		if _, err := Kind.NewSource(url, &connector.Options{}); err != nil {
			t.Error(err)
		}
	}
}

func TestAFileAddedOrGoneAtAnyDepthIsNoticed(t *testing.T) {
	for _, follow := range []bool{false, true} {
		m := deepDisk(t)
		s, n := opened(t, m, "/out/logs/**/*.jsonl", connector.Options{Follow: follow})
		m.Mkdir("/out/logs/a/new/newer")
		m.Mkdir("/out/logs/.new")
		put(t, m, "/out/logs/.new/8.jsonl", "8\n")
		if parts, err := s.Partitions(bg); err != nil || len(parts) != n {
			t.Fatal(parts, err)
		}
		put(t, m, "/out/logs/a/new/newer/8.jsonl", "8\n")
		parts, err := s.Partitions(bg)
		if err != nil || len(parts) != n+1 || parts[n-1].Topic != "/out/logs/a/new/newer/8.jsonl" {
			t.Fatal(parts, err)
		}
		m.Remove("/out/logs/a/deep/2.jsonl")
		_, err = s.Partitions(bg)
		told(t, err, fault.LogChanged, "/out/logs/a/deep/2.jsonl is gone", grownOnly)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestASinkIsNotAmongTheFilesOfAnyDepth(t *testing.T) {
	m := deepDisk(t)
	m.Symlink("../logs/a", "/out/other/way")
	for _, c := range []struct {
		url, path string
		want      bool
	}{
		{"/out/logs/**/*.jsonl", "/out/logs/new.jsonl", true},
		{"/out/logs/**/*.jsonl", "/out/logs/a/deep/new.jsonl", true},
		{"/out/logs/**/*.jsonl", "/out/logs/a/.new.jsonl", true},
		{"/out/logs/**/*.jsonl", "/out/other/way/deep/new.jsonl", true},
		{"/out/logs/**/*.jsonl", "/out/other/7.jsonl", true},
		{"/out/logs/**/*.jsonl", "/out/other/new.jsonl", false},
		{"/out/logs/**/*.jsonl", "/out/logs/.git/new.jsonl", false},
		{"/out/logs/**/*.jsonl", "/out/logs/a/deep/new.csv", false},
		{"/out/logs/**/*.jsonl", "/out/new.jsonl", false},
		{"/out/logs/**/deep/*.jsonl", "/out/logs/a/deep/new.jsonl", true},
		{"/out/logs/**/deep/*.jsonl", "/out/logs/a/new.jsonl", false},
		{"/out/logs/**/more/*.jsonl", "/out/other/new.jsonl", true},
		{"/out/logs/**", "/out/logs/new", true},
		{"/out/logs/**", "/out/logs/a/deep/new", true},
		{"/out/logs/**", "/out/logs/a/.new", false},
		{"/out/logs/**", "/out/new", false},
	} {
		sink, err := Kind.NewSink(c.path, &connector.Options{Disk: m})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := source0(t, m, c.url, connector.Options{}).Overlaps(sink); got != c.want || err != nil {
			t.Errorf("%s of %s: %v %v", c.path, c.url, got, err)
		}
	}
}

func TestTheCheckpointIsNotAmongTheFilesOfAnyDepth(t *testing.T) {
	m := deepDisk(t)
	for _, url := range []string{"/out/logs/**", "/out/logs/**/*", "/out/**/deep/x*", "/out/logs/a/deep/*", "/out/logs/*/deep/x.*"} {
		_, err := source0(t, m, url, connector.Options{Checkpoint: "/out/logs/a/deep/x.ckpt"}).Partitions(bg)
		told(t, err, fault.Usage, "the checkpoint /out/logs/a/deep/x.ckpt is one of the files of "+url,
			"put it elsewhere, or give a pattern that leaves it out")
	}
	for _, checkpoint := range []string{"/out/x.ckpt", "/out/logs/.x.ckpt", "/out/logs/.git/x.ckpt", "/out/none/x.ckpt"} {
		starts(t, source0(t, m, "/out/logs/**", connector.Options{Checkpoint: checkpoint}))
	}
	s, n := opened(t, m, "/out/logs/**/*.jsonl", connector.Options{Checkpoint: "/out/logs/a/x.ckpt"})
	put(t, m, "/out/logs/a/x.ckpt", "x")
	if at := starts(t, s); len(at) != n {
		t.Fatal(at)
	}
}
