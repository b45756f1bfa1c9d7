package fourier

import (
	"math"
	"math/bits"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// root returns exp(−2πi·k/n), for 0 ≤ k < n. The angle is taken into the first eighth of a turn by integers, so that roots that
// mirror one another have the same bits, and those on the axes are exact.
func root(k, n int) Number[float64] {
	eighths := 8 * uint64(k)
	octant := eighths / uint64(n)
	rest := eighths % uint64(n)
	if octant%2 == 1 {
		rest = uint64(n) - rest
	}
	var sine, cosine float64
	switch rest {
	case 0:
		cosine = 1
	case uint64(n):
		sine, cosine = math.Sqrt2/2, math.Sqrt2/2
	default:
		word, _ := bits.Div64(rest>>3, rest<<61, uint64(n))
		sine, cosine = elementary.SineCosine(word)
	}
	if (octant+1)/2%2 == 1 {
		sine, cosine = cosine, sine
	}
	if octant < 4 {
		sine = -sine
	}
	if octant >= 2 && octant < 6 {
		cosine = -cosine
	}
	return Number[float64]{cosine, sine}
}

// rounded returns x in the precision of T.
func rounded[T dtype.Float](x Number[float64]) Number[T] { return Number[T]{T(x.Re), T(x.Im)} }
