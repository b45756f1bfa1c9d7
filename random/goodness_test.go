package random_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"
)

// sampleSize is how many numbers a distribution is judged by.
func sampleSize() int {
	if testing.Short() {
		return 100_000
	}
	return 1_000_000
}

// requireChiSquare compares counts with what is expected: worse fits than this one come once in ten thousand times.
func requireChiSquare(t testing.TB, expected, counts []float64, about ...any) {
	t.Helper()
	sum := 0.0
	for i, e := range expected {
		sum += (counts[i] - e) * (counts[i] - e) / e
	}
	if len(expected) > 1 {
		require.Greater(t, distuv.ChiSquared{K: float64(len(expected) - 1)}.Survival(sum), 1e-4, about...)
	}
}

// requireMass compares samples with the probabilities of the numbers from low to high. Neighbours are taken together until
// a hundred are expected; what is outside belongs to the ends.
func requireMass(t testing.TB, samples []int64, low, high int64, mass func(k int64) float64) {
	t.Helper()
	bin, expected, total := make([]int, high-low+1), []float64{0}, 0.0
	for k := range bin {
		if last := len(expected) - 1; expected[last] >= 100 {
			expected = append(expected, 0)
		}
		bin[k] = len(expected) - 1
		probability := mass(low + int64(k))
		expected[bin[k]] += probability * float64(len(samples))
		total += probability
	}
	if last := len(expected) - 1; last > 0 && expected[last] < 100 {
		expected[last-1] += expected[last]
		expected = expected[:last]
	}
	require.InDelta(t, 1, total, 1e-6, "the numbers from %d to %d are not all", low, high)
	counts := make([]float64, len(expected))
	for _, k := range samples {
		counts[min(bin[min(max(k, low), high)-low], len(counts)-1)]++
	}
	requireChiSquare(t, expected, counts)
}

// requireNormal compares samples with a normal distribution, in a hundred equal parts.
func requireNormal(t testing.TB, samples []int64, mean, deviation float64) {
	t.Helper()
	expected, counts := make([]float64, 100), make([]float64, 100)
	for i := range expected {
		expected[i] = float64(len(samples)) / 100
	}
	for _, k := range samples {
		counts[min(99, int(50*math.Erfc(-(float64(k)-mean)/deviation/math.Sqrt2)))]++
	}
	requireChiSquare(t, expected, counts)
}

// requireMoments compares mean and variance of samples within five standard errors.
func requireMoments(t testing.TB, samples []int64, mean, variance float64) {
	t.Helper()
	n, first, second, fourth := float64(len(samples)), 0.0, 0.0, 0.0
	for _, k := range samples {
		d := float64(k) - mean
		first += d / n
		second += d * d / n
		fourth += d * d * d * d / n
	}
	require.LessOrEqual(t, math.Abs(first), 5*math.Sqrt(variance/n), "mean")
	require.LessOrEqual(t, math.Abs(second-variance), 5*math.Sqrt(max(fourth-variance*variance, 3*variance*variance)/n)+5*variance/n, "variance")
}
