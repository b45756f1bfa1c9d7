package gemm

// MultiplyAdds computes the given number of rounds of independent fused multiply-adds, on one core, and returns the number of
// floating-point operations. Its speed is the limit that no product exceeds: benchmarks report products as a fraction of it.
func MultiplyAdds[T Float](rounds int) (operations int) {
	f := best[T]()
	if f.limit == nil {
		var sums [portableColumns]T
		for range rounds {
			for i, sum := range sums {
				sums[i] = fma(sum, sum, sum)
			}
		}
		return 2 * portableColumns * rounds
	}
	f.limit(rounds)
	return 2 * 12 * f.lanes * rounds
}
