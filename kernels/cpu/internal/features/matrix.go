package features

import (
	"sync"

	"golang.org/x/sys/cpu"
)

// HasMatrixUnit reports whether kernels may use AMX: tiles, and their products of int8 and of bfloat16. The processor has them, Best
// is AVX512, and the operating system lends the process their registers, which it is asked for when this is first called; a
// process that multiplies no such matrices has smaller signal frames. DropNarrow takes them away.
func HasMatrixUnit() bool { return Best == AVX512 && !withoutMatrixUnit && lent() }

// HasBFloat16 reports whether kernels may use AVX512_BF16. DropNarrow takes it away.
func HasBFloat16() bool { return Best == AVX512 && !withoutBFloat16 && cpu.X86.HasAVX512BF16 }

var (
	lent                               = sync.OnceValue(lend)
	withoutMatrixUnit, withoutBFloat16 bool
)

// DropNarrow makes HasMatrixUnit and HasBFloat16 false from now on. It must not be called while kernels run.
func DropNarrow() { withoutMatrixUnit, withoutBFloat16 = true, true }

// EachNarrow calls test without AMX and AVX512_BF16, and then, where there are any, with AVX512_BF16, and with both. It
// is for tests and must not be called while kernels run.
func EachNarrow(test func()) {
	matrixUnit, bfloat16 := withoutMatrixUnit, withoutBFloat16
	defer func() { withoutMatrixUnit, withoutBFloat16 = matrixUnit, bfloat16 }()
	withoutMatrixUnit, withoutBFloat16 = true, true
	test()
	if withoutBFloat16 = bfloat16; HasBFloat16() {
		test()
	}
	if withoutMatrixUnit = matrixUnit; HasMatrixUnit() {
		test()
	}
}
