package elementary

import "math"

// Exp returns e to the power of x, with the special values of math.Exp, by the method of e_exp.c: with x = k·log 2 + r,
// exp(r) is a rational function of r.
func Exp(x float64) float64 {
	const (
		overflow  = 7.09782712893383973096e+02
		underflow = -7.45133219101941108420e+02
		perLn2    = 1.44269504088896338700e+00

		p1 = 1.66666666666666657415e-01
		p2 = -2.77777777770155933842e-03
		p3 = 6.61375632143793436117e-05
		p4 = -1.65339022054652515390e-06
		p5 = 4.13813679705723846039e-08
	)
	switch {
	case x != x:
		return x
	case x > overflow:
		return math.Inf(1)
	case x < underflow:
		return 0
	}
	k := int64(float64(perLn2*x) + math.Copysign(0.5, x))
	high := x - float64(float64(k)*ln2High)
	low := float64(float64(k) * ln2Low)
	r := high - low
	t := float64(r * r)
	c := r - float64(t*(p1+float64(t*(p2+float64(t*(p3+float64(t*(p4+float64(t*p5)))))))))
	y := 1 - ((low - float64(r*c)/(2-c)) - high)
	if k >= -1021 && k <= 1023 {
		return y * power(k)
	}
	if k > 0 {
		return y * 2 * power(k-1)
	}
	return y * power(k+54) * 0x1p-54
}

// power returns 2 to the power of k, a normal number.
func power(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }
