package resource

import (
	"crypto/rand"
	"encoding/binary"
)

// RandomSeed returns a seed made of the system's entropy.
func RandomSeed() uint64 {
	var seed [8]byte
	rand.Read(seed[:])
	return binary.NativeEndian.Uint64(seed[:])
}
