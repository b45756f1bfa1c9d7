package distribution

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/weft-nd/weft/dtype"
)

func random() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// drawn returns the first count elements of the bits of a key and a sequence.
func drawn[T dtype.Float](of Fill[T], count int, key, sequence int64, parameters ...float64) []T {
	x := make([]T, count)
	of(x, Source{uint64(key), uint64(sequence)}, 0, parameters)
	return x
}

// samples is how many numbers tests of distributions draw.
func samples() int {
	if testing.Short() {
		return 1 << 17
	}
	return 1 << 20
}

// kolmogorovSmirnov returns the distance of the values' distribution from the given one, times the root of their count.
// Their order is not kept.
func kolmogorovSmirnov(values []float64, distribution func(float64) float64) float64 {
	values = slices.Sorted(slices.Values(values))
	count, distance := float64(len(values)), 0.0
	for i, v := range values {
		p := distribution(v)
		distance = max(distance, p-float64(i)/count, float64(i+1)/count-p)
	}
	return distance * math.Sqrt(count)
}

func asDoubles(x []float32) []float64 {
	result := make([]float64, len(x))
	for i, v := range x {
		result[i] = float64(v)
	}
	return result
}

func chiSquareOf(found []float64, expected float64) float64 {
	sum := 0.0
	for _, n := range found {
		sum += (n - expected) * (n - expected) / expected
	}
	return sum
}
