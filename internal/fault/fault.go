// Package fault says whose a failure is and whether trying again can help; the exit code follows from it.
//
//	return fault.New(fault.LogChanged, "topic txns was deleted and made again since the checkpoint",
//		"start over with a new checkpoint, or restore the old topic")
package fault

import (
	"errors"
	"fmt"
)

// Class is the kind of a failure as a supervisor cares about it.
type Class int

// The classes; Code gives their exit codes, which are documented and never change.
const (
	Internal   Class = iota // a defect of ours, or of the machine
	Usage                   // the command line or the query is wrong: nothing ran
	Data                    // the input, by its content, stops the run
	LogChanged              // the log is not the one the checkpoint belongs to
	Sink                    // the sink refuses, by what it holds or what it is
	Checkpoint              // the checkpoint cannot be used or written
	Retryable               // an outage: the same command may work later
)

// Code returns the exit code of the class.
func (c Class) Code() int {
	switch c {
	case Usage:
		return 2
	case Data:
		return 3
	case LogChanged:
		return 4
	case Sink:
		return 5
	case Checkpoint:
		return 6
	case Retryable:
		return 75 // EX_TEMPFAIL of sysexits.h
	}
	return 70 // EX_SOFTWARE of sysexits.h
}

// String returns the word of the class in messages and documents.
func (c Class) String() string {
	return [...]string{"internal", "usage", "data", "log changed", "sink refused", "checkpoint refused", "outage"}[c]
}

// Error is a failure that a user reads: what happened, naming the thing, and what to try (may be empty).
type Error struct {
	Class Class
	Msg   string
	Try   string
	Err   error // the cause, already told in Msg; for errors.Is
}

func (e *Error) Error() string { return e.Msg }
func (e *Error) Unwrap() error { return e.Err }

// New returns an Error.
func New(c Class, msg, try string) *Error { return &Error{Class: c, Msg: msg, Try: try} }

// Wrap returns an Error whose message is the formatted text, a colon and the cause.
func Wrap(c Class, err error, try, format string, args ...any) *Error {
	return &Error{Class: c, Msg: fmt.Sprintf(format, args...) + ": " + err.Error(), Try: try, Err: err}
}

// ClassOf returns the class of err: that of the first Error in its chain, else Internal.
func ClassOf(err error) Class {
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return Internal
}
