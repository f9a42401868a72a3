package broker

import (
	"errors"
	"net"
	"syscall"
	"testing"
)

func TestAtTheAddressOfNobodyConnectionsAreRefusedAndThePortIsTaken(t *testing.T) {
	addr := Nobody(t)
	if c, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dialling: %v, %v", c, err)
	}
	if l, err := net.Listen("tcp", addr); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("listening: %v, %v", l, err)
	}
}
