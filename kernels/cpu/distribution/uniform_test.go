package distribution

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUniformFillsItsIntervalEvenly(t *testing.T) {
	const bins = 50
	count := samples()
	for _, values := range [][]float64{
		drawn(Uniform.Float64, count, 3, 4, 0, 1), asDoubles(drawn(Uniform.Float32, count, 3, 4, 0, 1)),
	} {
		var found [bins]float64
		for _, v := range values {
			found[int(v*bins)]++
		}
		require.Less(t, chiSquareOf(found[:], float64(count)/bins), 95.0) // 49 degrees of freedom: 1 in 10^4
		require.Less(t, kolmogorovSmirnov(values, func(x float64) float64 { return x }), 1.95)
	}
}
