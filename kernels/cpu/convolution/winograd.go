package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// winograd computes images by filters of 3 by 3 elements with 16 multiplications for 4 results in the place of 36: Winograd's
// minimal filtering F(2×2,3×3) (Lavin, Gray, "Fast algorithms for convolutional neural networks", 2016). The data of a tile, 4 by
// 4 elements for 2 by 2 results, and each filter are transformed; for each of the 16 elements of the transforms, tiles are
// multiplied with filters like matrices; and the products are transformed back.
type winograd[T Float] struct {
	family *family[T]
	planes
	shape                *Shape
	inner, outer         int
	height, width        int // of what is written
	mirrored             bool
	read, write, weights *Tensor
	bias                 *Tensor

	across, down            int // tiles
	bands, workers          int
	block                   int // filters at a time
	pitch                   int // elements of one channel's tiles of data
	sumPitch                int // elements of one filter's tiles of products
	filterPitch             int // elements of one filter
	inputStep, filterStep   int // elements from an element of the transforms to the next
	stagePitch              int // elements of one row of results
	steps                   []step
	planeBytes, inputBytes  int
	outputBytes, stageBytes int
	filterBytes             int
}

// winogradChannels is the least number of channels and of filters in a group for which the transforms pay.
const winogradChannels = 16

// winogradBlock is the filters whose products are in memory at a time, a multiple of the rows of the largest kernels.
const winogradBlock = 28

// isWinograd tells whether results, and the gradient of the data, are computed by Winograd's minimal filtering.
func (s *Shape) isWinograd() bool {
	if s.Axes[0] != NoAxis || s.Channels < winogradChannels || s.Filters < winogradChannels {
		return false
	}
	for _, a := range s.Axes[1:] {
		if a.Kernel != 3 || a.Stride != 1 || a.Dilation != 1 || min(a.Data, a.Result) < 4 {
			return false
		}
	}
	return true
}

func newWinograd[T Float](s *Shape, backward bool, workers int) *winograd[T] {
	rows, columns := s.Axes[1], s.Axes[2]
	w := &winograd[T]{
		family: best[T](), planes: planes{images: 1},
		shape: s, inner: s.Channels, outer: s.Filters, height: rows.Result, width: columns.Result, mirrored: backward,
	}
	first := [2]int{-rows.Before, -columns.Before} // what the first tap meets
	length := [2]int{rows.Data, columns.Data}
	if backward {
		w.inner, w.outer, w.height, w.width = s.Filters, s.Channels, rows.Data, columns.Data
		first, length = [2]int{rows.Before - 2, columns.Before - 2}, [2]int{rows.Result, columns.Result}
	}
	w.routes = [3]route{
		{length: 1, scale: 1, phases: []int{0}},
		{length: length[0], scale: 1, phases: []int{first[0]}},
		{length: length[1], scale: 1, phases: []int{first[1]}},
	}
	w.across, w.down = pieces(w.width, 2), pieces(w.height, 2)
	w.block = min(w.outer, winogradBlock)
	w.filterPitch = w.inner + cacheLine/sizeOf[T]()
	w.filterStep = s.Groups*w.outer*w.filterPitch + cacheLine/sizeOf[T]() // Lest all that are written together fall on the same sets of the first cache.
	w.plan(workers)
	return w
}

// plan cuts the rows of tiles into bands, for speed: results do not depend on it.
func (w *winograd[T]) plan(most int) {
	best, chosen := 0.0, 1
	for bands := 1; bands <= w.down; bands++ {
		w.measure(bands)
		rows := pieces(w.down, bands)
		tiles := float64(w.family.computed(rows * w.across))
		unit := 32*tiles*float64(w.inner*w.outer)/w.family.rate + 4*tiles*float64(w.inner+w.outer) + 100*float64(rows*(w.inner+w.outer))
		if w.bytes() > winogradBytes {
			unit *= 1.2
		}
		if time := unit * float64(pieces(w.shape.Batch*w.shape.Groups*bands, most)); best == 0 || time < best {
			best, chosen = time, bands
		}
	}
	w.measure(chosen)
	w.bands, w.workers = chosen, max(1, min(most, w.shape.Batch*w.shape.Groups*chosen))
}

// winogradBytes is what a worker's memory fits in best, half of the second cache.
const winogradBytes = 512 << 10

func (w *winograd[T]) measure(bands int) {
	size, rows := sizeOf[T](), pieces(w.down, bands)
	w.extent = [3]int{1, 2*rows + 2, 2*w.across + 2}
	w.pitch = roundUp(rows*w.across*size, 64)/size + 64/size
	w.sumPitch = roundUp(rows*w.across*size, chunkBytes)/size + 64/size
	w.stagePitch = 2 * roundUp(w.across, 64/size)
	w.planeBytes = aligned(w.channel() * size)
	w.inputStep = w.inner*w.pitch + cacheLine/size
	w.inputBytes = aligned(16 * w.inputStep * size)
	w.outputBytes = aligned(16 * w.block * w.sumPitch * size)
	w.stageBytes = aligned(2 * rows * w.stagePitch * size)
	w.filterBytes = aligned(16 * w.filterStep * size)
}

// bytes is what one worker takes.
func (w *winograd[T]) bytes() int { return w.planeBytes + w.inputBytes + w.outputBytes + w.stageBytes }

func (w *winograd[T]) scratch() int {
	return w.filterBytes + w.workers*w.bytes() + w.inner*int(unsafe.Sizeof(step{})) + 64 // So that no address is behind the end.
}

func (w *winograd[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	s, size := w.shape, sizeOf[T]()
	filters, memory := temporary, unsafe.Add(temporary, w.filterBytes)
	w.steps = unsafe.Slice((*step)(unsafe.Add(memory, w.workers*w.bytes())), w.inner)
	for i := range w.steps {
		w.steps[i] = step{i * size, i * w.pitch * size}
	}
	t.ForCost(s.Groups*w.outer, 25*float64(w.inner), func(_ *parallel.Thread, lo, hi int) {
		for number := lo; number < hi; number++ {
			w.transformFilter(number, filters)
		}
	})
	units := s.Batch * s.Groups * w.bands
	work := 8 * float64(s.Batch*s.Groups*w.height*w.width) * float64(w.inner*w.outer) / w.family.rate
	type argument struct {
		tile
		tiling
	}
	arguments := make([]own[argument], w.workers)
	eachUnit(t, w.workers, units, work, func(worker, unit int) {
		w.compute(unit, &arguments[worker].of.tile, &arguments[worker].of.tiling, filters, unsafe.Add(memory, worker*w.bytes()))
	})
}

// transformFilter writes G g G^T for all channels that are read, of a channel that is written.
func (w *winograd[T]) transformFilter(number int, filters unsafe.Pointer) {
	size, strides := sizeOf[T](), &w.weights.Strides
	group, row := number/w.outer, number%w.outer
	at := (group*w.outer + row) * strides[0]
	inner := strides[1]
	if w.mirrored {
		at = group*w.inner*strides[0] + row*strides[1]
		inner = strides[0]
	}
	down, along := strides[3], strides[4]
	if w.mirrored {
		at += 2*down + 2*along
		down, along = -down, -along
	}
	var distances [9]int
	for i := range distances {
		distances[i] = (i/3*down + i%3*along) * size
	}
	step := w.filterStep * size
	for channel := range w.inner {
		from := unsafe.Add(w.weights.Start, (at+channel*inner)*size)
		var g [9]T
		for i, distance := range distances {
			g[i] = *(*T)(unsafe.Add(from, distance))
		}
		to := unsafe.Add(filters, (number*w.filterPitch+channel)*size)
		sum0, sum1, sum2 := g[0]+g[6], g[1]+g[7], g[2]+g[8]
		putFilter(to, step, g[0], g[1], g[2])
		putFilter(unsafe.Add(to, 4*step), step, (sum0+g[3])/2, (sum1+g[4])/2, (sum2+g[5])/2)
		putFilter(unsafe.Add(to, 8*step), step, (sum0-g[3])/2, (sum1-g[4])/2, (sum2-g[5])/2)
		putFilter(unsafe.Add(to, 12*step), step, g[6], g[7], g[8])
	}
}

// putFilter writes a row of a filter's transform.
func putFilter[T Float](to unsafe.Pointer, step int, g0, g1, g2 T) {
	*(*T)(to) = g0
	*(*T)(unsafe.Add(to, step)) = ((g0 + g2) + g1) / 2
	*(*T)(unsafe.Add(to, 2*step)) = ((g0 + g2) - g1) / 2
	*(*T)(unsafe.Add(to, 3*step)) = g2
}

// compute does one unit: a band of rows of tiles.
func (w *winograd[T]) compute(unit int, t *tile, tiling *tiling, filters, memory unsafe.Pointer) {
	f, size := w.family, sizeOf[T]()
	band, rest := unit%w.bands, unit/w.bands
	group, image := rest%w.shape.Groups, rest/w.shape.Groups
	first, last := band*w.down/w.bands, (band+1)*w.down/w.bands
	rows := last - first
	input := unsafe.Add(memory, w.planeBytes)
	output := unsafe.Add(input, w.inputBytes)
	stage := unsafe.Add(output, w.outputBytes)

	tiling.step = w.inputStep * size
	src := offset(w.read.Start, (image*w.read.Strides[0]+group*w.inner*w.read.Strides[1])*size)
	transformRows(f, tiling, &w.planes, memory, input, src, w.read.Strides[1:], w.inner, first, rows, w.across, w.pitch)
	for from := 0; from < w.outer; from += w.block {
		to := min(w.outer, from+w.block)
		t.aRow, t.cRow = w.filterPitch*size, w.sumPitch*size
		for element := range 16 {
			a := unsafe.Add(filters, (element*w.filterStep+(group*w.outer+from)*w.filterPitch)*size)
			b, c := unsafe.Add(input, element*tiling.step), unsafe.Add(output, element*w.block*w.sumPitch*size)
			f.sumAll(t, w.steps, a, b, c, lines{}, to-from, rows*w.across)
		}
		w.emit(tiling, output, stage, image, group, from, to, first, rows)
	}
}

// transformRows transforms the data of so many channels, from the first of so many rows of tiles on: to dst, where the
// tiles of a channel, of which there are so many across, are pitch elements from those of the one before. A channel is
// copied to p at memory while the next is being fetched.
func transformRows[T Float](f *family[T], t *tiling, p *planes, memory, dst, src unsafe.Pointer, strides []int, channels, first, rows, across, pitch int) {
	size, from := sizeOf[T](), [3]int{0, 2 * first, 0}
	t.count, t.row = pieces(across, f.lanes), p.extent[2]*size
	for channel := range channels {
		at := offset(src, channel*strides[0]*size)
		if channel+1 < channels {
			fetch(f, p, offset(at, strides[0]*size), strides, from)
		}
		fill(f, p, memory, at, 1, strides, from)
		// What is written beyond the last tile of a row is written again by the next.
		for row := range rows {
			t.src = unsafe.Add(memory, 2*row*t.row)
			t.dst = unsafe.Add(dst, (channel*pitch+row*across)*size)
			f.transformInput(t)
		}
	}
}

// emit transforms the products of the filters from from to before to and writes them.
func (w *winograd[T]) emit(of *tiling, products, stage unsafe.Pointer, image, group, from, to, first, rows int) {
	f, size := w.family, sizeOf[T]()
	results := *of
	*of = tiling{count: of.count, row: w.stagePitch * size, step: w.block * w.sumPitch * size}
	for filter := from; filter < to; filter++ {
		for row := range rows {
			of.src = unsafe.Add(products, ((filter-from)*w.sumPitch+row*w.across)*size)
			of.dst = unsafe.Add(stage, 2*row*of.row)
			f.transformOutput(of)
		}
		channel := group*w.outer + filter
		strides := &w.write.Strides
		dst := lines{unsafe.Add(w.write.Start, (image*strides[0]+channel*strides[1]+2*first*strides[3])*size), strides[3] * size, strides[4] * size}
		src := lines{stage, of.row, size}
		count := min(2*rows, w.height-2*first)
		if w.bias == nil {
			copyLines(f, dst, src, w.width, count)
			continue
		}
		addLines(f, dst, src, w.width, count, (*T)(unsafe.Add(w.bias.Start, channel*w.bias.Strides[0]*size)))
	}
	*of = results
}
