package main

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/data"
)

func fingerprint(digits *data.Digits) string {
	sum := sha256.New()
	sum.Write(digits.Labels)
	sum.Write(digits.Images.Pixels)
	return hex.EncodeToString(sum.Sum(nil))
}

func TestDigitsDependOnTheSeedAlone(t *testing.T) {
	before := runtime.GOMAXPROCS(1)
	defer runtime.GOMAXPROCS(before)
	want := fingerprint(DrawDigits(500, 7))
	for _, processors := range []int{2, 3, 8} {
		runtime.GOMAXPROCS(processors)
		require.Equal(t, want, fingerprint(DrawDigits(500, 7)), "with %d processors", processors)
	}
	require.NotEqual(t, want, fingerprint(DrawDigits(500, 8)))
}

// The fingerprint was taken on amd64; that it holds elsewhere shows that no step rounds as the machine likes.
func TestDigitsAreTheSameOnEveryMachine(t *testing.T) {
	require.Equal(t, "ddee3d22c4a5db2279460645f9fa0b38d6ca54bd9996da885165add5ae55921c", fingerprint(DrawDigits(200, 1)))
}

func TestSeedsDrawDifferentImages(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(5) {
		digits := DrawDigits(100, seed)
		for i := range 100 {
			seen[string(digits.Images.Pixels[i*side*side:][:side*side])] = true
		}
	}
	require.Len(t, seen, 500)
}

func TestClassesAreBalancedAndShuffled(t *testing.T) {
	for _, count := range []int{0, 1, 9, 10, 1000, 1003} {
		digits := DrawDigits(count, 3)
		require.Equal(t, count, digits.Images.Count)
		require.Len(t, digits.Labels, count)
		require.Len(t, digits.Images.Pixels, count*28*28)
		var classes [10]int
		inOrder := 0
		for i, label := range digits.Labels {
			classes[label]++
			if int(label) == i%10 {
				inOrder++
			}
		}
		for digit, found := range classes {
			require.Contains(t, []int{count / 10, (count + 9) / 10}, found, "digit %d among %d", digit, count)
		}
		if count >= 1000 {
			require.InDelta(t, float64(count)/10, float64(inOrder), 50, "labels in their unshuffled place")
		}
	}
}

func TestPixelsAreWhiteStrokesOnBlack(t *testing.T) {
	digits := DrawDigits(1000, 5)
	var total, border, ink float64
	for i := range 1000 {
		image := digits.Images.Pixels[i*side*side:][:side*side]
		brightest := byte(0)
		for at, v := range image {
			brightest = max(brightest, v)
			total += float64(v)
			if y, x := at/side, at%side; y == 0 || x == 0 || y == side-1 || x == side-1 {
				border += float64(v)
			}
			if v > 127 {
				ink++
			}
		}
		require.Greater(t, brightest, byte(60), "image %d of a %d is too faint", i, digits.Labels[i])
	}
	pixels := float64(len(digits.Images.Pixels))
	// MNIST has a mean of 33 and 13 % of its pixels above the middle.
	require.InDelta(t, 33, total/pixels, 10)
	require.InDelta(t, 0.13, ink/pixels, 0.05)
	require.Less(t, border/(1000*4*(side-1)), 12.0, "mean of the border")
}

// The mean images of the classes must differ, or the labels do not belong to the images; but a classifier that knows
// nothing else must fail often, or there is nothing to learn.
func TestNearestMeanIsFarFromEnough(t *testing.T) {
	train, test := DrawDigits(2000, 1), DrawDigits(500, 2)
	var means [10][side * side]float64
	for i, label := range train.Labels {
		for at, v := range train.Images.Pixels[i*side*side:][:side*side] {
			means[label][at] += float64(v) / 200
		}
	}
	right := 0
	for i, label := range test.Labels {
		best, bestDistance := 0, -1.0
		for digit := range means {
			var distance float64
			for at, v := range test.Images.Pixels[i*side*side:][:side*side] {
				difference := float64(v) - means[digit][at]
				distance += difference * difference
			}
			if bestDistance < 0 || distance < bestDistance {
				best, bestDistance = digit, distance
			}
		}
		if best == int(label) {
			right++
		}
	}
	require.Greater(t, right, 200)
	require.Less(t, right, 400)
}

func BenchmarkDrawDigits(b *testing.B) {
	for range b.N {
		DrawDigits(14000, 1)
	}
}
