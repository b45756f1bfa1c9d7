package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// lines is rows of elements in memory: adjacent ones step bytes apart, rows so many bytes apart.
type lines struct {
	start     unsafe.Pointer
	row, step int
}

// joined returns what count rows of length elements are, as one row if they follow each other.
func joined(to, from lines, length, count int) (int, int) {
	if to.row == length*to.step && from.row == length*from.step {
		return length * count, 1
	}
	return length, count
}

// copyLines copies count rows of length elements.
func copyLines[T Float](f *family[T], to, from lines, length, count int) {
	size := sizeOf[T]()
	if length <= 0 || count <= 0 {
		return
	}
	length, count = joined(to, from, length, count)
	if to.step == size && from.step == size {
		if f.copyRows != nil {
			f.copyRows((*byte)(to.start), (*byte)(from.start), to.row, from.row, length*size/4, count)
			return
		}
		for i := range count {
			copy(unsafe.Slice((*T)(unsafe.Add(to.start, i*to.row)), length), unsafe.Slice((*T)(unsafe.Add(from.start, i*from.row)), length))
		}
		return
	}
	if to.step == size && from.step == 2*size && f.evenRows != nil {
		f.evenRows((*byte)(to.start), (*byte)(from.start), to.row, from.row, length, count)
		return
	}
	for i := range count {
		dst, src := unsafe.Add(to.start, i*to.row), unsafe.Add(from.start, i*from.row)
		for j := range length {
			*(*T)(unsafe.Add(dst, j*to.step)) = *(*T)(unsafe.Add(src, j*from.step))
		}
	}
}

// addLines copies like copyLines, with number added.
func addLines[T Float](f *family[T], to, from lines, length, count int, number *T) {
	size := sizeOf[T]()
	if length <= 0 || count <= 0 {
		return
	}
	length, count = joined(to, from, length, count)
	if to.step == size && from.step == size && f.addRows != nil {
		f.addRows((*byte)(to.start), (*byte)(from.start), to.row, from.row, length, count, (*byte)(unsafe.Pointer(number)))
		return
	}
	for i := range count {
		dst, src := unsafe.Add(to.start, i*to.row), unsafe.Add(from.start, i*from.row)
		for j := range length {
			*(*T)(unsafe.Add(dst, j*to.step)) = *(*T)(unsafe.Add(src, j*from.step)) + *number
		}
	}
}

// mergeLines adds count rows of length elements to others.
func mergeLines[T Float](f *family[T], to, from lines, length, count int) {
	size := sizeOf[T]()
	if to.step == size && from.step == size && f.mergeRows != nil {
		f.mergeRows((*byte)(to.start), (*byte)(from.start), to.row, from.row, length, count)
		return
	}
	for i := range count {
		dst, src := unsafe.Add(to.start, i*to.row), unsafe.Add(from.start, i*from.row)
		for j := range length {
			*(*T)(unsafe.Add(dst, j*to.step)) += *(*T)(unsafe.Add(src, j*from.step))
		}
	}
}

// planes is where a part of an image is copied to: for every channel and every phase of the axes so many rows of so many
// elements.
type planes struct {
	routes [3]route
	extent [3]int // positions along the axes
	images int    // whose elements lie side by side
}

// channel is the number of elements of one channel.
func (p *planes) channel() int {
	count := 1
	for axis, r := range p.routes {
		count *= len(r.phases) * p.extent[axis]
	}
	return count
}

// at returns the distance in elements of what taps meet from the position that they are for, in the first channel.
func (p *planes) at(taps [3]tap) int {
	plane := (taps[0].phase*len(p.routes[1].phases)+taps[1].phase)*len(p.routes[2].phases) + taps[2].phase
	return ((plane*p.extent[0]+taps[0].shift)*p.extent[1]+taps[1].shift)*p.extent[2] + taps[2].shift*p.images
}

// distances returns where in a channel's planes each tap is.
func (p *planes) distances() (all []int) {
	c := [3]class{p.routes[0].classes[0], p.routes[1].classes[0], p.routes[2].classes[0]}
	for _, t0 := range c[0].taps {
		for _, t1 := range c[1].taps {
			for _, t2 := range c[2].taps {
				all = append(all, p.at([3]tap{t0, t1, t2}))
			}
		}
	}
	return all
}

// fill copies channels to dst: the positions from those given on. Src is the start of the first, strides are those of the channels and of
// the spatial axes.
func fill[T Float](f *family[T], p *planes, dst, src unsafe.Pointer, channels int, strides []int, from [3]int) {
	size := sizeOf[T]()
	plane, number, channel := p.extent[1]*p.extent[2], 0, p.channel()
	for phase0 := range p.routes[0].phases {
		begin, end := p.routes[0].inside(phase0, from[0], p.extent[0])
		for phase1 := range p.routes[1].phases {
			first, last := p.routes[1].inside(phase1, from[1], p.extent[1])
			for phase2 := range p.routes[2].phases {
				left, right := p.routes[2].inside(phase2, from[2], p.extent[2])
				for depth := range p.extent[0] {
					to := lines{unsafe.Add(dst, number*plane*size), p.extent[2] * size, size}
					number++
					if depth < begin || depth >= end || first >= last || left >= right {
						for i := range channels {
							clear(unsafe.Slice((*T)(unsafe.Add(to.start, i*channel*size)), plane))
						}
						continue
					}
					element := 0
					for axis, position := range [3]int{depth, first, left} {
						r := &p.routes[axis]
						element += ((from[axis]+position)*r.scale + r.phases[[3]int{phase0, phase1, phase2}[axis]]) * strides[1+axis]
					}
					read := lines{offset(src, element*size), p.routes[1].scale * strides[2] * size, p.routes[2].scale * strides[3] * size}
					if right-left == p.extent[2] && last-first == p.extent[1] && channel == plane && strides[0]*size == read.row*p.extent[1] {
						copyLines(f, to, read, p.extent[2], channels*p.extent[1]) // The channels follow one another in both.
						continue
					}
					for i := range channels {
						at := lines{unsafe.Add(to.start, i*channel*size), to.row, size}
						switch whole := unsafe.Slice((*T)(at.start), plane); {
						case right-left < p.extent[2]:
							clear(whole)
						case last-first < p.extent[1]:
							clear(whole[:first*p.extent[2]])
							clear(whole[last*p.extent[2]:])
						}
						at.start = unsafe.Add(at.start, (first*p.extent[2]+left)*size)
						copyLines(f, at, lines{unsafe.Add(read.start, i*strides[0]*size), read.row, read.step}, right-left, last-first)
					}
				}
			}
		}
	}
}

// fetch has what fill reads of a channel brought into the first cache, if there is one phase of each axis and columns are adjacent.
func fetch[T Float](f *family[T], p *planes, src unsafe.Pointer, strides []int, from [3]int) {
	size := sizeOf[T]()
	first, last := p.routes[1].inside(0, from[1], p.extent[1])
	left, right := p.routes[2].inside(0, from[2], p.extent[2])
	if f.fetchRows == nil || strides[3] != 1 || first >= last || left >= right {
		return
	}
	at := (from[1]+first+p.routes[1].phases[0])*strides[2] + from[2] + left + p.routes[2].phases[0]
	length, rows := right-left, last-first
	if length == strides[2] {
		length, rows = length*rows, 1
	}
	f.fetchRows((*byte)(unsafe.Add(src, at*size)), strides[2]*size, pieces(length*size, cacheLine)+1, rows)
}

// copyTensor copies the elements of one array of a shape to another, plane by plane.
func copyTensor[T Float](t *parallel.Thread, to, from *Tensor, shape [5]int) {
	family, size := best[T](), sizeOf[T]()
	t.ForCost(shape[0]*shape[1]*shape[2], float64(shape[3]*shape[4]), func(_ *parallel.Thread, lo, hi int) {
		for plane := lo; plane < hi; plane++ {
			at := func(x *Tensor) lines {
				depth, rest := plane%shape[2], plane/shape[2]
				element := rest/shape[1]*x.Strides[0] + rest%shape[1]*x.Strides[1] + depth*x.Strides[2]
				return lines{unsafe.Add(x.Start, element*size), x.Strides[3] * size, x.Strides[4] * size}
			}
			copyLines(family, at(to), at(from), shape[4], shape[3])
		}
	})
}
