// SPDX-License-Identifier: MPL-2.0

package towersim

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const (
	cuidLetters = "0123456789abcdefghijklmnopqrstuvwxyz"
	cuidLength  = 25
	cuidSerial  = 11 // digits
)

// idSource makes identifiers. The same seed always makes the same identifiers,
// in the order of the calls.
type idSource struct {
	random *rand.Rand
	named  bool
	cuids  int64
	macs   uint32
}

func newIDSource(seed uint64) *idSource {
	return &idSource{random: rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))}
}

// namedIDSource makes the identifiers of an object of the scenario from its
// name, so that a reset or a restart does not change them.
func namedIDSource(kind, name string) *idSource {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))

	return &idSource{named: true, random: rand.New(rand.NewPCG(
		binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16])))}
}

// cuid returns an id in Tower's own format: a c and 24 digits or letters. As in
// Tower, later ids are greater, so rows without an explicit order are listed in
// the order of their creation. The scenario's objects come first.
func (s *idSource) cuid() string {
	var b strings.Builder

	if s.named {
		b.WriteString("ck")
	} else {
		s.cuids++
		serial := strconv.FormatInt(s.cuids, len(cuidLetters))
		b.WriteString("cl" + strings.Repeat("0", cuidSerial-len(serial)) + serial)
	}

	for b.Len() < cuidLength {
		b.WriteByte(cuidLetters[s.random.IntN(len(cuidLetters))])
	}

	return b.String()
}

// uuid returns a random (version 4) UUID.
func (s *idSource) uuid() string {
	var b [16]byte

	binary.BigEndian.PutUint64(b[:8], s.random.Uint64())
	binary.BigEndian.PutUint64(b[8:], s.random.Uint64())
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80

	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:16])
}

// token returns a bearer token.
func (s *idSource) token() string {
	return fmt.Sprintf("%016x%016x%016x", s.random.Uint64(), s.random.Uint64(), s.random.Uint64())
}

// mac returns a MAC address that it has not returned before.
func (s *idSource) mac() string {
	s.macs++
	n := s.macs

	return fmt.Sprintf("52:54:00:%02x:%02x:%02x", byte(n>>16), byte(n>>8), byte(n))
}
