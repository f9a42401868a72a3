package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ubik/internal/catalog"
	"ubik/internal/fault"
	"ubik/internal/sql"
)

// listedMost is how many names of a directory are looked at for one that is near.
const listedMost = 10_000

// nearFile is the path of the file in the same directory whose name is nearest to one that is missing, "" for none.
func nearFile(path string) string {
	if path == "" {
		return ""
	}
	dir, name := filepath.Split(path)
	open := dir
	if open == "" {
		open = "."
	}
	d, err := os.Open(open)
	if err != nil {
		return ""
	}
	defer d.Close()
	list, err := d.ReadDir(listedMost)
	if err != nil && err != io.EOF {
		return ""
	}
	stem, ending := cutEnding(name)
	var stems []string // of files with this ending
	other := ""        // the first of records that differs in its ending alone
	for _, e := range list {
		switch s, end := cutEnding(e.Name()); {
		case end == ending && s != stem:
			stems = append(stems, s)
		case s == stem && s != "" && end != ending && catalog.EndingFormat(e.Name()) != "" && (other == "" || e.Name() < other):
			other = e.Name()
		}
	}
	slices.Sort(stems)
	if near := sql.Nearest(stem, stems); near != "" {
		return dir + near + ending
	}
	if other != "" {
		return dir + other
	}
	return ""
}

// cutEnding parts a name before its first dot.
func cutEnding(name string) (stem, ending string) {
	if i := strings.IndexByte(name, '.'); i >= 0 {
		return name[:i], name[i:]
	}
	return name, ""
}

// missing is the path that a fault says is not there, "" for another fault.
func missing(f *fault.Error) string {
	path, ok := strings.CutPrefix(f.Msg, "there is no file ")
	if !ok || f.Class != fault.Usage || strings.HasPrefix(path, "in the directory ") {
		return ""
	}
	return path
}

// topicForm is the URL of a topic without its scheme: brokers, of which the last has a port, and a name or none.
var topicForm = regexp.MustCompile(`^(?:[A-Za-z0-9.-]+(?::[0-9]+)?,)*[A-Za-z0-9.-]+:[0-9]+(/[A-Za-z0-9._-]+)?$`)

// meantTopic is the URL of the topic that a path was meant for of which a fault says that it leads nowhere, "" for none.
func meantTopic(f *fault.Error) string {
	path := missing(f)
	if to, ok := strings.CutPrefix(f.Msg, "there is no directory for "); ok && f.Class == fault.Usage {
		path = to
	}
	switch m := topicForm.FindStringSubmatch(path); {
	case m == nil:
		return ""
	case m[1] == "":
		return "kafka://" + path + "/TOPIC"
	}
	return "kafka://" + path
}
