package gemm

import "math"

// FMA returns x*y + z rounded once, the same bits on every processor: by one instruction where the compiler has it, slowly
// elsewhere. It is for what must equal assembly.
func FMA[T Float](x, y, z T) T { return fma(x, y, z) }

// AddScaled adds factor*x to sums, element by element, as FMA does.
func AddScaled[T Float](sums, x []T, factor T) {
	switch sums := any(sums).(type) {
	case []float32:
		x, factor := any(x).([]float32), float32(factor)
		for i, v := range x {
			sums[i] = fma32(factor, v, sums[i])
		}
	case []float64:
		x, factor := any(x).([]float64), float64(factor)
		for i, v := range x {
			sums[i] = math.FMA(factor, v, sums[i])
		}
	}
}
