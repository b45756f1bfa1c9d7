package gemm

// MultiplyAdds computes that many rounds of fused multiply-adds that wait for nothing, on one core, and returns the number
// of floating-point operations: measured, it is what no product exceeds. Benchmarks are told in parts of it.
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
