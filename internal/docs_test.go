package internal_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// page is a document: its path in the module, and its text without code blocks.
type page struct{ path, text string }

// pages reads every document.
func pages(t *testing.T) []page {
	var out []page
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/decisions/*.md", "bench/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(pattern)))
		if err != nil || len(found) == 0 {
			t.Fatalf("no documents match %s: %v", pattern, err)
		}
		for _, f := range found {
			out = append(out, page{strings.TrimPrefix(filepath.ToSlash(f), "../"), withoutBlocks(read(t, f))})
		}
	}
	return out
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// withoutBlocks empties the lines of code blocks.
func withoutBlocks(text string) string {
	lines := strings.Split(text, "\n")
	inside := false
	for i, line := range lines {
		if fence := strings.HasPrefix(strings.TrimSpace(line), "```"); fence || inside {
			inside = inside != fence
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

var (
	linkForm    = regexp.MustCompile(`\[([^\[\]]*)\]\(([^()\s]+)\)`)
	headingForm = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	testName    = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9]*)`")
	scriptName  = regexp.MustCompile("^`script: (.+)`$")
)

// anchors are the targets that the headings of a page make.
func anchors(text string) []string {
	var out []string
	for _, m := range headingForm.FindAllStringSubmatch(text, -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127 && !strings.ContainsRune("–—…’“”", r):
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		out = append(out, slug)
	}
	return out
}

// isTestLink reports whether a link names a test: a function of a test file, or a script.
func isTestLink(label, target string) bool {
	return strings.HasSuffix(target, "_test.go") && testName.MatchString(label) || scriptName.MatchString(label)
}

// checkTest says what is wrong with a link to a test; label is as it stands between the brackets.
func checkTest(t *testing.T, label, file string) string {
	text := read(t, file)
	if m := scriptName.FindStringSubmatch(label); m != nil {
		line := "query " + m[1]
		if strings.HasSuffix(file, ".txtar") {
			line = "# " + m[1]
		}
		if !slices.Contains(strings.Split(text, "\n"), line) {
			return "it has no line " + line
		}
		return ""
	}
	m := testName.FindStringSubmatch(label)
	if m == nil || label != m[0] {
		return "a link to a test file has a test's name, in backquotes, and nothing else"
	}
	if !strings.Contains(text, "\nfunc "+m[1]+"(") {
		return "it has no " + m[1]
	}
	return ""
}

func TestEveryLinkOfTheDocumentsLeadsSomewhere(t *testing.T) {
	checked := 0
	for _, p := range pages(t) {
		for _, m := range linkForm.FindAllStringSubmatch(p.text, -1) {
			label, target := m[1], m[2]
			if strings.Contains(target, "://") {
				continue
			}
			checked++
			path, anchor, _ := strings.Cut(target, "#")
			file := filepath.Join("..", filepath.FromSlash(p.path))
			if path != "" {
				file = filepath.Join(filepath.Dir(file), filepath.FromSlash(path))
			}
			info, err := os.Stat(file)
			switch {
			case err != nil:
				t.Errorf("%s: %s: there is no such file", p.path, target)
			case anchor != "" && !slices.Contains(anchors(withoutBlocks(read(t, file))), anchor):
				t.Errorf("%s: %s: there is no such heading", p.path, target)
			case info.IsDir() || anchor != "":
			case isTestLink(label, path) || strings.HasSuffix(path, "_test.go"):
				if wrong := checkTest(t, label, file); wrong != "" {
					t.Errorf("%s: [%s](%s): %s", p.path, label, target, wrong)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d links were found", checked)
	}
}

// A document may name a test without a link; it must be there all the same.
func TestEveryTestThatTheDocumentsNameExists(t *testing.T) {
	known := map[string]bool{}
	definition := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
	for _, root := range []string{".", "../cmd", "../oracle"} {
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") {
				for _, m := range definition.FindAllStringSubmatch(read(t, path), -1) {
					known[m[1]] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range pages(t) {
		for _, m := range testName.FindAllStringSubmatch(p.text, -1) {
			if !known[m[1]] {
				t.Errorf("%s names %s, which is no test", p.path, m[1])
			}
		}
	}
}

var claimForm = regexp.MustCompile(`^- \*\*(\d+)\.(\d+)\*\* `)

// The claims of SEMANTICS.md are list items with numbers. Each is followed by the tests that pin it.
func TestEveryClaimOfTheSemanticsHasATest(t *testing.T) {
	text := withoutBlocks(read(t, filepath.Join("..", "docs", "SEMANTICS.md")))
	meaning, planned, found := strings.Cut(text, "\n## Planned, and not there\n")
	if !found {
		t.Fatal("the chapter of what is planned is missing")
	}
	chapter, claim, claims := 0, 0, 0
	name, body := "", ""
	finish := func() {
		if name == "" {
			return
		}
		tests := 0
		for _, m := range linkForm.FindAllStringSubmatch(body, -1) {
			if isTestLink(m[1], m[2]) {
				tests++
			}
		}
		if tests == 0 {
			t.Errorf("claim %s has no test", name)
		}
		name, body = "", ""
	}
	for n, line := range strings.Split(meaning, "\n") {
		if strings.HasPrefix(line, "## ") {
			finish()
			chapter++
			claim = 0
			if !strings.HasPrefix(line, "## "+strconv.Itoa(chapter)+". ") {
				t.Errorf("line %d: chapter %d is headed %q", n+1, chapter, line)
			}
			continue
		}
		if m := claimForm.FindStringSubmatch(line); m != nil {
			finish()
			claim++
			claims++
			if name = m[1] + "." + m[2]; name != strconv.Itoa(chapter)+"."+strconv.Itoa(claim) {
				t.Errorf("line %d: claim %s stands where %d.%d is due", n+1, name, chapter, claim)
			}
		} else if strings.HasPrefix(line, "- ") {
			t.Errorf("line %d: an item without a number: %s", n+1, line)
		}
		body += line + "\n"
	}
	finish()
	if claims < 60 {
		t.Errorf("there are only %d claims", claims)
	}
	if claimForm.MatchString(planned) {
		t.Error("what is planned is no claim and has no number")
	}
}

// What CONTRIBUTING and the other documents say to type must be there.
func TestTheMakefileHasWhatTheDocumentsCall(t *testing.T) {
	makefile := read(t, filepath.Join("..", "Makefile"))
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(makefile, -1) {
		targets[m[1]] = true
	}
	call := regexp.MustCompile("(?m)(?:^|`)(?:[A-Z_]+=\\S+ )*make ([a-z -]+)")
	for _, path := range []string{"README.md", "CONTRIBUTING.md", "bench/README.md"} {
		for _, m := range call.FindAllStringSubmatch(read(t, filepath.Join("..", path)), -1) {
			for _, target := range strings.Fields(m[1]) {
				if !targets[target] {
					t.Errorf("%s calls make %s, which the Makefile does not have", path, target)
				}
			}
		}
	}
}

// Who rewrites expected results calls only packages that know how.
func TestPackagesThatAreUpdatedHaveTheFlag(t *testing.T) {
	flag := regexp.MustCompile(`flag\.Bool\("update"|"ubik/internal/ubiktest/golden"`)
	found := 0
	for _, line := range strings.Split(read(t, filepath.Join("..", "Makefile")), "\n") {
		if !strings.HasSuffix(line, " -update") {
			continue
		}
		module := ".."
		if rest, ok := strings.CutPrefix(line, "\tcd oracle && "); ok {
			module, line = filepath.Join(module, "oracle"), rest
		}
		for _, dir := range regexp.MustCompile(`\./(\S+)`).FindAllStringSubmatch(line, -1) {
			found++
			files, err := filepath.Glob(filepath.Join(module, dir[1], "*_test.go"))
			if err != nil || !slices.ContainsFunc(files, func(f string) bool { return flag.MatchString(read(t, f)) }) {
				t.Errorf("make update calls the tests of %s, which have no -update", dir[1])
			}
		}
	}
	if found == 0 {
		t.Error("make update calls no tests")
	}
}

// The simulation is called with flags of its own, behind -args.
func TestTheSimulationHasTheFlagsItIsCalledWith(t *testing.T) {
	source := read(t, filepath.Join("ubiktest", "sim", "sim_test.go")) + read(t, filepath.Join("ubiktest", "sim", "random_test.go"))
	calls := 0
	for _, path := range []string{"Makefile", "CONTRIBUTING.md"} {
		for _, line := range strings.Split(read(t, filepath.Join("..", path)), "\n") {
			_, args, found := strings.Cut(line, "ubiktest/sim")
			if !found {
				continue
			}
			_, args, found = strings.Cut(args, "-args")
			if !found {
				continue
			}
			calls++
			for _, m := range regexp.MustCompile(` -([a-z]+)=`).FindAllStringSubmatch(args, -1) {
				if !regexp.MustCompile(`flag\.[A-Z][a-z0-9A-Z]+\("` + m[1] + `"`).MatchString(source) {
					t.Errorf("%s calls the simulation with -%s, which it does not have", path, m[1])
				}
			}
		}
	}
	if calls < 2 {
		t.Errorf("%d calls were found", calls)
	}
}
