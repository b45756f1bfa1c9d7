//go:build !noasm

package distribution

import (
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/kernels/cpu/philox"
)

// The functions of this file choose among the assembly for levels above features.Portable.

func batchUniform32(dst []float32, state *philox.State, low, step float64, below float32) {
	if features.Best >= features.AVX512 {
		uniform32AVX512(&dst[0], len(dst), (*[20]uint32)(state), low, step, below)
	} else {
		uniform32AVX2(&dst[0], len(dst), (*[20]uint32)(state), low, step, below)
	}
}

func batchExact32(dst []float32, state *philox.State, low, step float32) {
	if features.Best >= features.AVX512 {
		exact32AVX512(&dst[0], len(dst), (*[20]uint32)(state), low, step)
	} else {
		exact32AVX2(&dst[0], len(dst), (*[20]uint32)(state), low, step)
	}
}

func batchUniform64(dst []float64, state *philox.State, low, step, below float64) {
	if features.Best >= features.AVX512 {
		uniform64AVX512(&dst[0], 2*len(dst), (*[20]uint32)(state), low, step, below)
	} else {
		uniform64AVX2(&dst[0], 2*len(dst), (*[20]uint32)(state), low, step, below)
	}
}

func fastNormal32(x []float32, mean, deviation float32) {
	if features.Best >= features.AVX512 {
		normal32AVX512(&x[0], len(x), mean, deviation)
	} else {
		normal32AVX2(&x[0], len(x), mean, deviation)
	}
}

func fastNormal64(x []float64, mean, deviation float64) {
	if features.Best >= features.AVX512 {
		normal64AVX512(&x[0], len(x), mean, deviation)
	} else {
		normal64AVX2(&x[0], len(x), mean, deviation)
	}
}
