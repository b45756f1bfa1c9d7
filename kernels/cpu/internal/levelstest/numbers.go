package levelstest

import "math"

// SpecialNumbers returns ends and middles of ranges, as float64.
func SpecialNumbers() (all []float64) {
	for _, x := range []float64{
		0, 5e-324, 1e-310, 0x1p-1022, 1e-45, 0x1p-126, 1e-39, 1e-30, 0x1p-54, 0x1p-28, 0x1p-27, 0x1p-12, 0.25, 0.3, 7.0 / 16, 0.5, 0.7, 27.0 / 32, 0.99, 1, 1.0000001,
		math.Pi / 4, math.Pi / 2, math.Pi, 1.25, 2, 20.0 / 7, 3, 4, 6, 10, 20, 22, 30, 87.4, 88.73, 89, 103.98, 104, 127.5, 128, 150, 708, 709.79, 710.5, 745.2, 1024, 1e4, 1 << 20, 1e7, 1e10, 1e22, 1e30,
		math.MaxFloat32, 1e200, 0x1p1022, 0x1p1023, math.MaxFloat64, math.Inf(1),
	} {
		all = append(all, x, -x, math.Nextafter(x, 2), -math.Nextafter(x, 2))
	}
	return append(all, math.NaN(), 6381956970095103*0x1p797)
}
