package parallel

// Reduce computes body over fixed blocks of block items that cover [0, n), in parallel, and joins the results pairwise in
// the order of the blocks: neighbours first, then pairs of neighbours. Blocks and order depend on n and block alone, so a
// join that rounds gives the same bits for every number of workers. The error of a sum grows with the logarithm of the
// number of blocks (Higham, "The accuracy of floating point summation", 1993).
//
// body gets a whole block [lo, hi), the last one possibly shorter, and must not keep what depends on its handle's ID. join
// runs in the calling goroutine. ok is false, and result zero, for n == 0. Reduce panics for a negative n or a block below
// 1, and panics like [Thread.For] if a body does.
//
// It holds one T per block while it runs.
func Reduce[T any](t *Thread, n, block int, body func(t *Thread, lo, hi int) T, join func(a, b T) T) (result T, ok bool) {
	if n < 0 || block < 1 {
		panic("parallel: Reduce needs n >= 0 and a block of at least one item")
	}
	if n == 0 {
		return result, false
	}
	blocks := 1 + (n-1)/block
	results := make([]T, blocks)
	chunk := t.chunk / block
	if t.chunk%block > 0 {
		chunk++
	}
	t.loop(blocks, chunk, false, 0, func(t *Thread, first, last int) {
		for i := first; i < last; i++ {
			lo := i * block
			results[i] = body(t, lo, lo+min(block, n-lo))
		}
	})
	for ; blocks > 1; blocks = (blocks + 1) / 2 {
		for i := range blocks / 2 {
			results[i] = join(results[2*i], results[2*i+1])
		}
		if blocks%2 == 1 {
			results[blocks/2] = results[blocks-1]
		}
	}
	return results[0], true
}
