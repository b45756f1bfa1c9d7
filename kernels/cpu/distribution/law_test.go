package distribution

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnElementOfALawIsAFunctionOfItsNumber starts in the middle.
func TestAnElementOfALawIsAFunctionOfItsNumber(t *testing.T) {
	all := drawn(Gamma.Float64, 4000, 3, 4, 0.5, 1)
	for _, first := range []int{lawBatch, 2 * BlockSize, 3072} {
		part := make([]float64, 513)
		Gamma.Float64(part, Source{3, 4}, uint64(first), []float64{0.5, 1})
		require.Equal(t, all[first:first+513], part)
	}
}
