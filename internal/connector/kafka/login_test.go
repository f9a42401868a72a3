package kafka

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"ubik/internal/connector"
	"ubik/internal/fault"
)

func TestALoginIsTaken(t *testing.T) {
	_, b := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "open sesame"), kfake.Superuser("SCRAM-SHA-256", "me", "open sesame"), kfake.SeedTopics(2, "t"))
	for _, mechanism := range []string{"PLAIN", "SCRAM-SHA-256"} {
		s := newTestSource(t, urlOf(b, "t"), connector.Options{Client: map[string]string{
			"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": mechanism, "sasl.username": "me", "sasl.password": "open sesame"}})
		if at := starts(t, s, true); len(at) != 2 {
			t.Errorf("%d partitions are found, want 2", len(at))
		}
	}
}

func TestALoginIsRefusedWithoutShowingTheSecret(t *testing.T) {
	c, b := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "open sesame"), kfake.SeedTopics(1, "t"))
	login := connector.Options{Client: map[string]string{
		"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "me", "sasl.password": "wrong secret"}}

	// kfake hangs up, where a broker answers; so do brokers that expect TLS.
	s := newTestSource(t, urlOf(b, "t"), login)
	s.link.tune.patience = 2 * time.Second
	_, err := s.Partitions(testContext(t))
	wantError(t, err, fault.Retryable, "kafka at "+b.Addr+" could not be used for 2s: EOF",
		"the broker closes the connection: check -X security.protocol and the login, and that the broker runs; then run the same command again")

	c.ControlKey(36, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := kreq.ResponseKind().(*kmsg.SASLAuthenticateResponse)
		resp.ErrorCode = kerr.SaslAuthenticationFailed.Code
		resp.ErrorMessage = kmsg.StringPtr("Authentication failed: Invalid username or password")
		return resp, nil, true
	})
	s = newTestSource(t, urlOf(b, "t"), login)
	_, err = s.Partitions(testContext(t))
	if fault.ClassOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "kafka at "+b.Addr+" refuses the login: ") || strings.Contains(err.Error(), "wrong secret") {
		t.Errorf("the error is %v", err)
	}
}

// A broker answers what protocol it speaks, and then closes the connection of whoever does not log in.
func TestABrokerThatWantsALoginIsNotWaitedFor(t *testing.T) {
	_, b := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "open sesame"), kfake.SeedTopics(1, "t"))
	s := newTestSource(t, urlOf(b, "t"), connector.Options{})
	s.link.tune.retryFirst = time.Millisecond
	_, err := s.Partitions(testContext(t))
	wantError(t, err, fault.Retryable, "kafka at "+b.Addr+" closes the connection at the first question, as a broker does that wants a login",
		"check -X security.protocol and the login, and that the broker runs; then run the same command again")
}

// What is refused in the middle of a run was permitted before.
func TestARefusalInTheMiddleOfARunIsAnOutage(t *testing.T) {
	c, b := fake(t, kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "open sesame"), kfake.SeedTopics(1, "t", "out"))
	login := connector.Options{Client: map[string]string{
		"security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN", "sasl.username": "me", "sasl.password": "open sesame"}}
	s := newTestSource(t, urlOf(b, "t"), login)
	mustOpen(t, s, starts(t, s, false))
	k := newTestSink(t, b, "out", login)
	mustOpenSink(t, k, connector.Resume{})
	write(t, k, 0, 1)
	mustFlush(t, k)
	s.link.permitted.Store(true) // by a fetch, of which nobody knows when it is answered: there is no record

	c.ControlKey(3, func(kreq kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := kreq.ResponseKind().(*kmsg.MetadataResponse)
		rt := kmsg.NewMetadataResponseTopic()
		rt.Topic, rt.ErrorCode = kmsg.StringPtr("t"), kerr.TopicAuthorizationFailed.Code
		resp.Topics = append(resp.Topics, rt)
		return resp, nil, true
	})
	_, err := s.Partitions(testContext(t))
	wantError(t, err, fault.Retryable, "topic t is not permitted to this user: "+kerr.TopicAuthorizationFailed.Error(),
		"the user needs READ and DESCRIBE on the topic; then run the same command again")
	for _, l := range []*link{s.link, k.link} {
		for _, e := range []error{kerr.SaslAuthenticationFailed, kerr.TopicAuthorizationFailed, kerr.ClusterAuthorizationFailed, x509.UnknownAuthorityError{}} {
			if f := l.permanent(e); f == nil || f.Class != fault.Retryable || !strings.HasSuffix(f.Try, "; then run the same command again") {
				t.Errorf("%v: %+v", e, f)
			}
		}
	}
}

// certificate makes a certificate for 127.0.0.1 and writes its PEM form to a file.
func certificate(t *testing.T) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "broker"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, path
}

func TestCertificatesAreCheckedAgainstTheAuthority(t *testing.T) {
	cert, path := certificate(t)
	_, other := certificate(t)
	_, b := fake(t, kfake.TLS(&tls.Config{Certificates: []tls.Certificate{cert}}), kfake.SeedTopics(1, "t"))
	look := func(client map[string]string) error {
		s := newTestSource(t, urlOf(b, "t"), connector.Options{Client: client})
		_, err := s.Partitions(testContext(t))
		return err
	}
	for _, more := range []map[string]string{{"ssl.ca.location": path}, {"ssl.ca.location": path, "ssl.endpoint.identification.algorithm": "none"}, {"enable.ssl.certificate.verification": "false"}} {
		more["security.protocol"] = "ssl"
		if err := look(more); err != nil {
			t.Errorf("%v: %v", more, err)
		}
	}
	for _, more := range []map[string]string{{}, {"ssl.ca.location": other}, {"ssl.ca.location": other, "ssl.endpoint.identification.algorithm": "none"}} {
		more["security.protocol"] = "ssl"
		if err := look(more); fault.ClassOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "the certificate of kafka at "+b.Addr+" is not accepted: ") {
			t.Errorf("%v: the error is %v", more, err)
		}
	}
	if err := look(map[string]string{"security.protocol": "ssl", "ssl.ca.location": path + "x"}); fault.ClassOf(err) != fault.Usage || !strings.HasPrefix(err.Error(), "ssl.ca.location cannot be read: ") {
		t.Errorf("the error is %v", err)
	}
}

// Of a list that is cut off the authority that is needed may be missing.
func TestAListOfAuthoritiesIsTakenWholeOrRefused(t *testing.T) {
	_, path := certificate(t)
	one, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(t.TempDir(), "large.pem")
	for _, more := range []int{0, 1} {
		list := append(bytes.Repeat([]byte("\n"), 1<<20+more-len(one)), one...)
		if err := os.WriteFile(large, list, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := (&properties{ca: large}).tlsConfig()
		if more == 0 && err != nil {
			t.Error(err)
		}
		if more == 1 {
			wantError(t, err, fault.Usage, "ssl.ca.location cannot be read: "+large+" is larger than 1 MiB", "")
		}
	}
}
