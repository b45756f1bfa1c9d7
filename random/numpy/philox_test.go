package numpy

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// slowPhilox returns number i of the stream that follows a counter of 256 bits, with numbers of any size for arithmetic.
func slowPhilox(key [2]uint64, counter *big.Int, i int) uint64 {
	word := func(n uint64) *big.Int { return new(big.Int).SetUint64(n) }
	low := func(n *big.Int) *big.Int { return new(big.Int).And(n, word(math.MaxUint64)) }
	at := new(big.Int).Add(counter, word(uint64(i/4+1)))
	var c [4]*big.Int
	for j := range c {
		c[j] = low(new(big.Int).Rsh(at, uint(64*j)))
	}
	k0, k1 := word(key[0]), word(key[1])
	for range 10 {
		p0 := new(big.Int).Mul(word(0xD2E7470EE14C6C93), c[0])
		p1 := new(big.Int).Mul(word(0xCA5A826395121157), c[2])
		xor := func(a, b, c *big.Int) *big.Int { return new(big.Int).Xor(new(big.Int).Xor(a, b), c) }
		c = [4]*big.Int{xor(new(big.Int).Rsh(p1, 64), c[1], k0), low(p1), xor(new(big.Int).Rsh(p0, 64), c[3], k1), low(p0)}
		k0 = low(new(big.Int).Add(k0, word(0x9E3779B97F4A7C15)))
		k1 = low(new(big.Int).Add(k1, word(0xBB67AE8584CAA73B)))
	}
	return c[i%4].Uint64()
}

func integer(words [4]uint64) *big.Int {
	n := new(big.Int)
	for i := 3; i >= 0; i-- {
		n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(words[i]))
	}
	return n
}

// The counters are such that a step, an advance or a jump carries into other words, or around.
var philoxCases = []struct {
	key     [2]uint64
	counter [4]uint64
}{
	{[2]uint64{1, 2}, [4]uint64{}},
	{[2]uint64{math.MaxUint64, math.MaxUint64}, [4]uint64{math.MaxUint64, 0, 5, 0}},
	{[2]uint64{0, 9}, [4]uint64{math.MaxUint64 - 1, math.MaxUint64, math.MaxUint64 - 2, 7}},
	{[2]uint64{3, 0}, [4]uint64{math.MaxUint64, math.MaxUint64, math.MaxUint64, math.MaxUint64}},
}

func TestPhiloxIsTheDocumentedFunctionOfKeyAndCounter(t *testing.T) {
	for _, c := range philoxCases {
		p := NewPhiloxAt(c.key, c.counter)
		for i := range 25 {
			require.Equal(t, slowPhilox(c.key, integer(c.counter), i), p.Uint64(), "number %d from %v", i, c)
		}
	}
}

func TestPhiloxMovesByBlocksAndJumps(t *testing.T) {
	for _, c := range philoxCases {
		for _, used := range []int{0, 1, 4, 6} {
			p := NewPhiloxAt(c.key, c.counter)
			for range used {
				p.Uint64()
			}
			begun := integer(c.counter)
			begun.Add(begun, big.NewInt(int64((used+3)/4)))
			for _, jumps := range []uint64{1, 2, math.MaxUint64} {
				jumped := p.Jumped(jumps)
				far := new(big.Int).Lsh(new(big.Int).SetUint64(jumps), 128)
				require.Equal(t, slowPhilox(c.key, far.Add(far, begun), 0), jumped.Uint64())
			}
			for _, blocks := range []uint64{3, math.MaxUint64} {
				p.Advance(blocks)
				begun.Add(begun, new(big.Int).SetUint64(blocks))
				require.Equal(t, slowPhilox(c.key, begun, 0), p.Jumped(0).Uint64(), "jumping nowhere leaves p alone")
			}
			p.Uint32()
			p.Advance(0)
			n := slowPhilox(c.key, begun.Add(begun, big.NewInt(1)), 0)
			require.Equal(t, uint32(n), p.Uint32(), "the half is dropped with the block")
		}
	}
}

func TestHalvesOfPhiloxGoAroundWholeNumbers(t *testing.T) {
	whole, mixed := NewPhilox(3), NewPhilox(3)
	a, b, c := whole.Uint64(), whole.Uint64(), whole.Uint64()
	require.Equal(t, uint32(a), mixed.Uint32())
	require.Equal(t, b, mixed.Uint64())
	require.Equal(t, uint32(a>>32), mixed.Uint32())
	require.Equal(t, uint32(c), mixed.Uint32())
}
