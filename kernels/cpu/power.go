package cpu

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/calculus"
	"github.com/weft-nd/weft/parallel"
)

// registerPowers registers a kernel of pow. Where all elements have one exponent, alike returns a loop on the other
// operand that gives the bits of the general loop, or nil if there is none.
func registerPowers[T any](general *inner, alike func(exponent T) *runner) struct{} {
	general.makeKnown("pow/" + general.dtypes)
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

var (
	_ = floatPowers(binaryLoop(calculus.Pow.Float32, double), dtype.Float32, itself[float32])
	_ = floatPowers(binaryLoop(calculus.Pow.Float64, 2*double), dtype.Float64, itself[float64])
	_ = floatPowers(castFirst("pow", dtype.Float16, dtype.Float32, 2), dtype.Float16, dtype.F16.Float32)
	_ = floatPowers(castFirst("pow", dtype.BFloat16, dtype.Float32, 2), dtype.BFloat16, dtype.BF16.Float32)

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

// loopsOfPowers are loops on floats that are no operator of their own, by these names.
func loopsOfPowers(operator string, loops ...*inner) struct{} {
	for _, i := range loops {
		i.makeKnown(operator + "/" + i.dtypes)
	}
	for _, half := range []dtype.DType{dtype.Float16, dtype.BFloat16} {
		castFirst(operator, half, dtype.Float32, 1).makeKnown(operator + "/" + half.String())
	}
	return struct{}{}
}

var (
	_ = loopsOfPowers("cube", unaryLoop(calculus.Cube.Float32, light), unaryLoop(calculus.Cube.Float64, light))
	_ = loopsOfPowers("half_power", unaryLoop(calculus.HalfPower.Float32, single), unaryLoop(calculus.HalfPower.Float64, double))
	_ = loopsOfPowers("inverse_half_power",
		unaryLoop(calculus.InverseHalfPower.Float32, single), unaryLoop(calculus.InverseHalfPower.Float64, double))
	_ = loopsOfPowers("inverse_square", unaryLoop(calculus.InverseSquare.Float32, light), unaryLoop(calculus.InverseSquare.Float64, single))
)

// floatPowers registers powers of floats of type d.
func floatPowers[T any, F dtype.Float](general *inner, d dtype.DType, value func(T) F) struct{} {
	few := fewPowers(d, value)
	general.alike = func(exponent unsafe.Pointer) *inner { return few(*(*T)(exponent)) }
	return registerPowers(general, func(exponent T) *runner {
		if i := few(exponent); i != nil {
			return i.runner()
		}
		return nil
	})
}

// fewPowers returns what finds the loop of an exponent of elements of type d: 1, 2, 3, ½, −½, −1 and −2.
func fewPowers[T any, F dtype.Float](d dtype.DType, value func(T) F) func(exponent T) *inner {
	loops := map[F]func() *inner{}
	for exponent, operator := range map[F]string{
		1: "positive/", 2: "square/", 3: "cube/", 0.5: "half_power/", -0.5: "inverse_half_power/", -1: "reciprocal/", -2: "inverse_square/",
	} {
		loops[exponent] = loopNamed(operator + d.String())
	}
	return func(exponent T) *inner {
		if find := loops[value(exponent)]; find != nil {
			return find()
		}
		return nil
	}
}

// inBlocks calls body for blocks of count elements, of so many bytes in the result and in the operand.
func inBlocks(count int, p pointers, size int, body func(part int, p pointers)) {
	for ; count > blockSize; count -= blockSize {
		body(blockSize, p)
		p = pointers{unsafe.Add(p[0], size*blockSize), unsafe.Add(p[1], size*blockSize)}
	}
	body(count, p)
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
