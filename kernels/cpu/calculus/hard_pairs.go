package calculus

import "math"

// hypotHard is what hypot leaves to Go: infinity, whatever the other is, or else NaN.
func hypotHard(x, y float64) float64 {
	if math.IsInf(x, 0) || math.IsInf(y, 0) {
		return math.Inf(1)
	}
	return math.NaN()
}

// atan2Hard is what atan2 leaves to Go: beside infinity, finite numbers are like zero.
func atan2Hard(y, x float64) float64 {
	if y != y || x != x {
		return math.NaN()
	}
	beside := func(v float64) float64 {
		if math.IsInf(v, 0) {
			return math.Copysign(1, v)
		}
		return math.Copysign(0, v)
	}
	return Atan2Float64(beside(y), beside(x))
}
