package cpu

import "github.com/weft-nd/weft/dtype"

// complexNumber makes complex numbers of their parts.
func complexNumber[T dtype.Float]() *inner {
	size := dtype.Of[T]().Size()
	return &inner{dtypes: dtype.Of[T]().String(), nanoseconds: light, sizes: []int{2 * size, size, size}, plain: func(count int, p pointers) {
		dst, re, im := slice[[2]T](p[0], count), slice[T](p[1], count), slice[T](p[2], count)
		for i, v := range re {
			dst[i] = [2]T{v, im[i]}
		}
	}}
}

// conjugates registers conj of complex numbers with parts T. The sign of the imaginary part of a complex64 is the
// highest of 64 bits, and so the sign of a float64.
func conjugates[T dtype.Float]() struct{} {
	i := complexUnary(conj[T], light)
	if dtype.Of[T]() == dtype.Float32 {
		i.assembly = "neg/float64"
	}
	return registerLoops("conj", i)
}

// conjugatesOfReals registers conj of real numbers, by the unsigned integers of their size: they stay what they are.
func conjugatesOfReals() struct{} {
	loops := map[int]func() *inner{
		1: func() *inner { return unaryLoop(positive[uint8], light) }, 2: func() *inner { return unaryLoop(positive[uint16], light) },
		4: func() *inner { return unaryLoop(positive[uint32], light) }, 8: func() *inner { return unaryLoop(positive[uint64], light) },
	}
	for _, d := range dtype.All() {
		if d != dtype.Bool && !d.IsComplex() {
			i := loops[d.Size()]()
			i.dtypes = d.String()
			registerLoops("conj", i)
		}
	}
	return struct{}{}
}

// angles registers the argument of complex numbers with parts T, and of real ones.
func angles[T dtype.Float]() struct{} {
	i := complexTo(arguments[T], intricate/4)
	i.assembled = double
	registerLoops("angle", i)
	return registerLoops("angle", unaryLoop(angle[T], light))
}

var (
	_ = registerLoops("complex", complexNumber[float32](), complexNumber[float64]())
	_ = conjugates[float32]()
	_ = conjugates[float64]()
	_ = conjugatesOfReals()
	_ = angles[float32]()
	_ = angles[float64]()
	_ = halves(1, "angle")
)
