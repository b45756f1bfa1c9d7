package calculus

import "math"

// fused32 returns x·y + z, rounded once. The product is exact in float64, and rounding the sum to float64 first does no harm
// unless that gives a number halfway between two float32, or below the normal ones, where halves are elsewhere.
func fused32(x, y, z float32) float32 {
	product := float64(x) * float64(y)
	sum := product + float64(z)
	if pattern := math.Float64bits(sum); pattern&(1<<29-1) == 1<<28 || pattern<<1 < (1023-126)<<53 {
		return fused32Slowly(product, float64(z), sum)
	}
	return float32(sum)
}

// fused32Slowly rounds product + z, whose rounded sum is given, to odd before it rounds to float32 (Boldo and Melquiond,
// "Emulation of FMA and correctly rounded sums", IEEE Transactions on Computers 57(4), 2008).
func fused32Slowly(product, z, sum float64) float32 {
	part := sum - product
	rest := (product - (sum - part)) + (z - part)
	if pattern := math.Float64bits(sum); rest != 0 && pattern&1 == 0 {
		if rest > 0 == (sum > 0) {
			pattern++
		} else {
			pattern--
		}
		return float32(math.Float64frombits(pattern))
	}
	return float32(sum)
}
