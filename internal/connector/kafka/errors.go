package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"

	"ubik/internal/fault"
)

// permanent returns the error that a user reads when trying err's request again cannot help, else nil. What a broker
// refuses in the middle of a run it permitted before: then it is an outage, in which some other person may help.
func (l *link) permanent(err error) *fault.Error {
	var f *fault.Error
	if errors.As(err, &f) {
		return f
	}
	refused := fault.Usage
	need := "READ and DESCRIBE on the topic"
	if l.role == roleSink {
		refused = fault.Sink
		need = "WRITE, DESCRIBE and DESCRIBE_CONFIGS on the topic, CREATE where it is absent, and IDEMPOTENT_WRITE on clusters before 2.8"
	}
	before := &l.begun
	tell := func(c fault.Class, try, format string, args ...any) *fault.Error {
		if before.Load() {
			c, try = fault.Retryable, try+"; then run the same command again"
		}
		return &fault.Error{Class: c, Err: err, Msg: fmt.Sprintf(format, args...) + ": " + err.Error(), Try: try}
	}
	var unknownAuthority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var verification *tls.CertificateVerificationError
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed), errors.Is(err, kerr.UnsupportedSaslMechanism), errors.Is(err, kerr.IllegalSaslState):
		return tell(fault.Usage, "check -X sasl.username, sasl.password, sasl.mechanism and security.protocol", "kafka at %s refuses the login", l.address())
	case errors.As(err, &unknownAuthority), errors.As(err, &hostname), errors.As(err, &verification):
		return tell(fault.Usage, "check -X ssl.ca.location and the host's name in the URL", "the certificate of kafka at %s is not accepted", l.address())
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.ClusterAuthorizationFailed):
		before = &l.permitted
		return tell(refused, "the user needs "+need, "topic %s is not permitted to this user", l.topic)
	case errors.Is(err, kerr.UnsupportedVersion):
		return tell(fault.Usage, "use a broker of version 2.1 or later", "kafka at %s is too old", l.address())
	}
	return nil
}

func logChanged(try, format string, args ...any) error {
	return fault.New(fault.LogChanged, fmt.Sprintf(format, args...), try)
}

const startOver = "start over with a new checkpoint"

func (l *link) recreated() error {
	return logChanged(startOver+", or name the topic that has the old records",
		"topic %s was deleted and created again: its positions mean other records than those read", l.topic)
}

func (l *link) deleted() error {
	return logChanged(startOver+", once the topic is there again", "topic %s was deleted", l.topic)
}

// outOfRange says how position from of a partition lies outside [earliest, end], and is nil when it does not.
func (l *link) outOfRange(partition int32, from, earliest, end int64) error {
	switch {
	case from < earliest:
		return logChanged(startOver+"; to keep what was counted, raise retention.ms of the topic and restore its records",
			"positions %d–%d of %s/%d are gone: the log now begins at %d", from, earliest-1, l.topic, partition, earliest)
	case from > end:
		return logChanged(startOver+": records that were read are not in the log any more",
			"%s/%d ends at %d, before the recorded position %d", l.topic, partition, end, from)
	}
	return nil
}

// diverged says that the leader's history ends below a position read: records were lost and others took their place.
func (l *link) diverged(partition int32, from, end int64) error {
	return logChanged(startOver+": records that were read are not in the log any more",
		"positions %d–%d of %s/%d were replaced: the leader's history agrees with what was read only up to %d", end, from-1, l.topic, partition, end)
}

func (l *link) damaged(partition int32, at int64, what string) error {
	return fault.New(fault.Data, fmt.Sprintf("the batch at %s/%d position %d is damaged: %s", l.topic, partition, at, what),
		"try again; if it stays, repair the topic's replicas")
}
