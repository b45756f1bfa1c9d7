//go:build !amd64 || noasm

package distribution

import "github.com/weft-nd/weft/kernels/cpu/philox"

// The functions of this file are never called, because features.Best is features.Portable.

func batchUniform32([]float32, *philox.State, float64, float64, float32) { panic(noAssembly) }
func batchExact32([]float32, *philox.State, float32, float32)            { panic(noAssembly) }
func batchUniform64([]float64, *philox.State, float64, float64, float64) { panic(noAssembly) }
func fastNormal32([]float32, float32, float32)                           { panic(noAssembly) }
func fastNormal64([]float64, float64, float64)                           { panic(noAssembly) }

const noAssembly = "distribution: no assembly"
