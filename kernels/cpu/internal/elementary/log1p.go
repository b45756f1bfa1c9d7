package elementary

// Log1p returns log(1 + x) to a few units in the last place: the error of 1 + x is made up for by the factor that it makes
// x wrong by (Goldberg, "What every computer scientist should know about floating-point arithmetic", theorem 4).
func Log1p(x float64) float64 {
	y := 1 + x
	if y == 1 {
		return x
	}
	return Log(y) * (x / (y - 1))
}
