package numpy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The vectors are those of NumPy's tests, which come from the C++ of randutils.
func TestSeedSequencesEqualNumPys(t *testing.T) {
	for _, c := range []struct {
		seed    []uint64
		words32 []uint32
		words64 []uint64
	}{
		{[]uint64{42}, []uint32{3444837047, 2669555309, 2046530742, 3581440988}, []uint64{2669555309<<32 | 3444837047}},
		{
			[]uint64{3735928559, 195939070, 229505742, 305419896},
			[]uint32{3914649087, 576849849, 3593928901, 2229911004}, []uint64{2477551240072187391, 9577394838764454085},
		},
		{
			[]uint64{2766103236, 2883057919, 4029656435, 862374500},
			[]uint32{296367413, 4262059219, 13109864, 3283683422}, []uint64{18305404959516669237, 14103312907920476776},
		},
	} {
		require.Equal(t, c.words32, NewSeedSequence(c.seed...).Words32(4))
		require.Equal(t, c.words64, NewSeedSequence(c.seed...).Words64(len(c.words64)))
		require.Equal(t, c.words32[:3], NewSeedSequence(c.seed...).Words32(3))
	}
}

func TestLargeIntegersAreTheirWords(t *testing.T) {
	require.Equal(t, NewSeedSequence(7, 9).Words32(8), NewSeedSequence(9<<32|7).Words32(8))
	require.Equal(t, NewSeedSequence(0, 42).Words32(8), NewSeedSequence(42<<32).Words32(8))
	require.NotEqual(t, NewSeedSequence(42).Words32(8), NewSeedSequence(42<<32).Words32(8))
}

// By definition, a child has the seed, filled up with zeros, and the numbers of the children on its path.
func TestChildrenHaveThePathInTheirSeed(t *testing.T) {
	root := NewSeedSequence(42)
	children := append(root.Spawn(2), root.Spawn(1)...)
	for i, child := range children {
		require.Equal(t, NewSeedSequence(42, 0, 0, 0, uint64(i)).Words64(5), child.Words64(5))
	}
	require.Equal(t, NewSeedSequence(42, 0, 0, 0, 2, 1).Words64(5), children[2].Spawn(2)[1].Words64(5))
	require.Equal(t, NewSeedSequence(1, 2, 3, 4, 5, 0).Words64(5), NewSeedSequence(1, 2, 3, 4, 5).Spawn(1)[0].Words64(5))
	require.Equal(t, NewSeedSequence(42).Words64(5), root.Words64(5), "spawning leaves the parent as it is")
}

func TestChildrenOfManyGenerationsAreDistinct(t *testing.T) {
	seen, count := map[uint64]bool{}, 0
	var walk func(s *SeedSequence, depth int)
	walk = func(s *SeedSequence, depth int) {
		seen[NewPhiloxFrom(s).Uint64()] = true
		count++
		if depth > 0 {
			for _, child := range s.Spawn(8) {
				walk(child, depth-1)
			}
		}
	}
	for seed := range uint64(5) {
		walk(NewSeedSequence(seed), 3)
	}
	require.Len(t, seen, count)
}
