package cpu

import (
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/distribution"
	"github.com/weft-nd/weft/parallel"
)

// integers is the kernel that fills Outputs[0] with numbers from Integers[2] to Integers[3], both included.
func integers[T dtype.Integer](inner func(dst []T, s distribution.Source, first, low, span uint64), nanoseconds float64) entry {
	return entry{dtype.Of[T]().String(), func(t *parallel.Thread, a *device.Arguments) error {
		low, span := uint64(a.Integers[2]), uint64(a.Integers[3])-uint64(a.Integers[2])
		drawing(t, a, nanoseconds, func(s distribution.Source, first uint64, count int, p pointers) {
			inner(slice[T](p[0], count), s, first, low, span)
		})
		return nil
	}}
}

var _ = register("randint",
	integers(distribution.NarrowIntegers[int8], 3), integers(distribution.NarrowIntegers[int16], 3), integers(distribution.NarrowIntegers[int32], 3), integers(distribution.WideIntegers[int64], 6),
	integers(distribution.NarrowIntegers[uint8], 3), integers(distribution.NarrowIntegers[uint16], 3), integers(distribution.NarrowIntegers[uint32], 3), integers(distribution.WideIntegers[uint64], 6))

// bernoulli is true with the probability Scalars[0].
func bernoulli(t *parallel.Thread, a *device.Arguments) error {
	c := distribution.NewChance(a.Scalars[0])
	drawing(t, a, 1, func(s distribution.Source, first uint64, count int, p pointers) {
		c.Hits(slice[bool](p[0], count), s, first)
	})
	return nil
}

var _ = register("bernoulli", entry{dtype.Bool.String(), bernoulli})

// bernoulliOf is true with the probabilities in Inputs[0].
func bernoulliOf[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	if err := checkElements(t, a.Inputs[0], "probability", "from 0 to 1", isProbability[T]); err != nil {
		return err
	}
	drawing(t, a, 4, func(s distribution.Source, first uint64, count int, p pointers) {
		distribution.BernoulliOf(slice[bool](p[0], count), s, first, slice[T](p[1], count))
	})
	return nil
}

func isProbability[T dtype.Float](p T) bool { return p >= 0 && p <= 1 }

var _ = register("bernoulli_of",
	entry{dtype.Float32.String(), bernoulliOf[float32]}, entry{dtype.Float64.String(), bernoulliOf[float64]})

// dropout sets the elements that bernoulli with the probability Scalars[0] hits to zero and multiplies the others by the
// inverse of the probability of staying.
func dropout[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	probability := a.Scalars[0]
	if probability >= 1 {
		clearView(t, a.Outputs[0])
		return nil
	}
	drop, scale := distribution.NewChance(probability), T(1/(1-probability))
	drawing(t, a, 1, func(s distribution.Source, first uint64, count int, p pointers) {
		distribution.Dropout(slice[T](p[0], count), slice[T](p[1], count), s, first, drop, scale)
	})
	return nil
}

var (
	_ = registerFloats("dropout", entry{dtype.Float32.String(), dropout[float32]}, entry{dtype.Float64.String(), dropout[float64]})
	_ = registerFloats("dropout_replay", entry{dtype.Float32.String(), dropout[float32]}, entry{dtype.Float64.String(), dropout[float64]})
)

// counting registers a kernel that fills Outputs[0], of int64, by fill.
func counting(operator string, nanoseconds float64, fill func(dst []int64, s distribution.Source, first uint64, a *device.Arguments)) struct{} {
	return register(operator, entry{dtype.Int64.String(), func(t *parallel.Thread, a *device.Arguments) error {
		drawing(t, a, nanoseconds, func(s distribution.Source, first uint64, count int, p pointers) {
			fill(slice[int64](p[0], count), s, first, a)
		})
		return nil
	}})
}

var (
	// The rate is Scalars[0].
	_ = counting("poisson", 30, func(dst []int64, s distribution.Source, first uint64, a *device.Arguments) {
		distribution.Poisson(dst, s, first, a.Scalars[0])
	})
	// The trials are Integers[2], their probability Scalars[0].
	_ = counting("binomial", 40, func(dst []int64, s distribution.Source, first uint64, a *device.Arguments) {
		distribution.Binomial(dst, s, first, a.Integers[2], a.Scalars[0])
	})
	// The probability is Scalars[0].
	_ = counting("geometric", 15, func(dst []int64, s distribution.Source, first uint64, a *device.Arguments) {
		distribution.Geometric(dst, s, first, a.Scalars[0])
	})
	// The successes are Scalars[0], their probability Scalars[1].
	_ = counting("negative_binomial", 120, func(dst []int64, s distribution.Source, first uint64, a *device.Arguments) {
		distribution.NegativeBinomial(dst, s, first, a.Scalars[0], a.Scalars[1])
	})
)

// poissonOf has the rates in Inputs[0].
func poissonOf[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	isRate := func(rate T) bool { return rate >= 0 && float64(rate) <= distribution.MaxRate }
	if err := checkElements(t, a.Inputs[0], "rate", "from 0 to 9.2e18", isRate); err != nil {
		return err
	}
	drawing(t, a, 60, func(s distribution.Source, first uint64, count int, p pointers) {
		distribution.PoissonOf(slice[int64](p[0], count), s, first, slice[T](p[1], count))
	})
	return nil
}

var _ = register("poisson_of",
	entry{dtype.Float32.String(), poissonOf[float32]}, entry{dtype.Float64.String(), poissonOf[float64]})

// binomialOf has the trials in Inputs[0] and the probabilities in Inputs[1].
func binomialOf[T dtype.Float](t *parallel.Thread, a *device.Arguments) error {
	isTrials := func(n int64) bool { return n >= 0 && n <= distribution.MaxTrials }
	if err := checkElements(t, a.Inputs[0], "number of trials", "from 0 to 2^53", isTrials); err != nil {
		return err
	}
	if err := checkElements(t, a.Inputs[1], "probability", "from 0 to 1", isProbability[T]); err != nil {
		return err
	}
	drawing(t, a, 80, func(s distribution.Source, first uint64, count int, p pointers) {
		distribution.BinomialOf(slice[int64](p[0], count), s, first, slice[int64](p[1], count), slice[T](p[2], count))
	})
	return nil
}

var _ = register("binomial_of",
	entry{dtype.Int64.String() + "/" + dtype.Float32.String(), binomialOf[float32]},
	entry{dtype.Int64.String() + "/" + dtype.Float64.String(), binomialOf[float64]})
