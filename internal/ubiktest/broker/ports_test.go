package broker

import (
	"errors"
	"fmt"
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

func TestTheReservedPortsOfAServerAreItsOwn(t *testing.T) {
	client, controller, release, err := serverPorts()
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if client == controller {
		t.Errorf("both ports are %d", client)
	}
	for range 2 { // as when a server is started again
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", client))
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
	if c, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", client)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("dialling when there is no server: %v, %v", c, err)
	}
}
