package internal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
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
	"internal/connector/std":   {"connector connector/lines fault host jsontext screen vec", false},
	"internal/connector/kafka": {"codec connector fault sql vec", false},
	"internal/runner":          {"checkpoint codec connector expr fault op plan vec", true},
	"internal/engine":          {"checkpoint connector fault host runner screen vec", false},
	"internal/demo":            {"checkpoint fault host runner", false},
}

// impure are the packages that a pure one must not import itself, with all below them.
var impure = []string{"context", "crypto/rand", "hash/maphash", "io/fs", "io/ioutil", "log", "math/rand", "net", "os", "plugin", "runtime", "sync", "syscall", "testing", "unsafe"}

// pureTime is what a pure package may use of time: spans, and points that it is given.
var pureTime = []string{
	"Date", "Duration", "FixedZone", "Hour", "Microsecond", "Millisecond", "Minute", "Month", "Nanosecond", "Parse", "ParseDuration",
	"RFC3339", "RFC3339Nano", "Second", "Time", "UTC", "Unix", "UnixMicro", "UnixMilli", "Weekday",
}

// reaching are functions of packages that are pure but for them.
var reaching = map[string][]string{
	"fmt":           {"Print", "Printf", "Println", "Scan", "Scanf", "Scanln"},
	"path/filepath": {"Abs", "EvalSymlinks", "Glob", "Walk", "WalkDir"},
}

func TestPackagesImportOnlyWhatTheTableAllows(t *testing.T) {
	used := map[string]map[string]bool{}
	for name, file := range sources(t) {
		dir := path.Dir(name)
		if strings.HasPrefix(dir, "internal/ubiktest") {
			continue // tests may import anything
		}
		rule, ok := imports[dir]
		if !ok {
			t.Errorf("%s is not in the table: add it there and in docs/ARCHITECTURE.md", dir)
			continue
		}
		if used[dir] == nil {
			used[dir] = map[string]bool{}
		}
		for _, imp := range file.Imports {
			own, ok := strings.CutPrefix(imported(imp), "ubik/internal/")
			if !ok {
				continue
			}
			used[dir][own] = true
			if !slices.Contains(strings.Fields(rule.may), own) {
				t.Errorf("%s imports %s, which the table does not allow", name, own)
			}
		}
	}
	for dir, rule := range imports {
		if used[dir] == nil {
			t.Errorf("the table has %s, which does not exist", dir)
			continue
		}
		for _, own := range strings.Fields(rule.may) {
			if !used[dir][own] {
				t.Errorf("the table allows %s to import %s, which it does not need", dir, own)
			}
		}
	}
}

func TestPurePackagesHaveNoClockAndNoGoroutines(t *testing.T) {
	for name, file := range sources(t) {
		if dir := path.Dir(name); imports[dir].pure {
			for _, found := range impurities(file) {
				t.Errorf("%s has %s, but %s is pure", name, found, dir)
			}
		}
	}
}

// impurities names what in a file reaches the outside or depends on scheduling.
func impurities(file *ast.File) []string {
	var found []string
	names := map[string]string{} // what a package is called in the file
	for _, i := range file.Imports {
		imp := imported(i)
		names[path.Base(imp)] = imp
		if i.Name != nil {
			names[i.Name.Name] = imp
		}
		for _, p := range impure {
			if imp == p || strings.HasPrefix(imp, p+"/") {
				found = append(found, imp)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = append(found, "a go statement")
		case *ast.SelectStmt:
			found = append(found, "a select statement")
		case *ast.SelectorExpr:
			of, ok := n.X.(*ast.Ident)
			if !ok || of.Obj != nil { // of a variable
				break
			}
			imp := names[of.Name]
			if imp == "time" && !slices.Contains(pureTime, n.Sel.Name) || slices.Contains(reaching[imp], n.Sel.Name) {
				found = append(found, path.Base(imp)+"."+n.Sel.Name)
			}
		}
		return true
	})
	return found
}

func TestWhatIsNotPureIsFound(t *testing.T) {
	for text, want := range map[string]string{
		`import "time"; var at = time.Now()`:                                                  "[time.Now]",
		`import clock "time"; var f = clock.Since`:                                            "[time.Since]",
		`import "time"; func f() { time.Sleep(time.Second); <-time.After(1) }`:                "[time.Sleep time.After]",
		`import "time"; func f() *time.Timer { return time.NewTimer(1) }`:                     "[time.Timer time.NewTimer]",
		`import "sync/atomic"`:                                                                "[sync/atomic]",
		`import "crypto/rand"`:                                                                "[crypto/rand]",
		`import "math/rand/v2"`:                                                               "[math/rand/v2]",
		`import ("math"; "crypto/sha256"; "strings")`:                                         "[]",
		`import "path/filepath"; func f() { filepath.Glob("*"); filepath.Clean("") }`:         "[filepath.Glob]",
		`import "fmt"; func f() { fmt.Println(fmt.Sprint(1)) }`:                               "[fmt.Println]",
		`func f() { go f() }`:                                                                 "[a go statement]",
		`func f() { select {} }`:                                                              "[a select statement]",
		`import "time"; func f(us int64) string { return time.UnixMicro(us).UTC().String() }`: "[]",
		`func f(time struct{ Now int }) int { return time.Now }`:                              "[]",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p; "+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(impurities(file)); got != want {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}

// A panic in a goroutine that nothing guards ends the process with 2, which says that the command line is wrong.
func TestEveryGoroutineIsGuarded(t *testing.T) {
	found := 0
	for _, root := range []string{".", filepath.Join("..", "cmd", "ubik")} {
		err := filepath.WalkDir(root, func(dir string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "ubiktest" {
				return filepath.SkipDir
			}
			found += unguarded(t, dir)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if found == 0 {
		t.Error("no goroutine is found")
	}
}

// unguarded tells of the goroutines that a package starts without fault.Guard, and returns how many it starts.
func unguarded(t *testing.T, dir string) (found int) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var starts []ast.Expr // what is started: a function, by its text or its name
	bodies := map[string]*ast.BlockStmt{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				bodies[n.Name.Name] = n.Body
			case *ast.GoStmt:
				starts = append(starts, n.Call.Fun)
			case *ast.CallExpr:
				if called, ok := n.Fun.(*ast.SelectorExpr); ok && (called.Sel.Name == "Go" || called.Sel.Name == "AfterFunc") {
					starts = append(starts, n.Args[len(n.Args)-1])
				}
			}
			return true
		})
	}
	for _, start := range starts {
		var body *ast.BlockStmt
		switch f := start.(type) {
		case *ast.FuncLit:
			body = f.Body
		case *ast.Ident:
			body = bodies[f.Name]
		case *ast.SelectorExpr:
			body = bodies[f.Sel.Name]
		}
		if !guarded(body) {
			t.Errorf("%s: a goroutine without defer fault.Guard()", fset.Position(start.Pos()))
		}
	}
	return len(starts)
}

func guarded(body *ast.BlockStmt) bool {
	if body == nil {
		return false
	}
	for _, s := range body.List {
		if d, ok := s.(*ast.DeferStmt); ok {
			if f, ok := d.Call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Guard" {
				return true
			}
		}
	}
	return false
}

// sources returns every non-test Go file below internal, by its path in the module.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	out := map[string]*ast.File{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(filepath.Join("internal", path))] = f
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// imported is the path of an import.
func imported(i *ast.ImportSpec) string {
	p, err := strconv.Unquote(i.Path.Value)
	if err != nil {
		panic(err) // it was parsed
	}
	return p
}
