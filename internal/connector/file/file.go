// Package file reads and writes files of JSON Lines, one record a line.
//
// As a source, a path is one partition and a pattern is one for each file it matches, ordered by path; a position is
// the byte offset of a line, and carries the hash of all bytes before it: a file that is read may only grow. The bytes
// that are there when the run starts are read; what is appended meanwhile is for a later run.
//
// As a sink, a file is cut back to its durable length when a run resumes, and what was lost is written again, so that
// it always ends as an uninterrupted run would have left it. Its durable length and the hash of the bytes just before
// it are the sink's state in the checkpoint.
//
//	--from logs/2026-*.jsonl
//	--to file:///srv/out/counts.jsonl
package file

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// Kind is the connector of JSON Lines files.
var Kind = connector.Kind{
	Name:    "file",
	Schemes: []string{"", "file"},
	Doc: `A file of JSON Lines: one JSON object a line, UTF-8, lines ending in \n or \r\n, empty lines ignored.
A source may be a pattern (*, ?, [a-z]; a backslash before one of these makes it ordinary): every file it matches is a
partition, and quoting it keeps the shell from replacing it. Compressed files are refused.
A sink must be absent or empty when a run starts without a checkpoint, unless --fresh empties it; a run that resumes
cuts it back to what the checkpoint knows and goes on from there.`,
	Examples:   []string{"txns.jsonl", "logs/2026-*.jsonl", "file://out/counts.jsonl", "file:///srv/logs/a.jsonl"},
	Replayable: true,
	NewSource:  newSource,
	NewSink:    newSink,
}

// parse returns the path of a URL, cleaned.
func parse(url string) (string, error) {
	path := url
	if len(url) >= 7 && strings.EqualFold(url[:7], "file://") {
		path = url[7:]
	}
	if path == "" {
		return "", fault.New(fault.Usage, "\""+url+"\" names no file", "write a path, such as logs/a.jsonl or file:///srv/logs/a.jsonl")
	}
	return filepath.Clean(path), nil
}

// isPattern reports whether a path names files by a pattern.
func isPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// refuseCompressed fails for names of compressed files, which would be read as garbage.
func refuseCompressed(path string) error {
	ext := strings.ToLower(filepath.Ext(path))
	cat := map[string]string{".gz": "zcat", ".zst": "zstdcat", ".bz2": "bzcat", ".xz": "xzcat", ".lz4": "lz4cat"}[ext]
	if cat == "" {
		return nil
	}
	return fault.New(fault.Usage, path+" is compressed, which is not supported",
		"decompress it first, or read standard input: "+cat+" "+path+" | ubik --from - …")
}

// openError tells why a file cannot be opened or looked at.
func openError(err error, path string) error {
	if errors.Is(err, fs.ErrPermission) {
		return fault.Wrap(fault.Usage, cause(err), "check the permissions of the file and of its directory", "cannot open %s", path)
	}
	for _, wrong := range []syscall.Errno{syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG} {
		if errors.Is(err, wrong) {
			return fault.Wrap(fault.Usage, cause(err), "check the path", "cannot open %s", path)
		}
	}
	return fault.Wrap(fault.Internal, cause(err), advice(err), "cannot open %s", path)
}

// advice is what to try when it is the machine that fails.
func advice(err error) string {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return "raise the limit of open files (ulimit -n) and start the same command again"
	}
	return ""
}

// globError tells why the files of a pattern cannot be listed.
func globError(err error, pattern string) error {
	in := ""
	var at *fs.PathError
	if errors.As(err, &at) {
		in = " in " + at.Path
	}
	class, try := fault.Internal, advice(err)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ELOOP) {
		class, try = fault.Usage, "check its permissions, or give a pattern that leaves it out"
	}
	return fault.Wrap(class, cause(err), try, "cannot look for %s%s", pattern, in)
}

func readError(err error, path string) error {
	return fault.Wrap(fault.Internal, cause(err), "", "cannot read %s", path)
}

// cause is err without the operation and path that the message names in its own words.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
