// Package broker gives tests a real Apache Kafka: one broker in KRaft mode on two free loopback ports, its data in a temporary folder,
// started and ended by the test itself, and the few operations tests need on it.
//
//	func TestMain(m *testing.M) { broker.Main(m) }
//
//	func TestSomething(t *testing.T) {
//		b := broker.Shared(t)
//		topic := b.NewTopic(t, "txns", 4, nil)
//		b.Produce(t, topic, records)
//		open := b.Begin(t, "writer-1")
//		open.Produce(topic, more)
//		open.Abort()
//		dump := b.Dump(t, topic, broker.Committed)
//		…
//	}
//
// It needs a Java runtime of version 17 or newer and Maven on the PATH, and fails the test (it never skips) when they are missing. Maven is asked
// once a machine: the jars stay in the user's cache folder, under ubik-test/kafka-4.4.0. A broker is up about three seconds after Start.
//
// With UBIK_TEST_KAFKA=host:port in the environment that broker is used instead and nothing is started;
// a test that means to Kill or Restart its broker takes it from StartOwn.
//
// Only processes started here are ended, by their id. They do not outlive the test binary, however it ends: on Linux the kernel kills them with it.
package broker
