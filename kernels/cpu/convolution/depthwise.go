package convolution

import (
	"bytes"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// strip is the argument of the kernel of depthwise filters of 3 by 3 elements: a vector of columns of one channel, row by row.
// The generator of the kernel knows its layout.
type strip struct {
	count           int // rows of the source to look at: two more than there are in the result
	row, rowStep    int // the first of them, and how they go on; those not from 0 to below limit are zero
	limit           int
	src             unsafe.Pointer // its first row
	offset, forward int            // where row is, and how far its next is, in bytes
	dst             unsafe.Pointer
	dstStep         int
	cover
	weights [9 * 32]byte   // adjacent for AVX-512; each a vector for AVX2
	sums    unsafe.Pointer // of the gradient of the weights, 64 bytes for each tap; dst is that of the result then
	spans   [4][2]int      // of the cover: the first of the elements that there are and behind the last; the kernel does not look at them
}

// cover is what of a vector of columns there is.
type cover struct {
	shifts [3]int    // from the first column to what the taps of a row meet, in bytes
	bits   [4]uint64 // the elements that there are, for these and for what is written: for AVX-512,
	masks  [4][32]byte
}

// isDepthwise tells whether each group is of one channel and one filter.
func (s *Shape) isDepthwise() bool { return s.Channels == 1 && s.Filters == 1 }

// isSmallDepthwise tells whether the kernel of depthwise filters of 3 by 3 elements does for images with these strides. What it
// computes has the bits that a pass gives.
func (s *Shape) isSmallDepthwise(data, result *Tensor) bool {
	return s.hasStrips() && data.Strides[4] == 1 && result.Strides[4] == 1
}

// hasStrips tells whether filters are depthwise, of 3 by 3 elements.
func (s *Shape) hasStrips() bool {
	depth := s.Axes[0]
	if !s.isDepthwise() || depth.Data != 1 || depth.Result != 1 || depth.Kernel != 1 {
		return false
	}
	for _, a := range s.Axes[1:] {
		if a.Kernel != 3 || a.Stride != 1 || a.Dilation != 1 {
			return false
		}
	}
	return s.data() > 0
}

// depthwise computes the result of such a convolution, or the gradient of its data.
type depthwise[T Float] struct {
	family      *family[T]
	shape       *Shape
	write, read *Tensor
	weights     *Tensor
	bias        *Tensor // nil if there is none
	backward    bool
}

func (d *depthwise[T]) run(t *parallel.Thread) {
	planes := d.shape.Batch * d.shape.Groups
	elements := d.shape.Axes[1].Result * d.shape.Axes[2].Result
	t.ForCost(planes, 20+0.1*float64(elements), func(_ *parallel.Thread, lo, hi int) {
		var s strip
		for plane := lo; plane < hi; plane++ {
			d.compute(&s, plane/d.shape.Groups, plane%d.shape.Groups)
		}
	})
}

// compute does one channel of one image.
func (d *depthwise[T]) compute(s *strip, image, channel int) {
	size, lanes := sizeOf[T](), d.family.lanes
	rows, columns := d.shape.Axes[1], d.shape.Axes[2]
	height, width := rows.Result, columns.Result // of what is written
	from := columns.Data                         // the width of what is read
	s.row, s.rowStep, s.limit = -rows.Before, 1, rows.Data
	first, step := -columns.Before, 1 // from a column to what its first tap meets, and on to the next
	dst := offset(d.write.Start, (image*d.write.Strides[0]+channel*d.write.Strides[1])*size)
	s.dstStep = d.write.Strides[3] * size
	start := dst
	if d.backward {
		height, width, from = rows.Data, columns.Data, columns.Result
		s.row, s.rowStep, s.limit = rows.Data-1+rows.Before, -1, rows.Result
		first, step = columns.Before, -1
		start = unsafe.Add(dst, (height-1)*s.dstStep)
		s.dstStep = -s.dstStep
	}
	s.count = height + 2
	s.src = offset(d.read.Start, (image*d.read.Strides[0]+channel*d.read.Strides[1])*size)
	s.offset, s.forward = s.row*d.read.Strides[3]*size, s.rowStep*d.read.Strides[3]*size
	for i := range 9 {
		w := *(*T)(unsafe.Add(d.weights.Start, (channel*d.weights.Strides[0]+i/3*d.weights.Strides[3]+i%3*d.weights.Strides[4])*size))
		if d.family.spreads {
			for lane := range lanes {
				*(*T)(unsafe.Pointer(&s.weights[(i*lanes+lane)*size])) = w
			}
		} else {
			*(*T)(unsafe.Pointer(&s.weights[i*size])) = w
		}
	}
	for next := 0; next < width; next += lanes {
		column := max(0, min(next, width-lanes)) // Some are computed twice, lest a vector is written partly.
		for tap := range s.shifts {
			at := column + first + tap*step
			s.shifts[tap] = at * size
			d.mask(s, tap, max(0, -at), min(lanes, from-at))
		}
		d.mask(s, 3, 0, min(lanes, width-column))
		s.dst = unsafe.Add(start, column*size)
		if d.family.strip != nil {
			d.family.strip((*byte)(unsafe.Pointer(s)))
		} else {
			stripPortable[T](s, lanes)
		}
	}
	if d.bias != nil {
		line := lines{dst, d.write.Strides[3] * size, size}
		addLines(d.family, line, line, width, height, (*T)(unsafe.Add(d.bias.Start, channel*d.bias.Strides[0]*size)))
	}
}

// mask is family.mask, unless the strip has that mask already.
func (d *depthwise[T]) mask(s *strip, number, first, last int) {
	if span := [2]int{first, last}; s.spans[number] != span {
		s.spans[number] = span
		d.family.mask(&s.cover, number, first, last)
	}
}

// everyLane is a mask of all elements.
var everyLane = [32]byte(bytes.Repeat([]byte{0xff}, 32))

// mask says which elements of a vector there are: those from first to before last.
func (f *family[T]) mask(s *cover, number, first, last int) {
	if first >= last {
		first, last = 0, 0
	}
	if f.spreads {
		mask, size := &s.masks[number], sizeOf[T]()
		clear(mask[:])
		copy(mask[first*size:last*size], everyLane[:])
		return
	}
	s.bits[number] = 1<<last - 1<<first
}
