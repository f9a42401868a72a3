package broker

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Version is the Kafka release that Start runs.
const Version = "4.4.0"

//go:embed pom.xml
var pom []byte

const fetchWait = 5 * time.Minute

// tool finds a program on the PATH or says how to get it.
func tool(name, install string) (string, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the test broker needs %s, which is not on the PATH: install it (Debian: apt-get install %s), or set UBIK_TEST_KAFKA=host:port to use a running broker", name, install)
	}
	return path, nil
}

// cacheFolder is where the jars are kept from one run to the next, and the lock that goes with them.
func cacheFolder() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("the test broker keeps its jars in the user's cache folder: %w", err)
	}
	folder := filepath.Join(base, "ubik-test")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	return folder, nil
}

// jars gives the folder that holds the broker's jars, fetching them first where they are not there. The folder appears under its name only when
// it is complete (a rename), and only one process fetches (the caller holds the lock of the cache folder).
func jars(cache string) (string, error) {
	folder := filepath.Join(cache, "kafka-"+Version)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	mvn, err := tool("mvn", "maven")
	if err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(cache, "fetch-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	pomFile, lib := filepath.Join(work, "pom.xml"), filepath.Join(work, "lib")
	if err := os.WriteFile(pomFile, pom, 0o644); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), fetchWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "-f", pomFile, "dependency:copy-dependencies", "-DoutputDirectory="+lib)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("not done after %v", fetchWait)
		}
		return "", fmt.Errorf("Maven could not fetch the jars of Kafka %s: %w\n%s", Version, err, tail(out.Bytes(), 4000))
	}
	if err := os.Rename(lib, folder); err != nil {
		return "", err
	}
	return folder, nil
}

// lock takes the exclusive lock of a file, waiting for other processes, and gives the function that releases it.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// tail gives the last bytes of a log, from the beginning of a line.
func tail(log []byte, bytesMax int) []byte {
	if len(log) <= bytesMax {
		return log
	}
	log = log[len(log)-bytesMax:]
	if i := bytes.IndexByte(log, '\n'); i >= 0 {
		log = log[i+1:]
	}
	return log
}
