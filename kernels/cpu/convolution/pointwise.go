package convolution

import (
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// isPointwise tells whether each element of the result is made of one element of each channel: products of matrices, of weights
// and images whose spatial axes are one.
func (s *Shape) isPointwise() bool {
	for _, a := range s.Axes {
		if a.Kernel != 1 || a.Stride != 1 || a.Before != 0 || a.Data != a.Result {
			return false
		}
	}
	return true
}

// flat is an array of images as matrices of channels by pixels.
type flat[T Float] struct {
	Tensor
	pixel int    // elements from one to the next
	of    Tensor // what it is a copy of, if any
	bytes int    // of the copy
}

// flatten returns x, an array with so many channels, as matrices, a copy if need be: where pixels are not evenly apart, or not
// adjacent but to be. The memory of the copy is taken from temporary.
func flatten[T Float](s *Shape, x Tensor, channels int, adjacent bool, temporary *unsafe.Pointer) (f flat[T]) {
	f.Tensor, f.pixel = x, 1
	even, covered := true, 1
	for axis := 2; axis >= 0; axis-- {
		n, stride := s.Axes[axis].Data, x.Strides[2+axis]
		if n == 1 {
			continue
		}
		if covered == 1 {
			f.pixel = stride
		}
		even = even && stride == f.pixel*covered
		covered *= n
	}
	if even && (f.pixel == 1 || !adjacent) {
		return f
	}
	f.of, f.pixel, f.bytes = x, 1, roundUp(s.Batch*s.Groups*channels*s.data()*sizeOf[T](), 64)
	f.Strides = [5]int{s.Groups * channels * s.data(), s.data(), s.Axes[1].Data * s.Axes[2].Data, s.Axes[2].Data, 1}
	f.Start = *temporary
	*temporary = offset(*temporary, f.bytes)
	return f
}

// copied copies the elements between x and the copy of it, if there is one: to the copy, or back.
func (f *flat[T]) copied(t *parallel.Thread, s *Shape, channels int, back bool) {
	if f.bytes == 0 {
		return
	}
	to, from := &f.Tensor, &f.of
	if back {
		to, from = from, to
	}
	copyTensor[T](t, to, from, [5]int{s.Batch, s.Groups * channels, s.Axes[0].Data, s.Axes[1].Data, s.Axes[2].Data})
}

// matrix returns the matrix of the first group of the first image.
func (f *flat[T]) matrix() gemm.Matrix {
	return gemm.Matrix{Start: f.Start, RowStride: f.Strides[1], ColumnStride: f.pixel}
}

// pointwise is a pointwise convolution from from to to, with so many channels in a group; weights are by rows of to.
type pointwise[T Float] struct {
	shape        *Shape
	to, from     flat[T]
	outer, inner int
	groupStride  int // of the weights
	product      gemm.Product[T]
	source       Tensor // of weights that are turned, so that their rows are adjacent for all images
	turnedBytes  int    // of these, if they are
	rests        rests[T]
	memory       unsafe.Pointer
	offsets      func(product int) (a, b, c int) // the method
}

var pointwise32, pointwise64 sync.Pool // of calls, which release puts there

// newPointwise returns a call, to be released.
func newPointwise[T Float](s *Shape, o *Operands, backward bool, temporary unsafe.Pointer) *pointwise[T] {
	p, _ := poolOf[T](&pointwise32, &pointwise64).Get().(*pointwise[T])
	if p == nil {
		p = &pointwise[T]{}
		p.offsets = p.offsetsOf
	}
	p.shape, p.outer, p.inner = s, s.Filters, s.Channels
	write, read, row := o.Result, o.Data, 0
	if backward {
		write, read, row = o.Data, o.Result, 1
		p.outer, p.inner = p.inner, p.outer
	}
	p.to, p.from = flatten[T](s, write, p.outer, true, &temporary), flatten[T](s, read, p.inner, false, &temporary)
	weights := gemm.Matrix{Start: o.Weights.Start, RowStride: o.Weights.Strides[row], ColumnStride: o.Weights.Strides[1-row]}
	p.groupStride = s.Filters * o.Weights.Strides[0]
	if backward && s.Batch > 1 && weights.RowStride == 1 && weights.ColumnStride != 1 {
		pitch := p.inner + cacheLine/sizeOf[T]() // Lest rows fall on the same sets of the first cache.
		weights, p.groupStride = gemm.Matrix{Start: temporary, RowStride: pitch, ColumnStride: 1}, p.outer*pitch
		p.source, p.turnedBytes = o.Weights, roundUp(s.Groups*p.outer*pitch*sizeOf[T](), 64)
		temporary = offset(temporary, p.turnedBytes)
	}
	p.rests = restsOf[T](s, p.outer, p.inner, p.from.pixel == 1)
	p.rests.memory, p.memory = temporary, offset(temporary, p.rests.bytes)
	p.product = gemm.Product[T]{
		M: p.outer, N: s.data() - p.rests.pixels, K: p.inner, Alpha: 1, Count: s.Batch * s.Groups,
		A: weights,
		B: p.from.matrix(), C: p.to.matrix(), Offsets: p.offsets,
	}
	return p
}

// offsetsOf are those of the product of a group of an image.
func (p *pointwise[T]) offsetsOf(product int) (a, b, c int) {
	group, image := product%p.shape.Groups, product/p.shape.Groups
	return group * p.groupStride, image*p.from.Strides[0] + group*p.inner*p.from.Strides[1], image*p.to.Strides[0] + group*p.outer*p.to.Strides[1]
}

// release keeps the call for others, without what would keep the memory of arrays alive.
func (p *pointwise[T]) release() {
	*p = pointwise[T]{offsets: p.offsets}
	poolOf[T](&pointwise32, &pointwise64).Put(p)
}

// poolOf returns that for T.
func poolOf[T Float](single, double *sync.Pool) *sync.Pool {
	if sizeOf[T]() == 4 {
		return single
	}
	return double
}

// scratch returns the bytes of temporary memory, and some, so that no address is behind the end.
func (p *pointwise[T]) scratch() int {
	return p.to.bytes + p.from.bytes + p.turnedBytes + p.rests.bytes + p.product.Scratch() + 64
}

func (p *pointwise[T]) run(t *parallel.Thread, bias Tensor) {
	s, size := p.shape, sizeOf[T]()
	p.from.copied(t, s, p.inner, false)
	if p.turnedBytes > 0 {
		p.turn(t)
	}
	p.product.Run(t, p.memory)
	p.rests.run(t, p)
	if bias.Start != nil {
		rows := s.Batch * s.Groups * p.outer
		family := best[T]()
		t.ForCost(rows, 0.1*float64(s.data()), func(_ *parallel.Thread, lo, hi int) {
			for number := lo; number < hi; number++ {
				image, channel := number/(s.Groups*p.outer), number%(s.Groups*p.outer)
				line := lines{unsafe.Add(p.to.Start, (image*p.to.Strides[0]+channel*p.to.Strides[1])*size), 0, size}
				addLines(family, line, line, s.data(), 1, (*T)(unsafe.Add(bias.Start, channel*bias.Strides[0]*size)))
			}
		})
	}
	p.to.copied(t, s, p.outer, true)
}

// turn writes the weights of channels that are written as rows, a vector of them at a time.
func (p *pointwise[T]) turn(t *parallel.Thread) {
	f, size := best[T](), sizeOf[T]()
	to, from := p.product.A.RowStride*size, p.source.Strides[0]*size
	strips := pieces(p.outer, f.lanes)
	t.ForCost(p.shape.Groups*strips, 0.2*float64(f.lanes*p.inner), func(_ *parallel.Thread, lo, hi int) {
		for number := lo; number < hi; number++ {
			group, row := number/strips, number%strips*f.lanes
			dst := unsafe.Add(p.product.A.Start, (group*p.outer+row)*to)
			src := unsafe.Add(p.source.Start, group*p.inner*from+row*size)
			done := 0
			if f.turn != nil && row+f.lanes <= p.outer {
				for ; done+f.lanes <= p.inner; done += f.lanes {
					f.turn((*byte)(unsafe.Add(dst, done*size)), (*byte)(unsafe.Add(src, done*from)), to, from, 1)
				}
			}
			if done < p.inner { // Otherwise the addresses would be those of other memory.
				rest := lines{unsafe.Add(dst, done*size), to, size}
				copyLines(f, rest, lines{unsafe.Add(src, done*from), size, from}, p.inner-done, min(f.lanes, p.outer-row))
			}
		}
	})
}

// pointwiseGradient is the gradient of the weights: of each group, the products of its matrices of the result's gradient and of
// the data transposed, summed over images. These are cut into parts, which depend on the shape alone, whose sums are added in
// order.
type pointwiseGradient[T Float] struct {
	shape        *Shape
	data, result flat[T]
	parts        int
	partBytes    int
	direct       bool            // the sums of the only part are the weights
	product      gemm.Product[T] // of the images of parts with the same number in their part
	number       int
	sums, memory unsafe.Pointer
	partRow      int                             // of the sums
	offsets      func(product int) (a, b, c int) // the method
}

var pointwiseGradient32, pointwiseGradient64 sync.Pool // of calls, which release puts there

// nearParts is the bytes of sums of all parts, at most, if there is more than one: they are added to for every image.
const nearParts = 1 << 20

// newPointwiseGradient returns a call, to be released.
func newPointwiseGradient[T Float](s *Shape, o *Operands, temporary unsafe.Pointer) *pointwiseGradient[T] {
	g, _ := poolOf[T](&pointwiseGradient32, &pointwiseGradient64).Get().(*pointwiseGradient[T])
	if g == nil {
		g = &pointwiseGradient[T]{}
		g.offsets = g.offsetsOf
	}
	g.shape = s
	g.data, g.result = flatten[T](s, o.Data, s.Channels, false, &temporary), flatten[T](s, o.Result, s.Filters, false, &temporary)
	g.partBytes = roundUp(s.Groups*s.Filters*s.Channels*sizeOf[T](), 64)
	g.parts = max(1, min(mostParts, s.Batch, nearParts/max(1, g.partBytes)))
	sums := Tensor{Start: temporary, Strides: [5]int{s.Channels, 1}}
	if g.direct = g.parts == 1 && s.Batch > 0 && o.Weights.Strides[1] == 1; g.direct {
		sums, g.partBytes = o.Weights, 0
	}
	g.sums, g.partRow, g.memory = sums.Start, sums.Strides[0], offset(temporary, g.parts*g.partBytes)
	g.product = gemm.Product[T]{
		M: s.Filters, N: s.Channels, K: s.data(), Alpha: 1, Count: g.parts * s.Groups,
		A: g.result.matrix(), B: g.data.matrix().Transposed(), C: gemm.Matrix{Start: g.sums, RowStride: g.partRow, ColumnStride: 1}, Offsets: g.offsets,
	}
	return g
}

// offsetsOf are those of the product of a group of the image of a part that has the number.
func (g *pointwiseGradient[T]) offsetsOf(product int) (a, b, c int) {
	s := g.shape
	group, part := product%s.Groups, product/s.Groups
	image := s.Batch*part/g.parts + g.number
	return image*g.result.Strides[0] + group*s.Filters*g.result.Strides[1], image*g.data.Strides[0] + group*s.Channels*g.data.Strides[1],
		part*g.partBytes/sizeOf[T]() + group*s.Filters*g.partRow
}

// release keeps the call for others, without what would keep the memory of arrays alive.
func (g *pointwiseGradient[T]) release() {
	*g = pointwiseGradient[T]{offsets: g.offsets}
	poolOf[T](&pointwiseGradient32, &pointwiseGradient64).Put(g)
}

// scratch returns the bytes of temporary memory, and some, so that no address is behind the end.
func (g *pointwiseGradient[T]) scratch() int {
	first, others, last := g.product, g.product, g.product // What they take depends on whether they are added to others, and how many there are.
	others.Beta, last.Beta, last.Count = 1, 1, g.shape.Groups
	product := max(first.Scratch(), others.Scratch(), last.Scratch())
	return g.data.bytes + g.result.bytes + g.parts*g.partBytes + product + 64
}

func (g *pointwiseGradient[T]) run(t *parallel.Thread, weights Tensor) {
	s := g.shape
	if s.Batch == 0 {
		clear(unsafe.Slice((*byte)(g.sums), g.partBytes))
	}
	g.data.copied(t, s, s.Channels, false)
	g.result.copied(t, s, s.Filters, false)
	least := s.Batch / g.parts
	for g.number = range least {
		g.product.Run(t, g.memory)
		g.product.Beta = 1
	}
	// Some parts have one image more.
	g.number = least
	all := g.product.Offsets
	for part := range g.parts {
		if s.Batch*(part+1)/g.parts-s.Batch*part/g.parts == least {
			continue
		}
		more := g.product
		more.Count = s.Groups
		more.Offsets = func(product int) (a, b, c int) { return all(part*s.Groups + product) }
		more.Run(t, g.memory)
	}
	if g.direct {
		return
	}
	family, size := best[T](), sizeOf[T]()
	t.ForCost(s.Groups*s.Filters, 0.1*float64(g.parts*s.Channels), func(_ *parallel.Thread, lo, hi int) {
		for row := lo; row < hi; row++ {
			sums := unsafe.Add(g.sums, row*s.Channels*size)
			family.addParts(sums, g.parts, g.partBytes, s.Channels)
			copyLines(family, lines{unsafe.Add(weights.Start, row*weights.Strides[0]*size), 0, weights.Strides[1] * size}, lines{sums, 0, size}, s.Channels, 1)
		}
	})
}
