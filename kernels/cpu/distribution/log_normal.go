package distribution

import "github.com/weft-nd/weft/kernels/cpu/internal/elementary"

// LogNormal has the parameters mean and deviation: it is exp(mean + deviation·z), with z the normal number of the element at draw 0.
var LogNormal = following(logNormal)

func logNormal(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64) {
	mean, deviation := parameters[0], parameters[1]
	b.gaussians(x, s, first, 0)
	for i, z := range x {
		x[i] = elementary.Exp(mean + float64(deviation*z))
	}
}
