package numpy

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The vectors were computed by CPython's random, which seeds and draws in the same way.
func TestLegacyArraysSeedAsPythonDoes(t *testing.T) {
	for _, c := range []struct {
		seed   []uint32
		first  [3]uint32
		double float64 // after 2003 words
		word   uint32  // after 2005 words
	}{
		{[]uint32{0}, [3]uint32{3626764237, 1654615998, 3255389356}, 0x1.535f50f1d4df7p-1, 0x41f2005b},
		{[]uint32{42}, [3]uint32{2746317213, 478163327, 107420369}, 0x1.7826a7c5b10eap-2, 0xe6d5901d},
		{[]uint32{5489}, [3]uint32{3382763572, 956215839, 417760592}, 0x1.35e31e9b3c9c1p-1, 0xb9520533},
		{[]uint32{1<<32 - 1}, [3]uint32{2728839433, 2661025012, 872737089}, 0x1.3ec36d849fd4ap-1, 0x5e9248f3},
		{[]uint32{7, 256}, [3]uint32{2635837658, 3209733218, 3500038837}, 0x1.63f1d75023a43p-1, 0x25c58ddf},
	} {
		m := NewLegacyMT19937Array(c.seed)
		for _, want := range c.first {
			require.Equal(t, want, m.Uint32())
		}
		for range 1000 {
			m.Uint64()
		}
		require.Equal(t, c.double, m.Float64())
		require.Equal(t, c.word, m.Uint32())
	}
	require.Panics(t, func() { NewLegacyMT19937Array(nil) })
}

// The vectors are those of the paper's authors, of the C++ standard (the 10000th word of the default seed), and of
// numpy.random.seed(42).
func TestLegacySeedsEqualPublishedVectors(t *testing.T) {
	m := NewLegacyMT19937Array([]uint32{0x123, 0x234, 0x345, 0x456})
	for _, want := range []uint32{1067595299, 955945823, 477289528, 4107218783, 4228976476} {
		require.Equal(t, want, m.Uint32())
	}
	m = NewLegacyMT19937(5489)
	for range 9999 {
		m.Uint32()
	}
	require.EqualValues(t, 4123659995, m.Uint32())
	m = NewLegacyMT19937(42)
	for _, want := range []float64{0.3745401188473625, 0.9507143064099162, 0.7319939418114051} {
		require.Equal(t, want, m.Float64())
	}
}

// Arrays longer than the state go around it.
func TestEveryWordOfALongSeedCounts(t *testing.T) {
	seed := make([]uint32, 2000)
	seen := map[uint64]bool{NewLegacyMT19937Array(seed).Uint64(): true}
	for i := range seed {
		seed[i]++
		seen[NewLegacyMT19937Array(seed).Uint64()] = true
		seed[i]--
	}
	require.Len(t, seen, len(seed)+1)
}

func (m *MT19937) sum() string {
	sum := sha256.New()
	binary.Write(sum, binary.LittleEndian, m.key[:])
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// The sums and positions are those of NumPy's tests.
func TestJumpsEqualNumPys(t *testing.T) {
	for _, c := range []struct {
		seed             []uint64
		steps            int
		before, after    string
		position, landed int
	}{
		{
			[]uint64{0}, 10, "bb1636883c2707b51c5b7fc26c6927af4430f2e0785a8c7bc886337f919f9edf",
			"ff682ac12bb140f2d72fba8d3506cf4e46817a0db27aae1683867629031d8d55", 9, 598,
		},
		{
			[]uint64{384908324}, 312, "16b791a1e04886ccbbb4d448d6ff791267dc458ae599475d08d5cced29d11614",
			"a0110a2cf23b56be0feaed8f787a7fc84bef0cb5623003d75b26bdfa1c18002c", 311, 276,
		},
		{
			[]uint64{839438204, 980239840, 859048019, 821}, 511, "d306cf01314d51bd37892d874308200951a35265ede54d200f1e065004c3e9ea",
			"0e00ab449f01a5195a83b4aee0dfbc2ce8d46466a640b92e33977d2e42f777f8", 510, 475,
		},
	} {
		m := NewMT19937From(NewSeedSequence(c.seed...))
		for range c.steps {
			m.Uint32()
		}
		require.Equal(t, c.before, m.sum())
		require.Equal(t, c.position, m.position)
		jumped := m.Jumped(1)
		require.Equal(t, c.after, jumped.sum())
		require.Equal(t, c.landed, jumped.position)
		require.Equal(t, c.before, m.sum(), "m stays as it is")
	}
	m := NewLegacyMT19937(1)
	require.Equal(t, m.Jumped(1).Jumped(1), m.Jumped(2))
	require.Equal(t, m, m.Jumped(0))
}

// Every bit of the words obeys the recurrence that the polynomial describes.
func TestTheCharacteristicPolynomialAnnihilatesTheWords(t *testing.T) {
	degrees := append(characteristic(), mtBits)
	require.Len(t, degrees, 135, "the number that the paper tells")
	m := NewLegacyMT19937(77)
	words := make([]uint32, mtBits+100)
	for i := range words {
		words[i] = m.Uint32()
	}
	for at := range 100 {
		var sum uint32
		for _, degree := range degrees {
			sum ^= words[at+degree]
		}
		require.Zero(t, sum)
	}
}
