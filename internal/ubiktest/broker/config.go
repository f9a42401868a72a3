package broker

import (
	"fmt"
	"strings"
)

// clusterID is fixed: each broker has a data folder of its own, and nothing connects two of them.
const clusterID = "dWJpay10ZXN0LWNsdXN0ZQ"

// properties is the server.properties of a broker that is its own controller.
//
// Everything internal has one replica and one partition. Nothing expires by time: test records carry log timestamps of any age. The log cleaner looks
// for work ten times a second, and a transaction whose producer died is aborted within a second of its timeout.
func properties(dataDir string, clientPort, controllerPort int) string {
	var b strings.Builder
	set := func(name string, value any) { fmt.Fprintf(&b, "%s=%v\n", name, value) }
	set("process.roles", "broker,controller")
	set("node.id", 1)
	set("controller.quorum.voters", fmt.Sprintf("1@127.0.0.1:%d", controllerPort))
	set("listeners", fmt.Sprintf("PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d", clientPort, controllerPort))
	set("advertised.listeners", fmt.Sprintf("PLAINTEXT://127.0.0.1:%d", clientPort))
	set("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT")
	set("controller.listener.names", "CONTROLLER")
	set("inter.broker.listener.name", "PLAINTEXT")
	set("log.dirs", dataDir)

	// A killed broker may register again only when the session of its former life has run out.
	set("broker.session.timeout.ms", 3000)
	set("broker.heartbeat.interval.ms", 500)

	set("default.replication.factor", 1)
	set("min.insync.replicas", 1)
	set("offsets.topic.replication.factor", 1)
	set("offsets.topic.num.partitions", 1)
	set("transaction.state.log.replication.factor", 1)
	set("transaction.state.log.min.isr", 1)
	set("transaction.state.log.num.partitions", 1)
	set("share.coordinator.state.topic.replication.factor", 1)
	set("share.coordinator.state.topic.min.isr", 1)
	set("share.coordinator.state.topic.num.partitions", 1)

	set("auto.create.topics.enable", false)
	set("group.initial.rebalance.delay.ms", 0)
	set("log.retention.ms", -1)
	set("transaction.abort.timed.out.transaction.cleanup.interval.ms", 1000)

	set("log.cleaner.threads", 1)
	set("log.cleaner.backoff.ms", 100)
	set("log.cleaner.dedupe.buffer.size", 16<<20)
	return b.String()
}
