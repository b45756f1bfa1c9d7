package cuda

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// total runs a sum or product of the last Integers[0] axes of Inputs[0].
func total(operator string) recipe {
	return recipe{scratch: reductionScratch, run: func(l *launcher, a *device.Arguments) error {
		return l.reduce(operator, a, bit(a.Inputs[0].DType.Kind() == dtype.KindSigned))
	}}
}

// What a count of elements that are not zero tells; see fold.cu.
const (
	countAll = iota
	countIsSome
	countIsAll
)

func count(tells int64) recipe {
	return recipe{kernel: "count", scratch: reductionScratch, run: func(l *launcher, a *device.Arguments) error {
		bits := int64(-1)
		if d := a.Inputs[0].DType; d.IsFloat() {
			bits = int64(1)<<(8*d.Size()-1) - 1 // not that of the sign
		}
		return l.reduce("count", a, bits, tells)
	}}
}

// extreme runs the choice of the largest or smallest element, or of its number: then −0 and 0 are equal.
func extreme(smallest, number bool) recipe {
	return recipe{kernel: "extreme", scratch: reductionScratch, run: func(l *launcher, a *device.Arguments) error {
		integers := order(a.Inputs[0].DType, number, smallest)
		return l.reduce("extreme", a, append(integers, bit(number))...)
	}}
}

// vectorNorm runs a norm of the order Scalars[0]. Those that need powers have kernels of their own, which take longer to compile.
func vectorNorm(l *launcher, a *device.Arguments) error {
	switch order := a.Scalars[0]; {
	case order == 0, order == 1, order == 2, math.IsInf(order, 0):
		return l.fold("norm", a)
	}
	return l.fold("power_norm", a)
}

// reduce enqueues the kernel of a reduction with more integers.
func (l *launcher) reduce(operator string, a *device.Arguments, integers ...int64) error {
	b := *a
	b.Integers = append(slices.Clone(a.Integers[:1]), integers...)
	return l.fold(operator, &b)
}

// order returns what orderOf of order.h reads: equals tells whether what compares equal has one key.
func order(d dtype.DType, equals, descending bool) []int64 {
	significand := map[dtype.DType]int64{dtype.Float16: 10, dtype.BFloat16: 7, dtype.Float32: 23, dtype.Float64: 52}[d]
	unsigned := d.Kind() == dtype.KindUnsigned || d.Kind() == dtype.KindBool
	return []int64{significand, bit(unsigned), bit(equals), bit(descending)}
}

// bit returns 1 for true.
func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
