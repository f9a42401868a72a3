package internal_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// imports is the package table of docs/ARCHITECTURE.md as data: what each package may import of this module. A pure
// package additionally imports no package that reaches the outside or depends on scheduling.
var imports = map[string]struct {
	may  string
	pure bool
}{
	"internal/width":           {"", true},
	"internal/sql":             {"width", true},
	"internal/exact":           {"", true},
	"internal/jsontext":        {"", true},
	"internal/fault":           {"", false},
	"internal/host":            {"", false},
	"internal/screen":          {"width", false},
	"internal/vec":             {"exact", true},
	"internal/expr":            {"exact jsontext vec", true},
	"internal/agg":             {"exact vec", true},
	"internal/op":              {"agg exact expr vec", true},
	"internal/codec":           {"vec", true},
	"internal/codec/json":      {"codec exact expr jsontext vec", true},
	"internal/codec/csv":       {"codec codec/json exact expr jsontext vec", true},
	"internal/codec/raw":       {"codec codec/json jsontext vec", true},
	"internal/catalog":         {"connector expr fault plan sql vec", true},
	"internal/table":           {"catalog codec codec/csv codec/json codec/raw connector fault host infer plan sql vec", false},
	"internal/infer":           {"codec/json exact expr vec", true},
	"internal/plan":            {"agg codec expr op sql vec", true},
	"internal/checkpoint":      {"host", false},
	"internal/connector":       {"codec fault host vec", false},
	"internal/connector/lines": {"codec connector vec", false},
	"internal/connector/file":  {"codec connector connector/lines fault host vec", false},
	"internal/connector/std":   {"codec connector connector/lines fault host jsontext screen vec", false},
	"internal/connector/kafka": {"codec connector fault host sql vec", false},
	"internal/runner":          {"checkpoint codec connector expr fault op plan vec", true},
	"internal/engine":          {"checkpoint connector fault host runner screen vec", false},
	"internal/demo":            {"checkpoint host runner", false},
}

// impure are the packages that a pure one must not import itself.
var impure = []string{"os", "net", "sync", "math/rand", "math/rand/v2", "hash/maphash", "runtime", "syscall", "log", "log/slog"}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	seen := map[string]bool{}
	for path, file := range sources(t) {
		dir := filepath.ToSlash(filepath.Dir(path))
		if strings.HasPrefix(dir, "internal/ubiktest") {
			continue // tests may import anything
		}
		rule, ok := imports[dir]
		if !ok {
			t.Errorf("%s is not in the table: add it there and in docs/ARCHITECTURE.md", dir)
			continue
		}
		seen[dir] = true
		for _, imp := range file {
			if own, ok := strings.CutPrefix(imp, "ubik/internal/"); ok && !contains(strings.Fields(rule.may), own) {
				t.Errorf("%s imports %s, which the table does not allow", path, imp)
			}
			if rule.pure && contains(impure, imp) {
				t.Errorf("%s imports %s, but %s is pure", path, imp, dir)
			}
		}
	}
	for dir := range imports {
		if !seen[dir] {
			t.Errorf("the table has %s, which does not exist", dir)
		}
	}
}

func TestPurePackagesHaveNoClockAndNoGoroutines(t *testing.T) {
	for dir, rule := range imports {
		if !rule.pure {
			continue
		}
		files, err := filepath.Glob(filepath.Join("..", dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for n, line := range strings.Split(string(text), "\n") {
				code, _, _ := strings.Cut(line, "//")
				if strings.Contains(code, "time.Now") || strings.HasPrefix(strings.TrimSpace(code), "go func") || strings.HasPrefix(strings.TrimSpace(code), "go ") {
					t.Errorf("%s:%d: %s", path, n+1, strings.TrimSpace(line))
				}
			}
		}
	}
}

// sources returns the imports of every non-test Go file below internal, by its path in the module.
func sources(t *testing.T) map[string][]string {
	out := map[string][]string{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(filepath.Join("internal", path))
		for _, i := range f.Imports {
			imp, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			out[name] = append(out[name], imp)
		}
		if f.Imports == nil {
			out[name] = []string{}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
