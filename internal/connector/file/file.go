// Package file reads and writes files of records, such as JSON Lines or CSV.
//
// As a source, a path is one partition; a pattern, or a directory, is one for each file, ordered by path. A position is
// the byte offset of a record, and carries the hash of all bytes before it: a file that is read may only grow. The bytes
// that are there when the run starts are read; what is appended meanwhile is for a later run. A followed file is read on
// and on; should it be rotated, by a new name or by being cut, the run stops.
//
// A file compressed with gzip or zstd is read as what it holds, and its positions are those of the content: to resume at
// one it is unpacked from the beginning, which proves at once that the content before is the same. Nobody knows where it
// ends before it is read, but its compressed size is its identity, so that it has the same end in each run.
//
// As a sink, a file is cut back to its durable length when a run resumes, and what was lost is written again, so that
// it always ends as an uninterrupted run would have left it. Its durable length and the hash of the bytes just before
// it are the sink's state in the checkpoint. What a file begins with, as the header of a CSV, is part of that length.
//
//	--from logs/2026-*.jsonl
//	--from logs/**/*.jsonl
//	--from exports/
//	--from orders.csv.gz
//	--to file:///srv/out/counts.jsonl
package file

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

// Kind is the connector of files.
var Kind = connector.Kind{
	Name:    "file",
	Schemes: []string{"", "file"},
	Doc: `A file of records, one a line: lines end in \n or \r\n, empty ones are ignored.
A source may be a pattern (*, ?, [a-z]; a backslash before one of these makes it ordinary): every file it matches is a
partition, and quoting it keeps the shell from replacing it. The name ** in it stands for any number of directories, none
included: logs/**/*.jsonl are the files in logs and in all directories below, logs/** those of every name that does not
begin with a dot. ** itself enters no directory whose name begins with a dot, and follows no link. Or it is a directory:
every file in it but those whose names begin with a dot, and not those in directories below. Files compressed with gzip or zstd, as their first bytes
tell, are read as what they hold; they are complete, and so can be neither followed nor kept open.
A sink must be absent or empty when a run starts without a checkpoint, unless --fresh empties it; a run that resumes
cuts it back to what the checkpoint knows and goes on from there.`,
	Examples:   []string{"txns.jsonl", "logs/2026-*.jsonl", "logs/**/*.jsonl", "exports/", "orders.csv.gz", "file://out/counts.jsonl", "file:///srv/logs/a.jsonl"},
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

// refuseCompressed fails for the name of a sink that says that it is compressed, which it would not be.
func refuseCompressed(path string) error {
	ext := filepath.Ext(path)
	if !slices.Contains([]string{".gz", ".zst", ".bz2", ".xz", ".lz4", ".zip"}, strings.ToLower(ext)) {
		return nil
	}
	return fault.New(fault.Usage, path+" is compressed, which is not supported",
		"name it "+strings.TrimSuffix(path, ext)+" and compress it when the run is over, or write to standard output: --to - | gzip > "+path)
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
