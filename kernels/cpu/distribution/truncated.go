package distribution

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/elementary"
)

// truncated is a normal distribution between bounds, exact however far from the mean they are, by the rejection methods of
// Robert ("Simulation of truncated normal variables", Statistics and Computing 5, 1995). Try i of an element uses draws 2i
// and 2i+1: the first makes a number and the second accepts it, or both make a normal one.
type truncated struct {
	method truncatedMethod

	// A result is origin + slope·x, with x what a try makes: the distance from the near bound, or from the mean for a normal
	// number.
	origin, slope float64
	low, high     float64 // the bounds in deviations from the mean
	near, width   float64 // the near bound, when the picture is turned so that it is below, and the distance of the other
	span          float64 // from the near bound to the other, not divided by the deviation
	rate          float64 // of exponential numbers
}

type truncatedMethod uint8

const (
	truncatedConstant    truncatedMethod = iota // the deviation is 0, or the bounds are equal
	truncatedNormal                             // normal numbers, of which those between the bounds are accepted
	truncatedEven                               // numbers equally likely between the bounds
	truncatedExponential                        // exponential numbers from the near bound on
)

// newTruncated chooses the method. Each accepts at least two of five tries on average.
func newTruncated(mean, deviation, low, high float64) truncated {
	if deviation == 0 || low == high {
		return truncated{method: truncatedConstant, origin: min(max(mean, low), high)}
	}
	l := truncated{
		method: truncatedEven, origin: low, slope: deviation,
		low: (low - mean) / deviation, high: (high - mean) / deviation, width: (high - low) / deviation, span: high - low,
	}
	l.near = l.low
	if l.high < -l.low { // the mean is nearer to high, or beyond it
		l.origin, l.slope, l.near, l.span = high, -deviation, -l.high, low-high
	}
	if l.near <= 0 {
		if l.width > 2.5 {
			l.method, l.origin, l.slope = truncatedNormal, mean, deviation
		}
		return l
	}
	l.near = min(l.near, 1e150)
	l.rate = float64(0.5 * (l.near + math.Sqrt(float64(l.near*l.near)+4)))
	if l.width > elementary.Exp(float64(0.5*(1-l.near/l.rate)))/l.rate {
		l.method = truncatedExponential
	}
	return l
}

// try makes a number from two values.
func (l *truncated) try(first, second uint64) (value float64, accepted bool) {
	switch l.method {
	case truncatedNormal:
		z, _ := gaussianPair(first, second)
		return l.origin + float64(l.slope*z), z >= l.low && z <= l.high
	case truncatedEven:
		u := elementary.Unit(first)
		x := float64(l.width * u)
		// The density at near + x over the largest: at near, or at 0 where that lies between the bounds.
		exponent := -float64(0.5 * float64(x*float64(2*l.near+x)))
		if l.near < 0 {
			exponent = -float64(0.5 * float64((l.near+x)*(l.near+x)))
		}
		return l.origin + float64(l.span*u), elementary.LogUnit(second) <= exponent
	case truncatedExponential:
		x := -elementary.LogUnit(first) / l.rate
		// The rate exceeds near by 1/rate.
		off := x - 1/l.rate
		return l.origin + float64(l.slope*x), x <= l.width && elementary.LogUnit(second) <= -float64(0.5*float64(off*off))
	}
	return l.origin, true
}

func truncatedLaw(b *lawBuffers, x []float64, s Source, first uint64, parameters []float64) {
	l := newTruncated(parameters[0], parameters[1], parameters[2], parameters[3])
	one, two := b.draw(0, len(x), s, first, 0), b.draw(1, len(x), s, first, 1)
	for i := range x {
		value, accepted := l.try(one[i], two[i])
		for draw, element := uint16(2), first+uint64(i); !accepted; draw += 2 {
			value, accepted = l.try(s.value(element, draw), s.value(element, draw+1))
		}
		x[i] = value
	}
}

// TruncatedNormal has the parameters mean, deviation, low and high.
var TruncatedNormal = Continuous{bounded[float32], bounded[float64]}

// bounded is the law with its results, once they are rounded, kept between the bounds.
func bounded[T dtype.Float](dst []T, s Source, first uint64, parameters []float64) {
	lawful[T](truncatedLaw)(dst, s, first, parameters)
	least, most := between[T](parameters[2], parameters[3])
	for i, v := range dst {
		dst[i] = min(max(v, least), most)
	}
}

// between returns the least and the greatest T from low to high, both the nearest to low where there is none.
func between[T dtype.Float](low, high float64) (least, most T) {
	least, most = T(low), T(high)
	if float64(least) < low {
		least = next(least, math.Inf(1))
	}
	if float64(most) > high {
		most = next(most, math.Inf(-1))
	}
	if least > most {
		return T(low), T(low)
	}
	return least, most
}

// next returns the T after x in a direction.
func next[T dtype.Float](x T, towards float64) T {
	if unsafe.Sizeof(x) == 4 {
		return T(math.Nextafter32(float32(x), float32(towards)))
	}
	return T(math.Nextafter(float64(x), towards))
}
