package main

import (
	"errors"
	"os"
	"runtime/pprof"

	"ubik/internal/fault"
)

// profileEnv is for developers: the file that a CPU profile of the run is written to.
const profileEnv = "UBIK_PROFILE"

// profiled runs a job, under a profile if the environment asks for one.
func profiled(job func() error) error {
	path := os.Getenv(profileEnv)
	if path == "" {
		return job()
	}
	f, err := os.Create(path)
	if err != nil {
		return fault.Wrap(fault.Usage, err, "", profileEnv)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	err = job()
	pprof.StopCPUProfile()
	return errors.Join(err, f.Close())
}
