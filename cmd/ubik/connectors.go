package main

import (
	"ubik/internal/connector"
	"ubik/internal/connector/file"
	"ubik/internal/connector/kafka"
	"ubik/internal/connector/std"
)

// kinds are the connectors.
var kinds = []*connector.Kind{&kafka.Kind, &file.Kind, &std.Kind}
