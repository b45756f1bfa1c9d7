package convolution

import "unsafe"

// Float is the element types of the package.
type Float interface{ float32 | float64 }

// Axis is a spatial axis: element o of the result meets, through element k of the kernel, element o*Stride + k*Dilation - Before
// of the data, which is zero if there is none.
type Axis struct {
	Data, Kernel, Result     int // elements
	Stride, Dilation, Before int
}

// Shape is that of a convolution. The data have Groups*Channels channels and the result has Groups*Filters; each group is on its
// own. Of fewer spatial axes than three, the first are NoAxis.
type Shape struct {
	Batch, Groups, Channels, Filters int
	Axes                             [3]Axis
}

// NoAxis is a spatial axis that is not there.
var NoAxis = Axis{Data: 1, Kernel: 1, Result: 1, Stride: 1, Dilation: 1}

// Tensor is where an array lies: strides, which may be zero or negative, are in elements. Axes are (image, channel, spatial axes)
// for data and result, and (filter, channel of a group, spatial axes) for weights.
type Tensor struct {
	Start   unsafe.Pointer
	Strides [5]int
}

// taps is the number of elements of one channel of a filter.
func (s *Shape) taps() int { return s.Axes[0].Kernel * s.Axes[1].Kernel * s.Axes[2].Kernel }

// results is the number of elements of one channel of the result.
func (s *Shape) results() int { return s.Axes[0].Result * s.Axes[1].Result * s.Axes[2].Result }

// data is the number of elements of one channel of the data.
func (s *Shape) data() int { return s.Axes[0].Data * s.Axes[1].Data * s.Axes[2].Data }

// written is the number of elements of the result, or of the data.
func (s *Shape) written(to target) int {
	if to == toData {
		return s.Batch * s.Groups * s.Channels * s.data()
	}
	return s.Batch * s.Groups * s.Filters * s.results()
}

func sizeOf[T Float]() int {
	var zero T
	return int(unsafe.Sizeof(zero))
}

// offset returns the address so many bytes behind p, or nil for the memory of an array without elements.
func offset(p unsafe.Pointer, bytes int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, bytes)
}

// pieces is how many parts of at most size n is cut into, at least one.
func pieces(n, size int) int { return max(1, (n+size-1)/max(1, size)) }

func roundUp(n, to int) int { return (n + to - 1) / to * to }

// aligned is so many bytes with room for what kernels read and write beyond their end.
func aligned(bytes int) int { return roundUp(bytes, 64) + beyond }

// beyond is the most bytes that a kernel touches behind the elements of interest: the columns of one chunk.
const beyond = chunkBytes

// chunkBytes is the bytes of adjacent elements that are summed at a time, for all instruction sets.
const chunkBytes = 256
