package features

import "sync"

// HasMatrixUnit reports whether kernels may use AMX: tiles, and their products of int8 and of bfloat16. The processor has them, Best
// is AVX512, and the operating system lends the process their registers, which it is asked for when this is first called; a
// process that multiplies no such matrices has smaller signal frames. GODEBUG takes them away as well, by cpu.amxtile=off.
func HasMatrixUnit() bool { return Best == AVX512 && !withoutMatrixUnit && lent() }

var (
	lent              = sync.OnceValue(lend)
	withoutMatrixUnit bool // in tests
)

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
