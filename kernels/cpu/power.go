package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/parallel"
)

// registerPowers registers a kernel of pow. Where all elements have one exponent, alike returns a loop on the other operand that gives the bits of the
// general loop, or nil if there is none.
func registerPowers[T any](general *inner, alike func(exponent T) *runner) struct{} {
	general.name("pow/" + general.dtypes)
	return register("pow", entry{general.dtypes, func(t *parallel.Thread, a *device.Arguments) error {
		if isRepeated(a.Inputs[1]) && a.Outputs[0].Count() > 0 {
			if r := alike(*(*T)(a.Inputs[1].Pointer.Host)); r != nil {
				one := *a
				one.Inputs = a.Inputs[:1]
				r.compute(t, &one)
				return nil
			}
		}
		general.runner().compute(t, a)
		return nil
	}})
}

// What cubes are made of; it is declared before the kernels, which are made of cubes.
var (
	square64, times64     = loopNamed("square/float64"), loopNamed("mul/float64")
	widen32, narrow64To32 = loopNamed(castName(dtype.Float32, dtype.Float64)), loopNamed(castName(dtype.Float64, dtype.Float32))
)

// pow64 is the power of slices, for kernels that are made of it.
var pow64 = vectorizedBinary("pow", powFloat64)

var (
	_ = registerPowers(binaryLoop(vectorizedBinary("pow", powFloat32), double), fewPowers[float32](dtype.Float32, true, cubes32))
	_ = registerPowers(binaryLoop(pow64, 2*double), fewPowers[float64](dtype.Float64, false, cubes64))
	_ = registerPowers(castFirst("pow", dtype.Float16, dtype.Float32, 2), fewPowersOfHalves(dtype.Float16, dtype.F16.Float32))
	_ = registerPowers(castFirst("pow", dtype.BFloat16, dtype.Float32, 2), fewPowersOfHalves(dtype.BFloat16, dtype.BF16.Float32))

	_ = integerPowers[int8]()
	_ = integerPowers[int16]()
	_ = integerPowers[int32]()
	_ = integerPowers[int64]()
	_ = integerPowers[uint8]()
	_ = integerPowers[uint16]()
	_ = integerPowers[uint32]()
	_ = integerPowers[uint64]()
	_ = registerLoops("pow", complexBinary(powersOf[float32], 2*intricate), complexBinary(powersOf[float64], 2*intricate))
)

// fewPowers returns what finds the loop of an exponent of elements of type d: 1, 2 and, if there are cubes, 3; and -1 where powers are
// rounded as quotients are.
func fewPowers[T dtype.Float](d dtype.DType, exact bool, cubes loop) func(exponent T) *runner {
	copied, squared, inverse := loopNamed("positive/"+d.String()), loopNamed("square/"+d.String()), loopNamed("reciprocal/"+d.String())
	cubed := &runner{plain: cubes, sizes: []int{d.Size(), d.Size()}, nanoseconds: light}
	return func(exponent T) *runner {
		switch {
		case exponent == 1:
			return copied().runner()
		case exponent == 2:
			return squared().runner()
		case exponent == 3 && cubes != nil:
			return cubed
		case exponent == -1 && exact:
			return inverse().runner()
		}
		return nil
	}
}

func fewPowersOfHalves[T any](d dtype.DType, widen func(T) float32) func(exponent T) *runner {
	few := fewPowers[float32](d, true, nil)
	return func(exponent T) *runner { return few(widen(exponent)) }
}

// inBlocks calls body for blocks of count elements, of so many bytes in the result and in the operand.
func inBlocks(count int, p pointers, size int, body func(part int, p pointers)) {
	for ; count > blockSize; count -= blockSize {
		body(blockSize, p)
		p = pointers{unsafe.Add(p[0], size*blockSize), unsafe.Add(p[1], size*blockSize)}
	}
	body(count, p)
}

// cubes64 multiplies twice, as the general loop does for that exponent.
func cubes64(count int, p pointers) {
	s := singlesPool.Get().(*singles)
	defer singlesPool.Put(s)
	squares := unsafe.Pointer(&s[0])
	inBlocks(count, p, 8, func(part int, p pointers) {
		square64().runner().run(part, pointers{squares, p[1]}, 0)
		times64().runner().run(part, pointers{p[0], squares, p[1]}, 0)
	})
}

// cubes32 does so in float64, and rounds once more.
func cubes32(count int, p pointers) {
	s := singlesPool.Get().(*singles)
	defer singlesPool.Put(s)
	x := unsafe.Pointer(&s[2])
	inBlocks(count, p, 4, func(part int, p pointers) {
		widen32().runner().run(part, pointers{x, p[1]}, 0)
		cubes64(part, pointers{x, x})
		narrow64To32().runner().run(part, pointers{p[0], x}, 0)
	})
}

func integerPowers[T dtype.Integer]() struct{} {
	d := dtype.Of[T]()
	copied, times := loopNamed("positive/"+d.String()), loopNamed("mul/"+d.String())
	return registerPowers(binaryLoop(integerPower[T], dividing), func(exponent T) *runner {
		if exponent <= 0 {
			return nil
		}
		n := uint64(exponent)
		return &runner{plain: func(count int, p pointers) {
			repeatedProducts(count, p, n, d.Size(), copied().runner(), times().runner())
		},
			sizes: []int{d.Size(), d.Size()}, nanoseconds: light * float64(bits.Len64(n))}
	})
}

// repeatedProducts squares and multiplies blocks of integers, of so many bytes: n is positive.
func repeatedProducts(count int, p pointers, n uint64, size int, copied, times *runner) {
	if n == 2 {
		times.run(count, pointers{p[0], p[1], p[1]}, 0)
		return
	}
	s := singlesPool.Get().(*singles)
	defer singlesPool.Put(s)
	base, power := unsafe.Pointer(&s[0]), unsafe.Pointer(&s[2])
	inBlocks(count, p, size, func(part int, p pointers) {
		copied.run(part, pointers{base, p[1]}, 0)
		begun := false
		for rest := n; ; rest >>= 1 {
			switch {
			case rest&1 == 0:
			case begun:
				times.run(part, pointers{power, power, base}, 0)
			default:
				begun = true
				copied.run(part, pointers{power, base}, 0)
			}
			if rest == 1 {
				break
			}
			times.run(part, pointers{base, base, base}, 0)
		}
		copied.run(part, pointers{p[0], power}, 0)
	})
}

// integerPower squares and multiplies. A negative exponent gives what is left of the inverse without its fraction, 0 for 0.
func integerPower[T dtype.Integer](dst, x, y []T) {
	dst, y = dst[:len(x)], y[:len(x)]
	for i, base := range x {
		exponent, power := y[i], T(1)
		if exponent < 0 {
			if base != 1 && base+1 != 0 {
				base = 0
			}
			exponent &= 1 // all that matters to 1 and −1
			exponent |= 2 // and is above zero for 0
		}
		for ; exponent != 0; exponent >>= 1 {
			if exponent&1 != 0 {
				power *= base
			}
			base *= base
		}
		dst[i] = power
	}
}
