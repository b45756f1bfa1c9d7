package elementary

import "math"

// stirlingErrors has StirlingError of 0 to 15; that of 0 has no use.
var stirlingErrors = [16]float64{
	0, 0.0810614667953272582196702, 0.0413406959554092940938221, 0.0276779256849983391487892,
	0.0207906721037650931115227, 0.0166446911898211921631948, 0.0138761288230707479987457, 0.0118967099458917700950557,
	0.0104112652619720964974884, 0.009255462182712732917728637, 0.008330563433362871256469318, 0.007573675487951840794972024,
	0.006942840107209529865664152, 0.006408994188004207068439631, 0.005951370112758847735624416, 0.005554733551962801371038690,
}

// StirlingError returns log n! − log(√(2πn) (n/e)^n) for an integer n ≥ 1 (Loader, "Fast and accurate computation of binomial
// probabilities", 2000). The error is some 1e-16.
func StirlingError(n float64) float64 {
	if n < float64(len(stirlingErrors)) {
		return stirlingErrors[int(n)]
	}
	square := float64(n * n)
	tail := 1.0/1680 - 1.0/1188/square
	return (1.0/12 - (1.0/360-(1.0/1260-tail/square)/square)/square) / n
}

// Deviance returns x log(x/mean) + mean − x for positive x and mean, without the cancellation of that formula where they are
// close (Loader, as above). The relative error is some 1e-15.
func Deviance(x, mean float64) float64 {
	difference := x - mean
	if !(math.Abs(difference) < 0.1*(x+mean)) {
		return float64(x*Log(x/mean)) + mean - x
	}
	ratio := difference / (x + mean)
	sum := float64(difference * ratio)
	power := float64(float64(2*x) * ratio)
	square := float64(ratio * ratio)
	for odd := 3.0; ; odd += 2 {
		power = float64(power * square)
		next := sum + power/odd
		if next == sum {
			return sum
		}
		sum = next
	}
}
