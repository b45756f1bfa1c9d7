package gemm

import "unsafe"

// fma32 is one instruction: the compiler fuses this expression, which a test holds against exact32.
func fma32(x, y, z float32) float32 { return x*y + z }

// chains32 is chains64 for float32.
func chains32(sums *[portableColumns]float32, a, b unsafe.Pointer, depth, aStep, bStep int) {
	s0, s1, s2, s3 := sums[0], sums[1], sums[2], sums[3]
	for k := range depth {
		x, y := *(*float32)(unsafe.Add(a, k*aStep)), (*[portableColumns]float32)(unsafe.Add(b, k*bStep))
		s0, s1, s2, s3 = fma32(x, y[0], s0), fma32(x, y[1], s1), fma32(x, y[2], s2), fma32(x, y[3], s3)
	}
	*sums = [portableColumns]float32{s0, s1, s2, s3}
}
