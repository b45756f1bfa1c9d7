package elementary

// SineCosine returns the sine and cosine of a whole turn times (word | 1)·2⁻⁶⁴, neither of which is 0. The nearest quarter
// of a turn is taken off exactly; for the rest the polynomials are those of k_sin.c and k_cos.c.
func SineCosine(word uint64) (sine, cosine float64) {
	const (
		turn = 6.28318530717958647692 * 0x1p-64

		s1 = -1.66666666666666324348e-01
		s2 = 8.33333333332248946124e-03
		s3 = -1.98412698298579493134e-04
		s4 = 2.75573137070700676789e-06
		s5 = -2.50507602534068634195e-08
		s6 = 1.58969099521155010221e-10

		c1 = 4.16666666666666019037e-02
		c2 = -1.38888888888741095749e-03
		c3 = 2.48015872894767294178e-05
		c4 = -2.75573143513906633035e-07
		c5 = 2.08757232129817482790e-09
		c6 = -1.13596475577881948265e-11
	)
	quarter := (word + 1<<61) >> 62
	x := float64(float64(int64(word-quarter<<62)|1) * turn)
	z := float64(x * x)
	w := float64(z * z)
	odd := s2 + float64(z*(s3+float64(z*s4))) + float64(float64(z*w)*(s5+float64(z*s6)))
	sine = x + float64(float64(z*x)*(s1+float64(z*odd)))
	tail := float64(z*(c1+float64(z*(c2+float64(z*c3))))) + float64(float64(w*w)*(c4+float64(z*(c5+float64(z*c6)))))
	half := float64(0.5 * z)
	rest := 1 - half
	cosine = rest + (((1 - rest) - half) + float64(z*tail))
	switch quarter & 3 {
	case 1:
		return cosine, -sine
	case 2:
		return -sine, -cosine
	case 3:
		return -cosine, sine
	}
	return sine, cosine
}
