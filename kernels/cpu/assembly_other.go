//go:build !amd64 || noasm

package cpu

import "github.com/weft-nd/weft/dtype"

// The functions of this file that panic are never called, because features.Best is features.Portable.

func hasShuffle() bool { return false }

func shuffleVectors(size int, dst, src, orders *byte, offsets *int, period, stride, step, count int) {
	panic(noAssembly)
}

func compressElements(int, *byte, *byte, *byte, int, int) (read, written int) { return 0, 0 }

func compressNumbers(*int64, *byte, int, int, int) (read, written int) { return 0, 0 }

func cumulativeExtreme(dtype.DType, bool, *byte, int) (done int) { return 0 }

const noAssembly = "cpu: no assembly"
