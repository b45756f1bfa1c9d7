package factor

import "github.com/weft-nd/weft/parallel"

// blockColumns is how many reflectors are joined.
const blockColumns = 16

// reflectorBlock is a product of reflectors I − factor·v·vᴴ as I − V·T·Vᴴ (Schreiber and Van Loan, as QR has it), where
// the columns of V are vectors that are zeros before their number, counted from row first of the whole on.
type reflectorBlock struct {
	first   int
	count   int
	vectors lines
	factors [blockColumns][2]float64
}

func newReflectorBlock(first, count, elements, parts int) *reflectorBlock {
	return &reflectorBlock{first: first, vectors: newLines(count, elements, parts)}
}

// add multiplies the block by one more reflector, whose vector v begins with an element that is at its number or later.
func (b *reflectorBlock) add(element int, v []float64, factor [2]float64) {
	b.vectors.set(b.count, element, v)
	b.factors[b.count] = factor
	b.count++
}

func pairOf(x []float64) (v [2]float64) {
	copy(v[:], x)
	return v
}

// triangle returns T, row by row, of which a column is −factor·T·Vᴴv and the factor.
func (b *reflectorBlock) triangle(t *parallel.Thread) (triangle [][2]float64) {
	count, products := b.count, b.products(t)
	triangle = make([][2]float64, count*count)
	for j := range count {
		for i := range j {
			var sum [2]float64
			for k, v := range triangle[i*count+i : i*count+j] {
				p := product(v, products[(i+k)*count+j])
				sum[0], sum[1] = sum[0]-p[0], sum[1]-p[1]
			}
			triangle[i*count+j] = product(sum, b.factors[j])
		}
		triangle[j*count+j] = b.factors[j]
	}
	return triangle
}

// products returns Vᴴ·V, row by row, as far as it is above the diagonal.
func (b *reflectorBlock) products(t *parallel.Thread) (products [][2]float64) {
	count, parts, length := b.count, b.vectors.parts, b.vectors.length
	products = make([][2]float64, count*count)
	if count*parts*length < leastTerms {
		for i := range count {
			for j := i + 1; j < count; j++ {
				products[i*count+j] = inner(b.vectors.of(i, j), b.vectors.of(j, j), parts)
			}
		}
		return products
	}
	numbers := make([]float64, count*parts*count)
	multiply(t, count*parts, count, length, 1, 0, b.vectors.from(0), realView(b.vectors.numbers, 1, parts*length), realView(numbers, count, 1))
	for i := range count {
		for j := i + 1; j < count; j++ {
			for part := range parts {
				products[i*count+j][part] = numbers[(i*parts+part)*count+j]
			}
		}
	}
	return products
}

// multipliers returns the real matrix by which rows of parts are multiplied where complex ones are multiplied by the transposed T.
func (b *reflectorBlock) multipliers(t *parallel.Thread) view[float64] {
	parts, triangle := b.vectors.parts, b.triangle(t)
	size := parts * b.count
	m := make([]float64, size*size)
	for i := range b.count {
		for j := i; j < b.count; j++ {
			t := triangle[i*b.count+j]
			m[j*parts*size+i*parts] = t[0]
			if parts == 2 {
				m[2*j*size+2*i+1] = t[1]
				m[(2*j+1)*size+2*i], m[(2*j+1)*size+2*i+1] = -t[1], t[0]
			}
		}
	}
	return realView(m, size, 1)
}

// ReflectorBlocks are a product of reflectors.
type ReflectorBlocks []*reflectorBlock

// rowsTogether is how many vectors are multiplied by all reflectors before the next ones: they stay in the second cache.
const rowsTogether = 64

// Apply multiplies the vectors that are the rows of a matrix in row-major order, of so many numbers, by the product.
func (r ReflectorBlocks) Apply(t *parallel.Thread, rows, columns int, vectors []float64) {
	if len(r) == 0 || rows == 0 {
		return
	}
	size := r[0].vectors.parts * blockColumns
	multipliers, terms := make([]view[float64], len(r)), 0
	for i, b := range r {
		if b.count > 0 {
			multipliers[i], terms = b.multipliers(t), terms+b.count*b.vectors.parts*b.vectors.length
		}
	}
	groups, most := (rows+rowsTogether-1)/rowsTogether, min(rows, rowsTogether)*size
	t.ForCost(groups, 0.1*float64(rowsTogether*terms), func(t *parallel.Thread, lo, hi int) {
		products, factors := realView(make([]float64, most), size, 1), realView(make([]float64, most), size, 1)
		for first := lo * rowsTogether; first < min(rows, hi*rowsTogether); first += rowsTogether {
			count := min(rowsTogether, rows-first)
			for i := len(r) - 1; i >= 0; i-- {
				b := r[i]
				if b.count == 0 {
					continue
				}
				part, n := realView(vectors[first*columns+b.first*b.vectors.parts:], columns, 1), b.count*b.vectors.parts
				multiply(t, count, n, b.vectors.length, 1, 0, part, b.vectors.from(0).transposed(), products)
				multiply(t, count, n, n, 1, 0, products, multipliers[i], factors)
				takeOff(t, count, b.vectors.length, n, factors, b.vectors.from(0), part)
			}
		}
	})
}
