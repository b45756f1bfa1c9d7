package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
)

// blend is the argument of a kernel that adds up lines, each times a factor, to sums: those that lie so many bytes away from the first
// as places tell. The generator of the kernels knows its layout.
type blend struct {
	places  unsafe.Pointer // uint32
	factors unsafe.Pointer
	count   int
	lines   unsafe.Pointer
	sums    unsafe.Pointer
	adds    int // not zero: the sums are added to
}

// blendKernel adds up that many chunks of 64 bytes.
type blendKernel struct {
	chunks int
	run    kernel
}

// lineBytes is what lines are whole numbers of, for all instruction sets.
const lineBytes = 64

// blendPortable is what the kernels of blends do, bit for bit.
func blendPortable[T Float](b *blend, chunks int) {
	sums := make([]T, chunks*lineBytes/sizeOf[T]())
	factors := unsafe.Slice((*T)(b.factors), b.count)
	for i, place := range unsafe.Slice((*uint32)(b.places), b.count) {
		gemm.AddScaled(sums, unsafe.Slice((*T)(unsafe.Add(b.lines, place)), len(sums)), factors[i])
	}
	put(b.sums, sums, b.adds != 0)
}

// blendPlan returns the kernels for so many chunks, one after another: as even as can be.
func (f *family[T]) blendPlan(chunks int) (all []blendKernel) {
	if f.blends == nil {
		return []blendKernel{{chunks, nil}}
	}
	for chunks > 0 {
		even := pieces(chunks, pieces(chunks, f.blends[len(f.blends)-1].chunks))
		i := len(f.blends) - 1
		for f.blends[i].chunks > even {
			i--
		}
		all = append(all, f.blends[i])
		chunks -= f.blends[i].chunks
	}
	return all
}

// blend adds up lines by some kernels.
func (f *family[T]) blend(b *blend, plan []blendKernel, lines, sums unsafe.Pointer) {
	at := 0
	for _, k := range plan {
		b.lines, b.sums = unsafe.Add(lines, at), unsafe.Add(sums, at)
		if k.run == nil {
			blendPortable[T](b, k.chunks)
		} else {
			k.run((*byte)(unsafe.Pointer(b)))
		}
		at += k.chunks * lineBytes
	}
}

// patchwork is where the elements of an image that filters meet are copied to, so that those of each pixel of the result are
// adjacent: for each column of the result and each row of the data, padding included, a unit of the elements of all channels that a
// row of a filter meets. The patch of a pixel is as many units as filters have rows. Gradients of images are the same, with what a
// patch adds to each element.
type patchwork[T Float] struct {
	family     *family[T]
	shape      *Shape
	unit, rows int           // elements of a unit, and units of a column
	chunks     int           // of 64 bytes in a patch, rounded up
	plan       []blendKernel // of a patch
	places     []uint32      // of the patch of each pixel of the result, in bytes
}

// Sizes that decide whether a sparse gradient is multiplied as such.
const (
	patchworkBytes = 128 << 10 // of a patchwork, at most
	filtersBytes   = 1 << 20   // of the filters as patches, at most
	sparsity       = 3         // times the elements that are there are not more than those of the result
	leastPatch     = 16        // elements of a patch
)

// isSparse tells whether gradients of that many elements in a plane are multiplied as such. Others are made dense before.
func (s *Shape) isSparse(count, size int) bool {
	rows := s.Axes[1]
	if s.Groups != 1 || s.Axes[0] != NoAxis || rows.Dilation != 1 || sparsity*count > s.results() || s.Channels*s.taps() < leastPatch {
		return false
	}
	return s.patchworkBytes(size) <= patchworkBytes && s.Filters*s.patchBytes(size) <= filtersBytes
}

// unit is the elements of a unit: whole lines if they are not many more.
func (s *Shape) unit(size int) int {
	elements, lanes := s.Channels*s.Axes[2].Kernel, lineBytes/size
	if whole := roundUp(elements, lanes); 4*whole <= 5*elements {
		return whole
	}
	return elements
}

// unitRows is the rows of a patchwork.
func (s *Shape) unitRows() int { return (s.Axes[1].Result-1)*s.Axes[1].Stride + s.Axes[1].Kernel }

// patchBytes is the bytes of a patch; from 8 chunks on there are kernels for even numbers alone.
func (s *Shape) patchBytes(size int) int {
	bytes := roundUp(s.unit(size)*s.Axes[1].Kernel*size, lineBytes)
	if bytes > 8*lineBytes {
		bytes = roundUp(bytes, 4*lineBytes)
	}
	return bytes
}

// patchworkBytes is the bytes of a patchwork, and what the last patches have beyond it.
func (s *Shape) patchworkBytes(size int) int {
	return roundUp(s.Axes[2].Result*s.unitRows()*s.unit(size)*size, lineBytes) + s.patchBytes(size)
}

func newPatchwork[T Float](s *Shape) *patchwork[T] {
	size := sizeOf[T]()
	p := &patchwork[T]{family: best[T](), shape: s, unit: s.unit(size), rows: s.unitRows(), chunks: s.patchBytes(size) / lineBytes}
	p.plan = p.family.blendPlan(p.chunks)
	for y := range s.Axes[1].Result {
		for x := range s.Axes[2].Result {
			p.places = append(p.places, uint32((x*p.rows+y*s.Axes[1].Stride)*p.unit*size))
		}
	}
	return p
}

func (p *patchwork[T]) bytes() int { return p.shape.patchworkBytes(sizeOf[T]()) }

// each calls body for every column of a channel in a patchwork at memory: with the elements there, how many of them are in a row and
// in how many rows, and with those of the image, whose first channel is at image, that they stand for.
func (p *patchwork[T]) each(memory, image unsafe.Pointer, strides *[5]int, body func(there, of lines, length, rows int)) {
	s, size := p.shape, sizeOf[T]()
	rows, columns := s.Axes[1], s.Axes[2]
	firstRow := min(rows.Before, p.rows)
	count := min(p.rows, rows.Before+rows.Data) - firstRow
	for x := range columns.Result {
		start := x*columns.Stride - columns.Before
		first := 0
		if start < 0 {
			first = min(columns.Kernel, (columns.Dilation-1-start)/columns.Dilation)
		}
		last := first
		if room := columns.Data - 1 - start; room >= 0 {
			last = max(first, min(columns.Kernel, room/columns.Dilation+1))
		}
		if first == last || count <= 0 {
			continue
		}
		for channel := range s.Channels {
			at := (x*p.rows+firstRow)*p.unit + channel*columns.Kernel + first
			of := channel*strides[1] + (firstRow-rows.Before)*strides[3] + (start+first*columns.Dilation)*strides[4]
			body(lines{unsafe.Add(memory, at*size), p.unit * size, size},
				lines{unsafe.Add(image, of*size), strides[3] * size, columns.Dilation * strides[4] * size}, last-first, count)
		}
	}
}

// fill copies an image to a patchwork that is zero where there is padding.
func (p *patchwork[T]) fill(memory, image unsafe.Pointer, strides *[5]int) {
	p.each(memory, image, strides, func(there, of lines, length, rows int) { copyLines(p.family, there, of, length, rows) })
}

// addUp adds a patchwork to an image.
func (p *patchwork[T]) addUp(memory, image unsafe.Pointer, strides *[5]int) {
	p.each(memory, image, strides, func(there, of lines, length, rows int) { mergeLines(p.family, of, there, length, rows) })
}

// filter copies between a filter as a patch and where it is among weights.
func (p *patchwork[T]) filter(patch unsafe.Pointer, weights *Tensor, filter int, back bool) {
	s, size := p.shape, sizeOf[T]()
	for row := range s.Axes[1].Kernel {
		there := lines{unsafe.Add(patch, row*p.unit*size), s.Axes[2].Kernel * size, size}
		of := lines{unsafe.Add(weights.Start, (filter*weights.Strides[0]+row*weights.Strides[3])*size), weights.Strides[1] * size, weights.Strides[4] * size}
		if back {
			there, of = of, there
		}
		copyLines(p.family, there, of, s.Axes[2].Kernel, s.Channels)
	}
}
