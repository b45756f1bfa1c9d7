//go:build !arm64

package gemm

import "unsafe"

func fma32(x, y, z float32) float32 { return exact32(x, y, z) }

// chains32 is chains64 for float32: exact32 four times, with one branch.
func chains32(sums *[portableColumns]float32, a, b unsafe.Pointer, depth, aStep, bStep int) {
	s0, s1, s2, s3 := float64(sums[0]), float64(sums[1]), float64(sums[2]), float64(sums[3])
	for k := range depth {
		x, y := float64(*(*float32)(unsafe.Add(a, k*aStep))), (*[portableColumns]float32)(unsafe.Add(b, k*bStep))
		p0, p1, p2, p3 := x*float64(y[0]), x*float64(y[1]), x*float64(y[2]), x*float64(y[3])
		t0, t1, t2, t3 := p0+s0, p1+s1, p2+s2, p3+s3
		if isDelicate(t0) || isDelicate(t1) || isDelicate(t2) || isDelicate(t3) {
			t0, t1, t2, t3 = toOdd(p0, s0), toOdd(p1, s1), toOdd(p2, s2), toOdd(p3, s3)
		}
		s0, s1, s2, s3 = float64(float32(t0)), float64(float32(t1)), float64(float32(t2)), float64(float32(t3))
	}
	*sums = [portableColumns]float32{float32(s0), float32(s1), float32(s2), float32(s3)}
}
