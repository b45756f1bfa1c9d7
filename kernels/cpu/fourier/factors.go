package fourier

import (
	"math"
	"math/bits"
)

// largestRadix is the largest prime factor that a pass may have.
const largestRadix = 31

// factors returns the radices of the passes for n, and what is left of n, which has prime factors too large for passes.
// Eights and fours come first: from the second pass on, assembly takes several numbers of a row at once. Two fours are
// better than an eight and a two.
func factors(n int) (radices []int, rest int) {
	for n%8 == 0 && bits.TrailingZeros(uint(n)) != 4 {
		radices = append(radices, 8)
		n /= 8
	}
	for _, radix := range []int{4, 2, 3, 5, 7} {
		for n%radix == 0 {
			radices = append(radices, radix)
			n /= radix
		}
	}
	for radix := 11; radix <= largestRadix && n > 1; radix += 2 {
		for n%radix == 0 {
			radices = append(radices, radix)
			n /= radix
		}
	}
	return radices, n
}

// isSmooth reports whether n has no prime factors that are too large for passes.
func isSmooth(n int) bool {
	for radix := 2; radix <= largestRadix; radix++ {
		for n%radix == 0 {
			n /= radix
		}
	}
	return n == 1
}

// split returns the factor of n that is nearest to its root, from above.
func split(n int) int {
	rows := int(math.Sqrt(float64(n)))
	for rows*rows < n || n%rows != 0 {
		rows++
	}
	return rows
}

// smooth returns a length of at least n, a power of two or three times one, whose transform is fast.
func smooth(n int) int {
	length := 1
	for length < n {
		length *= 2
	}
	if length >= 16 && length/4*3 >= n {
		return length / 4 * 3
	}
	return length
}
