package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// folding computes the gradient of the data of small images without padding them: for each element of a channel's filters the
// products with the result's gradient, summed over filters, which are then added where they belong (Chellapilla, Puri, Simard,
// "High performance convolutional neural networks for document processing", 2006).
type folding[T Float] struct {
	family              *family[T]
	shape               *Shape
	write, read         *Tensor
	weights             Tensor
	strips, workers     int
	block               int // channels whose products are in memory at a time
	readPitch, pitch    int // bytes from one filter's gradient to the next, and from one row of products to the next
	steps               []step
	columns             [][]foldedColumn // by vectors of a row of the data
	filterBytes         int              // of a copy of the weights, if they are not dense
	readBytes, sumBytes int
	planeBytes          int
	source              *Tensor // of the weights
}

// foldedColumn is what one column of a filter adds to a vector of a row of the data: the products so many bytes away, in the lanes
// whose bits are set.
type foldedColumn struct {
	offset int
	bits   uint64
}

// fold is the argument of the kernel that adds up a vector of the data: from rows of products that are so many bytes apart, in
// each what count columns say; and the same one of another channel, whose products and data are so many bytes from those of the first. The
// generator of the kernel knows its layout.
type fold struct {
	columns       unsafe.Pointer
	count         int
	src           unsafe.Pointer
	rows, rowStep int
	dst           unsafe.Pointer
	srcStep       int
	dstStep       int
}

// Sizes that decide whether and how images are folded.
const (
	foldedFilters = 16       // the least filters of a group, for which products take longer than adding them up
	foldedBytes   = 32 << 10 // of products in memory at a time, about
)

// isFolding tells whether the gradient of the data is folded: where planes with padding have over one and a half times as many
// elements as there are products for an element of a filter.
func (s *Shape) isFolding() bool {
	rows, columns := s.Axes[1], s.Axes[2]
	if s.Axes[0] != NoAxis || s.Filters < foldedFilters || rows.Stride != 1 || columns.Stride != 1 || s.taps() > foldedBytes/64 {
		return false
	}
	padded := rows.Data * (columns.Data + (columns.Kernel-1)*columns.Dilation)
	return s.results() <= foldedBytes/16 && 2*padded > 3*roundUp(s.results(), 16)
}

func newFolding[T Float](s *Shape, o *Operands, workers int) *folding[T] {
	size, results := sizeOf[T](), s.results()
	f := &folding[T]{family: best[T](), shape: s, write: &o.Data, read: &o.Result, weights: o.Weights, source: &o.Weights}
	images := s.Batch * s.Groups
	for f.strips = 1; images*f.strips < 4*workers && f.strips*8 <= s.Channels || images*f.strips < workers && f.strips*4 <= s.Channels; {
		f.strips *= 2
	}
	f.workers = max(1, min(workers, images*f.strips))
	f.pitch = roundUp(results*size, chunkBytes) + 64
	f.readPitch = roundUp(results*size, 64)
	f.block = max(1, min(pieces(s.Channels, f.strips), foldedBytes/(s.taps()*f.pitch)))
	f.readBytes = aligned(s.Filters * f.readPitch)
	f.sumBytes = aligned(f.block * s.taps() * f.pitch)
	f.planeBytes = aligned(s.Axes[1].Data * f.width() * size)
	if f.source.Strides[4] != 1 || f.source.Strides[3] != s.Axes[2].Kernel || f.source.Strides[1] != s.taps() {
		f.filterBytes = roundUp(s.Groups*s.Filters*s.Channels*s.taps()*size, 64)
		f.weights.Strides = [5]int{s.Channels * s.taps(), s.taps(), 0, s.Axes[2].Kernel, 1}
	}
	columns := s.Axes[2]
	for first := 0; first < columns.Data; first += f.family.lanes {
		var all []foldedColumn
		for k := range columns.Kernel {
			at := first + columns.Before - k*columns.Dilation // what the first lane meets
			if lo, hi := max(0, -at), min(f.family.lanes, columns.Result-at); lo < hi {
				all = append(all, foldedColumn{k*f.pitch + at*size, 1<<hi - 1<<lo})
			}
		}
		f.columns = append(f.columns, all)
	}
	return f
}

// width is the elements of a row of a plane: whole vectors.
func (f *folding[T]) width() int { return roundUp(f.shape.Axes[2].Data, f.family.lanes) }

// bytes is what one worker takes.
func (f *folding[T]) bytes() int { return f.readBytes + f.sumBytes + 2*f.planeBytes }

func (f *folding[T]) scratch() int {
	return f.filterBytes + f.workers*f.bytes() + f.shape.Filters*int(unsafe.Sizeof(step{})) + 64 // So that no address is behind the end.
}

func (f *folding[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	s, size := f.shape, sizeOf[T]()
	if f.filterBytes > 0 {
		f.weights.Start = temporary
		t.ForCost(s.Groups*s.Filters, float64(s.Channels*s.taps()), func(_ *parallel.Thread, lo, hi int) {
			for filter := lo; filter < hi; filter++ {
				f.copyFilter(filter)
			}
		})
	}
	memory := unsafe.Add(temporary, f.filterBytes)
	f.steps = unsafe.Slice((*step)(unsafe.Add(memory, f.workers*f.bytes())), s.Filters)
	for i := range f.steps {
		f.steps[i] = step{i * f.weights.Strides[0] * size, i * f.readPitch}
	}
	units := s.Batch * s.Groups * f.strips
	work := 2 * float64(s.Batch*s.Groups*s.results()) * float64(s.Filters*s.Channels*s.taps()) / f.family.rate
	type argument struct {
		tile
		fold
	}
	arguments := make([]own[argument], f.workers)
	eachUnit(t, f.workers, units, work, func(worker, unit int) {
		f.compute(unit, &arguments[worker].of.tile, &arguments[worker].of.fold, unsafe.Add(memory, worker*f.bytes()))
	})
}

// copyFilter makes the weights of a filter dense.
func (f *folding[T]) copyFilter(filter int) {
	s, size := f.shape, sizeOf[T]()
	from, to := &f.source.Strides, &f.weights.Strides
	for channel := range s.Channels {
		dst := lines{unsafe.Add(f.weights.Start, (filter*to[0]+channel*to[1])*size), to[3] * size, size}
		src := lines{unsafe.Add(f.source.Start, (filter*from[0]+channel*from[1])*size), from[3] * size, from[4] * size}
		copyLines(f.family, dst, src, s.Axes[2].Kernel, s.Axes[1].Kernel)
	}
}

// compute does one unit: some channels of an image.
func (f *folding[T]) compute(unit int, t *tile, a *fold, memory unsafe.Pointer) {
	s, size := f.shape, sizeOf[T]()
	strip, rest := unit%f.strips, unit/f.strips
	group, image := rest%s.Groups, rest/s.Groups
	rows, columns := s.Axes[1], s.Axes[2]

	src := unsafe.Add(f.read.Start, (image*f.read.Strides[0]+group*s.Filters*f.read.Strides[1])*size)
	for filter := range s.Filters {
		to := lines{unsafe.Add(memory, filter*f.readPitch), columns.Result * size, size}
		from := lines{unsafe.Add(src, filter*f.read.Strides[1]*size), f.read.Strides[3] * size, f.read.Strides[4] * size}
		copyLines(f.family, to, from, columns.Result, rows.Result)
	}
	sums := unsafe.Add(memory, f.readBytes)
	plane := unsafe.Add(sums, f.sumBytes)
	t.aRow, t.cRow = size, f.pitch
	last := (strip + 1) * s.Channels / f.strips
	for first := strip * s.Channels / f.strips; first < last; first += f.block {
		channels := min(f.block, last-first)
		weights := unsafe.Add(f.weights.Start, (group*s.Filters*f.weights.Strides[0]+first*s.taps())*size)
		f.family.sumAll(t, f.steps, weights, memory, sums, lines{}, channels*s.taps(), s.results())
		for channel := 0; channel < channels; channel += 2 {
			together := min(2, channels-channel)
			f.addUp(a, unsafe.Add(sums, channel*s.taps()*f.pitch), plane, together)
			for i := range together {
				at := image*f.write.Strides[0] + (group*s.Channels+first+channel+i)*f.write.Strides[1]
				to := lines{unsafe.Add(f.write.Start, at*size), f.write.Strides[3] * size, f.write.Strides[4] * size}
				copyLines(f.family, to, lines{unsafe.Add(plane, i*f.planeBytes), f.width() * size, size}, columns.Data, rows.Data)
			}
		}
	}
}

// addUp adds the products of one or two channels to their planes.
func (f *folding[T]) addUp(a *fold, sums, plane unsafe.Pointer, channels int) {
	size := sizeOf[T]()
	rows, columns := f.shape.Axes[1], f.shape.Axes[2]
	a.rowStep = columns.Kernel*f.pitch - rows.Dilation*columns.Result*size
	a.srcStep, a.dstStep = (channels-1)*f.shape.taps()*f.pitch, (channels-1)*f.planeBytes
	for row := range rows.Data {
		at := row + rows.Before // the row of products that the first row of the filters adds
		first := max(0, (at-rows.Result+rows.Dilation)/rows.Dilation)
		taps := max(0, min(rows.Kernel, at/rows.Dilation+1)-first)
		for number, all := range f.columns {
			a.columns, a.count, a.rows = unsafe.Pointer(unsafe.SliceData(all)), len(all), taps
			if a.count == 0 {
				a.rows = 0
			}
			if a.src = sums; a.rows > 0 {
				a.src = unsafe.Add(sums, first*columns.Kernel*f.pitch+(at-first*rows.Dilation)*columns.Result*size)
			}
			a.dst = unsafe.Add(plane, (row*f.width()+number*f.family.lanes)*size)
			f.family.addFold(a)
		}
	}
}
