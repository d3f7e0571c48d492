// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// certificate is a server's certificate and the authority that signed it. Both
// live as long as the server.
type certificate struct {
	pem    string // the authority
	server tls.Certificate
}

func newCertificate(address net.Addr) (*certificate, error) {
	authorityKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}

	authority := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		Subject:               pkix.Name{CommonName: "towersim CA"},
		NotBefore:             time.Now().Add(-time.Hour),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}

	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		return nil, fmt.Errorf("cannot sign the authority: %w", err)
	}

	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("cannot make a key: %w", err)
	}

	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2),
		Subject:      pkix.Name{CommonName: "towersim"},
		NotBefore:    authority.NotBefore,
		NotAfter:     authority.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}

	if tcp, ok := address.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		leaf.IPAddresses = append(leaf.IPAddresses, tcp.IP)
	}

	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), authorityKey)
	if err != nil {
		return nil, fmt.Errorf("cannot sign the server's certificate: %w", err)
	}

	return &certificate{
		pem:    string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authorityDER})),
		server: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key},
	}, nil
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{
		Certificates: []tls.Certificate{c.server},
		MinVersion:   tls.VersionTLS12,
		// With HTTP/2 the requests of a client would share one connection, and
		// the fault that drops a connection would hit all of them.
		NextProtos: []string{"http/1.1"},
	}
}
