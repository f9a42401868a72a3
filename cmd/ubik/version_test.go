package main

import (
	"flag"
	"runtime/debug"
	"testing"
)

func TestTheVersionIsTheModulesOrTheRevision(t *testing.T) {
	const revision = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct {
		main     string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.3", nil, "v1.2.3 go1.26.1"},
		{"v1.2.3", []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "false"}}, "v1.2.3 go1.26.1"},
		{"v1.2.4-0.20260101000000-0123456789ab+dirty", []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"}},
			"v1.2.4-0.20260101000000-0123456789ab modified go1.26.1"},
		{"(devel)", []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "false"}}, revision + " go1.26.1"},
		{"", []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: "true"}}, revision + " modified go1.26.1"},
		{"(devel)", nil, "(devel) go1.26.1"},
		{"", nil, "(devel) go1.26.1"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26.1", Settings: c.settings}
		info.Main.Version = c.main
		if got := versionText(info); got != c.want {
			t.Errorf("%q, %v: %q, want %q", c.main, c.settings, got, c.want)
		}
	}
	if got := versionText(nil); got != "(unknown)" {
		t.Errorf("without anything known: %q", got)
	}
}

func TestOfEveryFlagIsSaidWhatItTakes(t *testing.T) {
	for _, fs := range []*flag.FlagSet{newFlags(&options{}), peekFlags(&peekOptions{}, "peek"), peekFlags(&peekOptions{}, "schema")} {
		fs.VisitAll(func(f *flag.Flag) { valueForm(f) }) // which panics where it does not know
	}
}
