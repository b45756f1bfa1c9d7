package main

// exception is a line, found by a part of its text, that may be fused on some processors and not on others.
type exception struct{ file, text string }

// harmless are estimates of time and memory, which results do not depend on, and products that are exact, mostly by powers of two.
var harmless = []exception{
	{"kernels/cpu/attention.go", "exponentialRow"},
	{"kernels/cpu/convolution/cut.go", "copied +="},
	{"kernels/cpu/convolution/cut.go", "unit :="},
	{"kernels/cpu/convolution/cut.go", "unit +="},
	{"kernels/cpu/convolution/cut.go", "joinTime"},
	{"kernels/cpu/convolution/winograd.go", "unit :="},
	{"kernels/cpu/loops.go", "r.nanoseconds +="},
	{"kernels/cpu/max_pool.go", "cost :="},
	{"kernels/cpu/pool.go", "return cost +"},
	{"kernels/cpu/random_rows.go", "4+cost"},
	{"kernels/cpu/reduce.go", "cost :="},
	{"kernels/cpu/sorting/first.go", "expected+3*math.Sqrt(expected)"},

	{"kernels/cpu/calculus/fused.go", "sum := product + float64(z)"},
	{"kernels/cpu/calculus/fused.go", "part := sum - product"},
	{"kernels/cpu/calculus/fused.go", "rest := (product - (sum - part))"},
	{"kernels/cpu/calculus/hard.go", "float64(second>>11)*0x1p-53"},
	{"kernels/cpu/convolution/winograd.go", "((g0 + g2) + g1) / 2"},
	{"kernels/cpu/convolution/winograd.go", "((g0 + g2) - g1) / 2"},
	{"kernels/cpu/covariance.go", "lower/2 + upper/2"},
	{"kernels/cpu/distribution/bernoulli.go", "scaled - digits"},
	{"kernels/cpu/distribution/binomial.go", "u, v := n.middle()-0.5, n.middle()"},
	{"kernels/cpu/distribution/gamma.go", "concentration - 1.0/3"},
	{"kernels/cpu/distribution/poisson.go", "u, v := n.middle()-0.5, n.middle()"},
	{"kernels/cpu/gemm/fma.go", "sum := product + float64(z)"},
	{"kernels/cpu/gemm/fma.go", "part := sum - x"},
	{"kernels/cpu/gemm/fma.go", "lost := (x - (sum - part))"},
	{"kernels/cpu/gemm/fma_arm64.go", "func fma32"},
	{"kernels/cpu/moments.go", "off := float64(center) - mean"},
}
