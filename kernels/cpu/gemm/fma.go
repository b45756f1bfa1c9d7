package gemm

import "math"

// exact32 returns x*y + z rounded once, as a fused multiply-add does. The product is exact in float64.
func exact32(x, y, z float32) float32 {
	product := float64(x) * float64(y)
	sum := product + float64(z)
	if isDelicate(sum) {
		sum = toOdd(product, float64(z))
	}
	return float32(sum)
}

// isDelicate tells whether rounding a rounded sum to float32 may give something else than rounding the exact one: it lies in the
// middle between two values of float32, or among the subnormal ones.
func isDelicate(sum float64) bool {
	const discarded, middle, smallestNormal = 1<<29 - 1, 1 << 28, (1023 - 126) << 53
	bits := math.Float64bits(sum)
	return bits&discarded == middle || bits<<1-1 < smallestNormal-1 // Zero, which is exact, wraps round.
}

// toOdd returns the sum rounded to odd, which leaves a second rounding, to float32, right (Boldo, Melquiond, "Emulation of a FMA
// and correctly rounded sums: proved algorithms using rounding to odd", 2008).
func toOdd(x, y float64) float64 {
	sum := x + y
	// What rounding took from the sum, exactly (Knuth, "The Art of Computer Programming", volume 2, 4.2.2).
	part := sum - x
	lost := (x - (sum - part)) + (y - part)
	bits := math.Float64bits(sum)
	if bits&1 == 0 && (lost > 0 || lost < 0) {
		if (lost > 0) == (sum > 0) {
			bits++
		} else {
			bits--
		}
	}
	return math.Float64frombits(bits)
}
