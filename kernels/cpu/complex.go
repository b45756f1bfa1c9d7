package cpu

import (
	"math"

	"github.com/weft-nd/weft/dtype"
)

// A complex number lies in memory as its real part and then its imaginary one, both of the type that dtype.RealPart gives.
// The loops on them take pairs, since type parameters have no parts of complex numbers in Go. Each product and each sum is
// rounded, so that no processor fuses them. The functions of calculus compute in float64 with those of float64, and complex64
// is rounded once at the end. They have the special cases of the C standard (ISO/IEC 9899:2018, annex G), which are those of
// the array API standard; the branch cuts are its own, and a zero's sign tells the side.

// complexOf returns the type of complex numbers with parts T.
func complexOf[T dtype.Float]() dtype.DType { return dtype.Promote(dtype.Of[T](), dtype.Complex64) }

// complexUnary is the loop of a kernel on complex numbers with parts T.
func complexUnary[T dtype.Float](plain func(dst, x [][2]T), nanoseconds float64) *inner {
	d := complexOf[T]()
	return &inner{dtypes: d.String(), nanoseconds: nanoseconds, sizes: []int{d.Size(), d.Size()}, plain: func(count int, p pointers) {
		plain(slice[[2]T](p[0], count), slice[[2]T](p[1], count))
	}}
}

// complexBinary is complexUnary for two operands.
func complexBinary[T dtype.Float](plain func(dst, x, y [][2]T), nanoseconds float64) *inner {
	d := complexOf[T]()
	return &inner{dtypes: d.String(), nanoseconds: nanoseconds, sizes: []int{d.Size(), d.Size(), d.Size()}, plain: func(count int, p pointers) {
		plain(slice[[2]T](p[0], count), slice[[2]T](p[1], count), slice[[2]T](p[2], count))
	}}
}

// complexTo is complexUnary for results of another type, which assembly computes a vector at a time.
func complexTo[D dtype.Element, T dtype.Float](plain func(dst []D, x [][2]T), nanoseconds float64) *inner {
	d := complexOf[T]()
	sizes := []int{dtype.Of[D]().Size(), d.Size()}
	return &inner{dtypes: d.String(), nanoseconds: nanoseconds, sizes: sizes, ofPairs: true, plain: func(count int, p pointers) {
		plain(slice[D](p[0], count), slice[[2]T](p[1], count))
	}}
}

// complexPredicate is complexBinary for bools.
func complexPredicate[T dtype.Float](plain func(dst []bool, x, y [][2]T)) *inner {
	i := complexBinary(func(_, _, _ [][2]T) {}, light)
	i.sizes[0] = 1
	i.plain = func(count int, p pointers) {
		plain(slice[bool](p[0], count), slice[[2]T](p[1], count), slice[[2]T](p[2], count))
	}
	return i
}

// complexFunction is a function of a complex number, by its parts.
type complexFunction func(x, y float64) (re, im float64)

// The nanoseconds of a function of a complex number.
const intricate = 60

// everyOne returns the loop that computes f of every element.
func everyOne[T dtype.Float](f complexFunction) func(dst, x [][2]T) {
	return func(dst, x [][2]T) {
		dst = dst[:len(x)]
		for i, v := range x {
			re, im := f(float64(v[0]), float64(v[1]))
			dst[i] = [2]T{T(re), T(im)}
		}
	}
}

// reversed returns the function with i·f(z) = g(i·z) for an odd f that commutes with conjugation: sin for sinh.
func reversed(f complexFunction) complexFunction {
	return func(x, y float64) (re, im float64) {
		im, re = f(y, x)
		return re, im
	}
}

func isFinite64(x float64) bool { return x-x == 0 }

var infinity, noNumber = math.Inf(1), math.NaN()
