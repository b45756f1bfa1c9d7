//go:build !amd64 || noasm

package cpu

// The functions of this file are never called, because features.Best is features.Portable.

func hasShuffle() bool { return false }

func shuffleVectors(size int, dst, src, orders *byte, offsets *int, period, stride, step, count int) {
	panic(noAssembly)
}

const noAssembly = "cpu: no assembly"
