package gemm

import "unsafe"

// chainCount is the number of sums, each of every eighth term, that an element of a single row or column is made of. They do not wait
// for each other, and are the lanes of vectors where terms are adjacent.
const chainCount = 8

type chains[T Float] [chainCount]T

// sumChains returns the sum of so many products of elements that are so many bytes apart. The chains are memory for it,
// which would be on the heap, for every sum, if it were its own.
func (f *family[T]) sumChains(sums *chains[T], a, b unsafe.Pointer, aStep, bStep, count int) T {
	size := int(unsafe.Sizeof(sums[0]))
	clear(sums[:])
	whole := count / chainCount * chainCount
	switch adjacent := aStep == size && bStep == size; {
	case adjacent && f.dot != nil && whole > 0:
		f.dot((*byte)(unsafe.Pointer(sums)), (*byte)(a), (*byte)(b), whole)
	case adjacent:
		addProducts(sums, unsafe.Slice((*T)(a), whole), unsafe.Slice((*T)(b), whole))
	default:
		addDistant(sums, a, b, aStep, bStep, whole)
	}
	for k := whole; k < count; k++ {
		sums[k-whole] += T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep)))
	}
	return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]))
}

// addProducts adds the products of x and y, whose length is a multiple of the number of sums. Products are converted, lest the
// compiler fuse them with the sums.
func addProducts[T Float](sums *chains[T], x, y []T) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	for len(x) >= chainCount && len(y) >= chainCount {
		s0, s1, s2, s3 = s0+T(x[0]*y[0]), s1+T(x[1]*y[1]), s2+T(x[2]*y[2]), s3+T(x[3]*y[3])
		s4, s5, s6, s7 = s4+T(x[4]*y[4]), s5+T(x[5]*y[5]), s6+T(x[6]*y[6]), s7+T(x[7]*y[7])
		x, y = x[chainCount:], y[chainCount:]
	}
	*sums = chains[T]{s0, s1, s2, s3, s4, s5, s6, s7}
}

// addDistant is addProducts for elements that are so many bytes apart.
func addDistant[T Float](sums *chains[T], a, b unsafe.Pointer, aStep, bStep, count int) {
	s0, s1, s2, s3, s4, s5, s6, s7 := sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]
	term := func(k int) T { return T(*(*T)(unsafe.Add(a, k*aStep)) * *(*T)(unsafe.Add(b, k*bStep))) }
	for k := 0; k < count; k += chainCount {
		s0 += term(k)
		s1 += term(k + 1)
		s2 += term(k + 2)
		s3 += term(k + 3)
		s4 += term(k + 4)
		s5 += term(k + 5)
		s6 += term(k + 6)
		s7 += term(k + 7)
	}
	*sums = chains[T]{s0, s1, s2, s3, s4, s5, s6, s7}
}
