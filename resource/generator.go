package resource

import (
	"crypto/rand"
	"encoding/binary"
	"sync/atomic"

	"github.com/weft-nd/weft/kernels/cpu/philox"
)

// Generator says which random numbers the next random operator gets. It hands out a Ticket for each; the numbers depend on
// the ticket alone, not on the device, the number of workers, or when the operator runs. All methods may be called from any
// goroutine; goroutines that need numbers that do not depend on each other's timing use generators of their own, made by
// Split.
type Generator struct {
	key      uint64
	sequence atomic.Uint64
	children atomic.Uint64
}

// Ticket names the random numbers of one operator: Philox4x32-10 under Key, with counters of the given Sequence (see package
// philox for their layout).
type Ticket struct {
	Key, Sequence uint64
}

// The domains keep keys of seeds and keys of children apart. They are part of the frozen derivation of keys.
const (
	seedDomain  = 0x77656674_73656564 // "weftseed"
	childDomain = 0x77656674_63686c64 // "weftchld"
)

// derive returns the first two words of the Philox block of (a, b) under the key domain. The derivation is frozen: saved
// seeds give the same numbers for ever. Since Philox is a permutation of counters, equal keys of different inputs are
// as unlikely as for random keys, and adjacent seeds share nothing.
func derive(domain, a, b uint64) uint64 {
	words := philox.Block(domain, [4]uint32{uint32(a), uint32(a >> 32), uint32(b), uint32(b >> 32)})
	return uint64(words[0])<<32 | uint64(words[1])
}

// NewGenerator returns the generator of a seed, at its start.
func NewGenerator(seed uint64) *Generator { return &Generator{key: derive(seedDomain, seed, 0)} }

// RandomSeed returns a seed made of the system's entropy.
func RandomSeed() uint64 {
	var seed [8]byte
	rand.Read(seed[:])
	return binary.NativeEndian.Uint64(seed[:])
}

// Next returns the ticket of one operator. No two calls return the same.
func (g *Generator) Next() Ticket { return Ticket{g.key, g.sequence.Add(1) - 1} }

// Split returns a generator whose numbers have nothing to do with those of g. The n-th child of a generator is always the
// same.
func (g *Generator) Split() *Generator {
	return &Generator{key: derive(childDomain, g.key, g.children.Add(1)-1)}
}

// State is where a generator stands, to be saved.
type State struct {
	Key, Sequence, Children uint64
}

// State returns where g stands.
func (g *Generator) State() State { return State{g.key, g.sequence.Load(), g.children.Load()} }

// Restore returns a generator that goes on from s.
func Restore(s State) *Generator {
	g := &Generator{key: s.Key}
	g.sequence.Store(s.Sequence)
	g.children.Store(s.Children)
	return g
}
