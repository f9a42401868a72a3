package kafka

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"os"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl"
	"github.com/twmb/franz-go/pkg/sasl/plain"
	"github.com/twmb/franz-go/pkg/sasl/scram"

	"ubik/internal/fault"
)

// options makes the client's options of the properties, reading the files they name.
func (p *properties) options() ([]kgo.Opt, error) {
	opts := []kgo.Opt{kgo.ClientID(p.clientID), kgo.DialTimeout(p.dial)}
	if p.tls {
		c, err := p.tlsConfig()
		if err != nil {
			return nil, err
		}
		opts = append(opts, kgo.DialTLSConfig(c))
	}
	if p.sasl {
		var m sasl.Mechanism
		switch p.mechanism {
		case "PLAIN":
			m = plain.Auth{User: p.user, Pass: p.pass}.AsMechanism()
		case "SCRAM-SHA-256":
			m = scram.Auth{User: p.user, Pass: p.pass}.AsSha256Mechanism()
		default:
			m = scram.Auth{User: p.user, Pass: p.pass}.AsSha512Mechanism()
		}
		opts = append(opts, kgo.SASL(m))
	}
	return opts, nil
}

func (p *properties) tlsConfig() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: p.anyCert}
	if p.ca != "" {
		pem, err := readFile(p.ca)
		if err != nil {
			return nil, fault.Wrap(fault.Usage, err, "", "ssl.ca.location cannot be read")
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fault.New(fault.Usage, "ssl.ca.location "+p.ca+" holds no certificate in PEM form", "")
		}
	}
	if p.cert != "" {
		cert, err := tls.LoadX509KeyPair(p.cert, p.key)
		if err != nil {
			return nil, fault.Wrap(fault.Usage, err, "both are PEM files, the key without a password", "ssl.certificate.location and ssl.key.location cannot be used")
		}
		c.Certificates = []tls.Certificate{cert}
	}
	if p.anyHost && !p.anyCert {
		c.InsecureSkipVerify = true
		c.VerifyConnection = func(s tls.ConnectionState) error {
			o := x509.VerifyOptions{Roots: c.RootCAs, Intermediates: x509.NewCertPool()}
			for _, i := range s.PeerCertificates[1:] {
				o.Intermediates.AddCert(i)
			}
			_, err := s.PeerCertificates[0].Verify(o)
			return err
		}
	}
	return c, nil
}

// fileMost is more than any list of authorities has.
const fileMost = 1 << 20

// readFile reads a certificate file.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, fileMost+1))
	if len(b) > fileMost {
		return nil, errors.New(path + " is larger than 1 MiB")
	}
	return b, err
}
