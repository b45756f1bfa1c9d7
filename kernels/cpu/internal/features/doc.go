// Package features tells which of the instruction sets that kernels are written for this processor and operating system
// have. A kernel chooses among its variants when it is called, so that tests can try all of them by Each:
//
//	switch features.Best {
//	case features.AVX512:
//		sumAVX512(&x[0], len(x))
//
// Best is only read while kernels run, which makes it safe for any goroutine.
package features
