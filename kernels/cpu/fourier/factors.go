package fourier

// largestRadix is the largest prime factor that a pass may have.
const largestRadix = 31

// factors returns the radices of the passes for n, and what is left of n, which has prime factors too large for passes. Fours come
// first: from the second pass on, assembly takes several numbers of a row at once.
func factors(n int) (radices []int, rest int) {
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

// split returns the factor of a product of radices that is nearest to its root, from above.
func split(n int, radices []int) int {
	products := map[int]bool{1: true}
	for _, radix := range radices {
		for _, product := range keys(products) {
			products[product*radix] = true
		}
	}
	best := n
	for product := range products {
		if product >= n/product && product < best {
			best = product
		}
	}
	return best
}

func keys(set map[int]bool) (all []int) {
	for key := range set {
		all = append(all, key)
	}
	return all
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
