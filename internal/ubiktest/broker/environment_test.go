package broker

import (
	"reflect"
	"testing"
)

func TestTheEnvironmentNamesAnotherBroker(t *testing.T) {
	theirs := StartOwn(t)
	t.Setenv(Environment, theirs.Addr)
	var topic string
	t.Run("a test that uses it", func(t *testing.T) {
		b := Start(t)
		if b.Addr != theirs.Addr || b.own != nil {
			t.Fatalf("got the broker %+v, want the one at %s", b, theirs.Addr)
		}
		topic = b.NewTopic(t, "guest", 2, nil)
		produced := b.Produce(t, topic, numbered(1, 0, 2))
		if got := b.Dump(t, topic, Committed); !reflect.DeepEqual(got, produced) {
			t.Fatalf("got %v, want %v", got, produced)
		}
	})
	ctx, cancel := callContext()
	defer cancel()
	left, err := theirs.Admin(t).ListTopics(ctx)
	if err != nil || left.Has(topic) {
		t.Errorf("the topic of the test is still there (%v)", err)
	}
}

func TestAMissingProgramIsNamedWithItsRemedy(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := newServer()
	want := "the test broker needs java, which is not on the PATH: install it (Debian: apt-get install openjdk-17-jre-headless), or set UBIK_TEST_KAFKA=host:port to use a running broker"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_, err = jars(t.TempDir())
	want = "the test broker needs mvn, which is not on the PATH: install it (Debian: apt-get install maven), or set UBIK_TEST_KAFKA=host:port to use a running broker"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}
