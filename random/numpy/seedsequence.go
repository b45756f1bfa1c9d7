package numpy

// SeedSequence is numpy.random.SeedSequence: it spreads the entropy of a seed over as many words as a generator needs. The
// method is that of O'Neill's randutils ("Developing a seed_seq alternative", 2015). Numbers of words and of children are not
// negative.
type SeedSequence struct {
	entropy  []uint32
	spawned  []uint32 // the path from the root, as 32-bit words
	children uint64
	pool     [poolSize]uint32
}

const (
	poolSize = 4

	initialA    = 0x43b0d7e5
	multiplierA = 0x931e8875
	initialB    = 0x8b51f9dd
	multiplierB = 0x58f38ded
	mixLeft     = 0xca01f9dd
	mixRight    = 0x4973f715
	halfWord    = 16
)

// NewSeedSequence returns SeedSequence(seed) for one seed, and SeedSequence([seed, ...]) for several. An integer of more
// than 64 bits is written as its 32-bit words, the lowest first. Without a seed it is SeedSequence([]), the same each time: it
// takes no entropy from the system as SeedSequence() does.
func NewSeedSequence(seed ...uint64) *SeedSequence {
	s := &SeedSequence{}
	for _, n := range seed {
		s.entropy = appendWords(s.entropy, n)
	}
	s.fillPool()
	return s
}

// appendWords appends n as NumPy splits integers: its low word, and its high word if that is not zero.
func appendWords(words []uint32, n uint64) []uint32 {
	words = append(words, uint32(n))
	if n>>32 != 0 {
		words = append(words, uint32(n>>32))
	}
	return words
}

// Spawn returns n more children of s, whose streams are independent of that of s and of one another. The i-th child is the
// same in every run.
func (s *SeedSequence) Spawn(n int) []*SeedSequence {
	spawned := make([]*SeedSequence, n)
	for i := range spawned {
		child := &SeedSequence{entropy: s.entropy}
		child.spawned = appendWords(append([]uint32{}, s.spawned...), s.children)
		child.fillPool()
		s.children++
		spawned[i] = child
	}
	return spawned
}

func (s *SeedSequence) fillPool() {
	entropy := append([]uint32{}, s.entropy...)
	for len(s.spawned) > 0 && len(entropy) < poolSize {
		entropy = append(entropy, 0) // so that a child is no sequence with a longer seed
	}
	entropy = append(entropy, s.spawned...)
	h := hash{constant: initialA, multiplier: multiplierA}
	for i := range s.pool {
		var word uint32
		if i < len(entropy) {
			word = entropy[i]
		}
		s.pool[i] = h.next(word)
	}
	for from := range s.pool {
		for to := range s.pool {
			if from != to {
				s.pool[to] = mix(s.pool[to], h.next(s.pool[from]))
			}
		}
	}
	for i := poolSize; i < len(entropy); i++ {
		for to := range s.pool {
			s.pool[to] = mix(s.pool[to], h.next(entropy[i]))
		}
	}
}

// hash is a multiplicative hash whose constant changes with each word.
type hash struct{ constant, multiplier uint32 }

func (h *hash) next(word uint32) uint32 {
	word ^= h.constant
	h.constant *= h.multiplier
	word *= h.constant
	return word ^ word>>halfWord
}

func mix(x, y uint32) uint32 {
	z := mixLeft*x - mixRight*y
	return z ^ z>>halfWord
}

// Words32 is generate_state(n): n words that depend on the seed and the path of s alone, the first ones being the same for
// every n.
func (s *SeedSequence) Words32(n int) []uint32 {
	words := make([]uint32, n)
	h := hash{constant: initialB, multiplier: multiplierB}
	for i := range words {
		words[i] = h.next(s.pool[i%poolSize])
	}
	return words
}

// Words64 is generate_state(n, uint64).
func (s *SeedSequence) Words64(n int) []uint64 {
	halves, words := s.Words32(2*n), make([]uint64, n)
	for i := range words {
		words[i] = uint64(halves[2*i+1])<<32 | uint64(halves[2*i])
	}
	return words
}
