package features

import "sync"

// HasMatrixUnit reports whether kernels may use AMX: tiles, and their products of int8 and of bfloat16. The processor has them, Best
// is AVX512, and the operating system lends the process their registers, which it is asked for when this is first called; a
// process that multiplies no such matrices has smaller signal frames. DropMatrixUnit takes them away.
func HasMatrixUnit() bool { return Best == AVX512 && !withoutMatrixUnit && lent() }

var (
	lent              = sync.OnceValue(lend)
	withoutMatrixUnit bool
)

// DropMatrixUnit makes HasMatrixUnit false from now on. It must not be called while kernels run.
func DropMatrixUnit() { withoutMatrixUnit = true }

// EachMatrixUnit calls test without AMX and, where HasMatrixUnit, with it. It is for tests and must not be called while kernels run.
func EachMatrixUnit(test func(has bool)) {
	before := withoutMatrixUnit
	defer func() { withoutMatrixUnit = before }()
	withoutMatrixUnit = true
	test(false)
	if withoutMatrixUnit = before; HasMatrixUnit() {
		test(true)
	}
}
