package cpu

import (
	"math"
	"slices"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
)

// singles hold operands and results of float32, or of another type, on their way through a cast.
type singles [maxOperands][blockSize]float32

var singlesPool = sync.Pool{New: func() any { return new(singles) }}

// halves registers loops on float16 and bfloat16 for operators whose loops on float32 are registered already: they compute in
// float32 by those loops, which have the given number of operands, and round once.
func halves(operands int, operators ...string) struct{} {
	for _, operator := range operators {
		registerLoops(operator, castFirst(operator, dtype.Float16, dtype.Float32, operands), castFirst(operator, dtype.BFloat16, dtype.Float32, operands))
	}
	return struct{}{}
}

// castFirst is the loop of an operator on operands of type d that computes by the loop on another type, middle: it casts the
// operands there, and casts results of that type back, unless they are bools.
func castFirst(operator string, d, middle dtype.DType, operands int) *inner {
	within := inners[operator+"/"+middle.String()]
	isBack := within.sizes[0] == middle.Size() && middle != dtype.Bool
	i := &inner{dtypes: d.String(), nanoseconds: within.nanoseconds, sizes: slices.Repeat([]int{d.Size()}, 1+operands)}
	if !isBack {
		i.sizes[0] = within.sizes[0]
	}
	block := len(singles{}[0]) * dtype.Float32.Size() / middle.Size()
	there := loopNamed(castName(d, middle))
	back := loopNamed(castName(middle, d))
	i.plain = func(count int, p pointers) {
		s := singlesPool.Get().(*singles)
		defer singlesPool.Put(s)
		cast, compute := there().runner(), within.runner()
		for count > 0 {
			part := min(count, block)
			var q pointers
			for k := 1; k <= operands; k++ {
				q[k] = unsafe.Pointer(&s[k])
				cast.run(part, pointers{q[k], p[k]}, 0)
			}
			if isBack {
				q[0] = unsafe.Pointer(&s[0])
				compute.run(part, q, 0)
				back().runner().run(part, pointers{p[0], q[0]}, 0)
			} else {
				q[0] = p[0]
				compute.run(part, q, 0)
			}
			count -= part
			for k, size := range i.sizes {
				if count > 0 { // no pointer may leave its memory
					p[k] = unsafe.Add(p[k], part*size)
				}
			}
		}
	}
	return i
}

func fromF16(dst []float32, x []dtype.F16) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v.Float32()
	}
}

func fromBF16(dst []float32, x []dtype.BF16) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = v.Float32()
	}
}

func toF16(dst []dtype.F16, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = dtype.ToF16(v)
	}
}

func toBF16(dst []dtype.BF16, x []float32) {
	dst = dst[:len(x)]
	for i, v := range x {
		dst[i] = dtype.ToBF16(v)
	}
}

// oddFloat32 rounds to odd: a value between two float32 numbers becomes the one whose last bit is set. Rounding the result
// to a type with at least two bits less is then as good as one rounding of x (Boldo and Melquiond, "Emulation of FMA and
// correctly rounded sums", IEEE Transactions on Computers 57(4), 2008).
func oddFloat32(x float64) float32 {
	nearest := float32(x)
	if float64(nearest) == x || x != x {
		return nearest
	}
	bits := math.Float32bits(nearest)
	if math.Abs(float64(nearest)) > math.Abs(x) {
		bits-- // toward zero
	}
	return math.Float32frombits(bits | 1)
}

// odd rounds to odd what float32 may not hold.
func odd[T dtype.Real](dst []float32, x []T) {
	dst = dst[:len(x)]
	isFloat := dtype.Of[T]().IsFloat()
	for i, v := range x {
		switch {
		case isFloat:
			dst[i] = oddFloat32(float64(v))
		case v < 0:
			dst[i] = -oddInteger(-uint64(v))
		default:
			dst[i] = oddInteger(uint64(v))
		}
	}
}

// oddInteger clears the bits that a float64 cannot hold, and keeps in the last of those it can whether there were any.
func oddInteger(v uint64) float32 {
	const excess = 1<<11 - 1
	if v >= 1<<53 {
		lost := v & excess
		v &^= excess
		if lost != 0 {
			v |= excess + 1
		}
	}
	return oddFloat32(float64(v))
}
