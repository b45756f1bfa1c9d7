package cpu

import "github.com/weft-nd/weft/dtype"

// bundle is how many rows are added one after the other, in the element type, for the gradients of scale and bias.
const bundle = 64

func bundlesOf(rows int) int { return (rows + bundle - 1) / bundle }

// bundles are arrays of sums, each over a bundle of rows. Neighbours are joined, then pairs of neighbours, and so on,
// in place of the first, so that the order depends on their number alone. Whoever has computed both does that: most
// arrays never leave the caches of one processor.
type bundles[T dtype.Float] struct {
	memory       []T
	count, width int
	joined       []bool // whether an array is in one before it
	join         func(a, b []T)
}

// newBundles returns bundles of sums as long as width, in memory for count times bundleRoom(width) elements.
func newBundles[T dtype.Float](memory []T, count, width int) *bundles[T] {
	return &bundles[T]{memory, count, width, make([]bool, count), additionOf[T]().fold().joinAll}
}

// bundleRoom is the number of elements that the sums of a bundle take: join goes over whole vectors.
func bundleRoom(width int) int { return multiple(width, 4) }

func (b *bundles[T]) at(i int) []T {
	return b.memory[i*bundleRoom(b.width):][:b.width]
}

// finish joins bundle i, and what is joined with it then, to those before it from first on, which are finished.
func (b *bundles[T]) finish(first, i int) {
	for size := 1; i&size != 0 && i+1-2*size >= first; size *= 2 {
		b.joinTo(i+1-2*size, i+1-size)
	}
}

// total joins all that are not yet, of one bundle at least, and returns the sums.
func (b *bundles[T]) total() []T {
	for size := 1; size < b.count; size *= 2 {
		for i := size; i < b.count; i += 2 * size {
			if !b.joined[i] {
				b.joinTo(i-size, i)
			}
		}
	}
	return b.at(0)
}

func (b *bundles[T]) joinTo(i, other int) {
	b.join(b.at(i), b.at(other))
	b.joined[other] = true
}
