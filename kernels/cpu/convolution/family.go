package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// step is one term of a sum: by how many bytes its factors are away from the start of A and from that of B.
type step struct{ a, b int }

// tile is the argument of a kernel of sums: C[i][j] is the sum over steps of A[i] times B[j], where rows of A and C are so many
// bytes apart and columns of B and C are adjacent. The generator of the kernels knows its layout.
type tile struct {
	depth      int
	steps      unsafe.Pointer
	a, b, c    unsafe.Pointer
	aRow, cRow int
	adds       int // not zero: C is added to
	times      int // groups of as many rows as the kernel has, one after the other, at least one: kernels count them down
}

// patch is the argument of a kernel of patches: C[i] is the sum over rows and columns of an element of x[i] times a vector of Y.
// Elements of X are adjacent along columns, and so many bytes are skipped after a row; vectors of Y follow each other. The
// generator of the kernels knows its layout.
type patch struct {
	rows, columns, skip int
	y, c                unsafe.Pointer
	cRow                int
	adds                int // not zero: C is added to
	x                   [patchRows]unsafe.Pointer
}

// patchRows is the largest number of rows of a patch.
const patchRows = 9

// kernel is assembly whose argument is a *tile or a *patch: as *byte it is the same for all.
type kernel func(argument *byte)

// tiling is the argument of the kernels of Winograd's transforms, for count vectors of adjacent tiles: src and dst are
// where tiles are and go, the 16 elements of a transform step bytes apart, and rows of data, results or weights row
// bytes. Vectors of the result's gradient are of filters: there are count tiles, phase bytes from one to the next, as
// pixels are. The generator of the kernels knows its layout.
type tiling struct {
	src        unsafe.Pointer
	row, phase int
	dst        unsafe.Pointer
	step       int
	count      int
}

// sumKernel computes so many rows of so many vectors.
type sumKernel struct {
	rows, vectors int
	run           kernel
	narrow        kernel // for one vector, if there is one
	wide          kernel // for three, if there is one
}

// family is the kernels of one instruction set and element type.
type family[T Float] struct {
	lanes    int          // elements in a vector
	sums     []sumKernel  // by rows; those whose run is nil are portable
	patches  [][]kernel   // by vectors and rows, less one; empty where there are none; nil for portable
	dots     [2][2]kernel // of one and of three filters, by three and by nine taps; nil for portable, and none of the largest for AVX2
	strip    kernel       // nil for portable
	stripped kernel       // the gradient of its weights; nil for portable
	spreads  bool         // strips have vectors of weights and masks, not elements and bits
	input    kernel       // of Winograd's transforms; nil for portable
	output   kernel
	gradient kernel
	weights  kernel
	fold     kernel                                                                                              // nil for portable
	blends   []blendKernel                                                                                       // by lengths; nil for portable
	pack     func(factors, elements *byte, places, table, indices *uint32, count, length int) (chosen, done int) // nil if there is none
	turn     func(dst, src *byte, dstStep, srcStep, count int)
	copyRows func(dst, src *byte, dstStep, srcStep, words, rows int)
	// These three are nil if there are none.
	streamRows func(dst, src *byte, dstStep, srcStep, lines, rows int)
	fence      func()
	fetchRows  func(src *byte, step, lines, rows int)
	addRows    func(dst, src *byte, dstStep, srcStep, count, rows int, number *byte)
	mergeRows  func(dst, src *byte, dstStep, srcStep, count, rows int)
	evenRows   func(dst, src *byte, dstStep, srcStep, count, rows int) // nil if there is none
	rate       float64                                                 // floating-point operations in a nanosecond, roughly
	threes     bool                                                    // sums of three vectors are quicker than those of more rows
}

// newPortable returns the family that needs no assembly; its vectors have 64 bytes, like those of AVX-512.
func newPortable[T Float]() *family[T] {
	return &family[T]{lanes: 64 / sizeOf[T](), sums: []sumKernel{{rows: 1, vectors: 4}, {rows: 2, vectors: 4}, {rows: 3, vectors: 4}, {rows: 4, vectors: 4}}, rate: 1}
}

var (
	portableFloat32 = newPortable[float32]()
	portableFloat64 = newPortable[float64]()
)

// best returns the family of features.Best.
func best[T Float]() *family[T] {
	if sizeOf[T]() == 4 {
		return any(familyFor(features.Best, portableFloat32, avx2Float32, avx512Float32)).(*family[T])
	}
	return any(familyFor(features.Best, portableFloat64, avx2Float64, avx512Float64)).(*family[T])
}

func familyFor[T Float](level features.Level, portable, avx2, avx512 *family[T]) *family[T] {
	switch level {
	case features.AVX512:
		return avx512
	case features.AVX2:
		return avx2
	}
	return portable
}

// next returns the kernel for the first rows of so many: as high as all are if there are as few as can be, and without one that leaves a
// single row, whose sums would wait for each other.
func (f *family[T]) next(rows int) *sumKernel {
	most := rows
	if highest := f.sums[len(f.sums)-1].rows; rows > highest { // Divisions take as long as some steps of a sum.
		most = pieces(rows, pieces(rows, highest))
	}
	for i := len(f.sums) - 1; i > 0; i-- {
		if k := &f.sums[i]; k.rows == rows || f.sums[i-1].rows < most && k.rows < rows-1 {
			return k
		}
	}
	return &f.sums[0]
}

// first returns the kernel for the first rows of so many: for all of them one of three vectors, where these are quicker.
func (f *family[T]) first(rows int) *sumKernel {
	if k := f.threesFor(rows); k != nil && f.threes {
		return k
	}
	return f.next(rows)
}

// threesFor returns a kernel of three vectors that computes so many rows, nil if there is none.
func (f *family[T]) threesFor(rows int) *sumKernel {
	for i := range f.sums {
		if k := &f.sums[i]; k.wide != nil && rows%k.rows == 0 {
			return k
		}
	}
	return nil
}

// chunk returns how many columns are computed next of so many, and the kernel that computes three vectors of these for
// all rows, nil if none does. Of the kernels for all rows, first is that of the first and threes that of three vectors.
func (f *family[T]) chunk(first, threes *sumKernel, columns int) (wide *sumKernel, chunk int) {
	chunk = chunkBytes / sizeOf[T]()
	switch {
	case threes == nil:
	case first == threes:
		if chunk = f.width(first, columns); chunk > first.vectors*f.lanes {
			return first, chunk
		}
	case min(columns, chunk) == 3*f.lanes: // Two and one take longer: a single vector waits for the factors.
		return threes, 3 * f.lanes
	}
	return nil, chunk
}

// width is how many columns sum computes where so many are wanted of those that there are.
func (f *family[T]) width(k *sumKernel, columns int) int {
	switch {
	case k.run == nil:
		return min(k.vectors*f.lanes, roundUp(columns, f.lanes))
	case columns <= f.lanes && k.narrow != nil:
		return f.lanes
	case columns > 2*f.lanes && k.wide != nil && (columns <= 3*f.lanes || columns > 4*f.lanes): // Two twos are better than a three and a one.
		return 3 * f.lanes
	}
	return k.vectors * f.lanes
}

// sum computes so many times as many rows as k has, by so many columns, which width tells.
func (f *family[T]) sum(t *tile, k *sumKernel, times, width int) {
	t.times = times
	switch {
	case k.run == nil:
		sumPortable[T](t, times*k.rows, width)
	case width > k.vectors*f.lanes:
		k.wide((*byte)(unsafe.Pointer(t)))
	case width < k.vectors*f.lanes:
		k.narrow((*byte)(unsafe.Pointer(t)))
	default:
		k.run((*byte)(unsafe.Pointer(t)))
	}
}

// computed is the number of columns that kernels of many rows compute where so many are wanted.
func (f *family[T]) computed(columns int) int {
	if rest := columns % (2 * f.lanes); rest > 0 && rest <= f.lanes && f.sums[len(f.sums)-1].narrow != nil {
		return columns - rest + f.lanes
	}
	return roundUp(columns, 2*f.lanes)
}

// sumAll computes rows of sums for so many adjacent columns, block by block of the steps. Kernels write all columns that they compute
// to C, or if to starts somewhere whole vectors there, and the rest is copied.
func (f *family[T]) sumAll(t *tile, steps []step, a, b, c unsafe.Pointer, to lines, rows, columns int) {
	if rows == 0 {
		return
	}
	size, sumRow := sizeOf[T](), t.cRow
	blocks := pieces(len(steps), depthBytes/size)
	first, threes := f.first(rows), f.threesFor(rows)
	for block := range blocks {
		begin := len(steps) * block / blocks
		t.depth, t.adds = len(steps)*(block+1)/blocks-begin, block
		t.steps = unsafe.Pointer(unsafe.SliceData(steps[begin:]))
		for column, chunk := 0, 0; column < columns; column += chunk {
			var wide *sumKernel
			wide, chunk = f.chunk(first, threes, columns-column)
			end := min(columns, column+chunk)
			if wide != nil && column+chunk == end {
				place := lines{unsafe.Add(c, column*size), sumRow, size}
				if to.start != nil {
					place = lines{unsafe.Add(to.start, column*size), to.row, size}
				}
				t.a, t.b, t.c, t.cRow = a, unsafe.Add(b, column*size), place.start, place.row
				f.sum(t, wide, rows/wide.rows, chunk)
				continue
			}
			for row := 0; row < rows; {
				k := wide
				if k == nil { // Rows that are left have kernels of other widths.
					k = f.next(rows - row)
				}
				t.a = offset(a, row*t.aRow)
				for x := column; x < end; {
					width := f.width(k, end-x)
					there := lines{offset(to.start, row*to.row+x*size), to.row, size}
					isWhole := to.start != nil && width <= end-x
					if t.b = unsafe.Add(b, x*size); isWhole {
						t.c, t.cRow = there.start, to.row
					} else {
						t.c, t.cRow = unsafe.Add(c, row*sumRow+x*size), sumRow
					}
					f.sum(t, k, 1, width)
					if to.start != nil && !isWhole && block == blocks-1 {
						copyLines(f, there, lines{t.c, sumRow, size}, end-x, k.rows)
					}
					x += width
				}
				row += k.rows
			}
		}
	}
	t.cRow = sumRow
}

func (f *family[T]) transformInput(t *tiling) {
	if f.input == nil {
		inputPortable[T](t, f.lanes)
		return
	}
	f.input((*byte)(unsafe.Pointer(t)))
}

func (f *family[T]) transformOutput(t *tiling) {
	if f.output == nil {
		outputPortable[T](t, f.lanes)
		return
	}
	f.output((*byte)(unsafe.Pointer(t)))
}

func (f *family[T]) transformGradient(t *tiling) {
	if f.gradient == nil {
		gradientPortable[T](t, f.lanes)
		return
	}
	f.gradient((*byte)(unsafe.Pointer(t)))
}

func (f *family[T]) transformWeights(t *tiling) {
	if f.weights == nil {
		weightsPortable[T](t, f.lanes)
		return
	}
	f.weights((*byte)(unsafe.Pointer(t)))
}

func (f *family[T]) addFold(a *fold) {
	if f.fold == nil {
		foldPortable[T](a, f.lanes)
		return
	}
	f.fold((*byte)(unsafe.Pointer(a)))
}

// widest returns the number of vectors, not more than there are, that a patch has best.
func (f *family[T]) widest(vectors int) int {
	for width := len(f.patches); width > 1; width-- {
		if width <= vectors && len(f.patches[width-1]) > 0 {
			return width
		}
	}
	return 1
}

// highest returns the largest number of rows of a patch of so many vectors.
func (f *family[T]) highest(vectors int) int {
	if f.patches == nil {
		return patchRows
	}
	return len(f.patches[vectors-1])
}

func (f *family[T]) multiplyPatch(p *patch, rows, vectors int) {
	if f.patches == nil {
		patchPortable[T](p, rows, vectors*f.lanes)
		return
	}
	f.patches[vectors-1][rows-1]((*byte)(unsafe.Pointer(p)))
}
