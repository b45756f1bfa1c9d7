package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// dotGradient is the gradient of the weights where vectors of filters would be all but empty: a weight's is the dot product of its
// filter's gradient, which is read where it lies, with the channel at its tap's distance. Bands and parts are as those of gradient,
// and depend on the shape alone.
type dotGradient[T Float] struct {
	family *family[T]
	shape  *Shape
	planes

	data, result, weights Tensor

	bands, parts int
	strips       bool       // there is a kernel that reads images where they lie
	covers       [2][]cover // of the vectors of columns of strips, of images and of planes
	joined       bool       // planes have the rows of a tap one after another, and so do results
	channels     int        // of the data, of all groups, in a unit at most
	blocks       int        // of channels
	cuts         int        // of the filters of a group
	workers      int
	taps         []int // the distances of all taps, and of the last one again up to whole tiles

	planeBytes, stageBytes, sumBytes, totalBytes int // of a worker
	partBytes                                    int
}

// dotArguments is those of the kernels.
type dotArguments struct {
	dots  dots
	strip strip
}

// isDots tells whether dot products compute the gradient of the weights the soonest.
func (s *Shape) isDots(size int) bool {
	wide := dotBytes / size
	rows, columns := s.Axes[1].Result, s.Axes[2].Result
	blocks := rows * pieces(columns, wide)
	if s.joinsDots(wide) {
		blocks = pieces(rows*columns, wide)
	}
	return s.isDepthwise() || blocks >= leastDotBlocks && 6*s.Filters*blocks <= 5*rows*columns*pieces(s.Filters, wide)
}

// leastDotBlocks is the shortest dot product that is worth the load, and the store, of its sum. Tests make it smaller.
var leastDotBlocks = 16

// joinsDots tells whether rows of results are so short that they would leave blocks too empty.
func (s *Shape) joinsDots(wide int) bool {
	columns := s.Axes[2].Result
	return 4*roundUp(columns, wide) > 5*columns
}

// dotBlockBytes is what the sums of a unit take, at most, if it has several channels.
const dotBlockBytes = 64 << 10

func newDotGradient[T Float](s *Shape, workers int) *dotGradient[T] {
	return recalled(planned{Shape: *s, target: toWeights, workers: workers}, func() *dotGradient[T] { return planDotGradient[T](*s, workers) })
}

func planDotGradient[T Float](s Shape, workers int) *dotGradient[T] {
	size := sizeOf[T]()
	wide := dotBytes / size
	g := &dotGradient[T]{family: best[T](), planes: planes{images: 1}, shape: &s, strips: s.hasStrips()}
	g.joined = !g.strips && s.joinsDots(wide)
	for axis, a := range s.Axes {
		g.routes[axis] = a.forward()
	}
	if g.joined {
		g.routes[2] = g.routes[2].spread()
	}
	rows, columns := s.Axes[1].Result, s.Axes[2].Result
	g.bands = pieces(rows, max(1, bandPixels/max(1, columns)))
	most := pieces(rows, g.bands)
	g.extent = [3]int{1 + g.routes[0].reach, most + g.routes[1].reach, columns + g.routes[2].reach}
	if g.strips {
		g.covers = [2][]cover{g.coverAll(-s.Axes[2].Before, s.Axes[2].Data), g.coverAll(0, g.extent[2])}
	}
	g.taps = g.distances()
	for len(g.taps)%dotFewTaps != 0 {
		g.taps = append(g.taps, g.taps[len(g.taps)-1])
	}

	channels := s.Groups * s.Channels
	sums := s.Filters * len(g.taps) // of a channel
	g.partBytes = roundUp(channels*sums*size, 64)
	g.parts = max(1, min(mostParts, s.Batch*s.Axes[0].Result*g.bands, partBytes/g.partBytes))
	g.channels = max(1, min(channels, dotBlockBytes/(sums*dotBytes)))
	for g.parts*pieces(channels, g.channels) < 4*workers && g.channels > 1 {
		g.channels = pieces(g.channels, 2)
	}
	g.blocks = min(channels, roundUp(pieces(channels, g.channels), workers))
	g.cuts = 1
	if !g.strips {
		g.cuts = max(1, min(workers/max(1, g.parts*g.blocks), s.Filters/dotFilters)) // Each cut copies the data again.
	}
	g.workers = max(1, min(workers, g.parts*g.blocks*g.cuts))
	g.planeBytes = aligned(g.channel() * size)
	filters := pieces(s.Filters, g.cuts) // of a unit at most
	g.stageBytes = aligned(filters * most * columns * size)
	g.totalBytes = roundUp(g.channels*filters*len(g.taps), wide) * size
	g.sumBytes = g.totalBytes/size*dotBytes + wide*dotBytes
	return g
}

func (g *dotGradient[T]) bytes() int {
	return g.planeBytes + g.stageBytes + g.totalBytes + g.sumBytes
}

func (g *dotGradient[T]) scratch() int {
	return g.workers*g.bytes() + g.parts*g.partBytes + 64 // So that no address is behind the end.
}

func (g *dotGradient[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	s := g.shape
	memory := unsafe.Add(temporary, g.parts*g.partBytes)
	arguments := make([]own[dotArguments], g.workers)
	channels := s.Groups * s.Channels
	work := float64(s.Batch*channels*s.results()) * (float64(0.2*float64(g.cuts)) + 2.5*float64(s.Filters*len(g.taps))/g.family.rate)
	eachUnit(t, g.workers, g.parts*g.blocks*g.cuts, work, func(worker, unit int) {
		g.compute(unit, &arguments[worker].of, temporary, unsafe.Add(memory, worker*g.bytes()))
	})
	if g.parts == 1 {
		return // Whoever has computed a unit has written it already.
	}
	count := s.Filters * len(g.taps)
	t.ForCost(channels, float64(count)*(0.5+0.1*float64(g.parts)), func(_ *parallel.Thread, lo, hi int) {
		sums := unsafe.Add(temporary, lo*count*sizeOf[T]())
		g.family.addParts(sums, g.parts, g.partBytes, (hi-lo)*count)
		g.put(sums, lo, hi, 0, s.Filters)
	})
}

// compute does one unit: a part, for a block of channels and a cut of filters.
func (g *dotGradient[T]) compute(unit int, a *dotArguments, sums, memory unsafe.Pointer) {
	s, size := g.shape, sizeOf[T]()
	cut, rest := unit%g.cuts, unit/g.cuts
	block, part := rest%g.blocks, rest/g.blocks
	channels := s.Groups * s.Channels
	first, last := block*channels/g.blocks, (block+1)*channels/g.blocks
	begin, end := cut*s.Filters/g.cuts, (cut+1)*s.Filters/g.cuts
	count := (end - begin) * len(g.taps)
	stage := unsafe.Add(memory, g.planeBytes)
	totals := unsafe.Add(stage, g.stageBytes)
	vectors := unsafe.Add(totals, g.totalBytes)

	clear(unsafe.Slice((*byte)(vectors), (last-first)*count*dotBytes))
	a.dots.sumStep = len(g.taps) * dotBytes
	bands := s.Batch * s.Axes[0].Result * g.bands
	for number := bands * part / g.parts; number < bands*(part+1)/g.parts; number++ {
		band, rest := number%g.bands, number/g.bands
		depth, image := rest%s.Axes[0].Result, rest/s.Axes[0].Result
		row := band * s.Axes[1].Result / g.bands
		rows, columns := (band+1)*s.Axes[1].Result/g.bands-row, s.Axes[2].Result
		if rows == 0 || columns == 0 {
			continue
		}
		var from lines
		for channel := first; channel < last; channel++ {
			src := offset(g.data.Start, (image*g.data.Strides[0]+channel*g.data.Strides[1])*size)
			if channel == first || channel%s.Channels == 0 {
				from, a.dots.gStep = g.resultRows([4]int{image, channel/s.Channels*s.Filters + begin, depth, row}, end-begin, rows, stage)
			}
			sums := unsafe.Add(vectors, (channel-first)*count*dotBytes)
			if g.strips {
				g.addStrips(&a.strip, src, memory, from, sums, row, rows)
				continue
			}
			fill(g.family, &g.planes, memory, src, 1, g.data.Strides[1:], [3]int{depth, row, 0})
			g.multiply(&a.dots, memory, from, sums, end-begin, rows)
		}
	}
	temporary := unsafe.Add(vectors, g.sumBytes-dotBytes*dotBytes/size)
	g.family.addDots(totals, vectors, temporary, (last-first)*count)
	if g.parts == 1 {
		g.put(totals, first, last, begin, end)
		return
	}
	for channel := first; channel < last; channel++ {
		to := unsafe.Add(sums, part*g.partBytes+(channel*s.Filters+begin)*len(g.taps)*size)
		copy(unsafe.Slice((*T)(to), count), unsafe.Slice((*T)(unsafe.Add(totals, (channel-first)*count*size)), count))
	}
}

// resultRows returns where rows of the gradient of the result are, for so many filters from the image, filter, depth
// and row at on, and how many bytes the filters are apart: a copy if elements are not adjacent.
func (g *dotGradient[T]) resultRows(at [4]int, filters, rows int, stage unsafe.Pointer) (from lines, step int) {
	size, columns := sizeOf[T](), g.shape.Axes[2].Result
	strides := &g.result.Strides
	src := unsafe.Add(g.result.Start, (at[0]*strides[0]+at[1]*strides[1]+at[2]*strides[2]+at[3]*strides[3])*size)
	from = lines{src, strides[3] * size, strides[4] * size}
	if strides[4] == 1 && (!g.joined || strides[3] == columns) {
		return from, strides[1] * size
	}
	to := lines{stage, columns * size, size}
	for filter := range filters {
		copyLines(g.family, lines{unsafe.Add(stage, filter*rows*columns*size), to.row, size}, lines{unsafe.Add(src, filter*strides[1]*size), from.row, from.step}, columns, rows)
	}
	return to, rows * columns * size
}

// multiply adds rows of so many filters to the sums of a channel.
func (g *dotGradient[T]) multiply(d *dots, plane unsafe.Pointer, from lines, sums unsafe.Pointer, filters, rows int) {
	s, f, size := g.shape, g.family, sizeOf[T]()
	wide, columns, pitch := dotBytes/size, s.Axes[2].Result, g.extent[2]*size
	if g.joined {
		rows, columns = 1, rows*columns
	}
	d.rows, d.blocks = rows, pieces(columns, wide)
	d.xSkip, d.gSkip = pitch-d.blocks*dotBytes, from.row-d.blocks*dotBytes
	for filter := 0; filter < filters; {
		var some int
		for tap := 0; tap < len(g.taps); {
			var taps int
			some, taps = f.dotTile(filters-filter, len(g.taps)-tap)
			for i := range taps {
				d.x[i] = unsafe.Add(plane, g.taps[tap+i]*size)
			}
			d.g = unsafe.Add(from.start, filter*d.gStep)
			d.sums = unsafe.Add(sums, (filter*len(g.taps)+tap)*dotBytes)
			f.multiplyDots(d, some, taps, columns-(d.blocks-1)*wide)
			tap += taps
		}
		filter += some
	}
}

// coverAll returns the covers of all vectors of columns, the first of which meets element first of so many with its first tap.
func (g *dotGradient[T]) coverAll(first, length int) (all []cover) {
	f, columns := g.family, g.shape.Axes[2].Result
	for column := 0; column < columns; column += f.lanes {
		var c cover
		there := min(f.lanes, columns-column)
		for tap := range c.shifts {
			at := column + first + tap
			c.shifts[tap] = at * sizeOf[T]()
			f.mask(&c, tap, max(0, -at), min(there, length-at))
		}
		f.mask(&c, 3, 0, there)
		all = append(all, c)
	}
	return all
}

// addStrips adds rows of the gradient of the result from row on to the sums of a channel that starts at src, vector by vector of columns.
func (g *dotGradient[T]) addStrips(a *strip, src, plane unsafe.Pointer, from lines, sums unsafe.Pointer, row, rows int) {
	f, size, y, covers := g.family, sizeOf[T](), g.shape.Axes[1], g.covers[0]
	a.src, a.row, a.rowStep, a.limit, a.forward = src, row-y.Before, 1, y.Data, g.data.Strides[3]*size
	if g.data.Strides[4] != 1 {
		fill(f, &g.planes, plane, src, 1, g.data.Strides[1:], [3]int{0, row, 0})
		covers = g.covers[1]
		a.src, a.row, a.limit, a.forward = plane, 0, g.extent[1], g.extent[2]*size
	}
	a.count, a.offset, a.dstStep = rows+2, a.row*a.forward, from.row
	for i := range covers {
		column := i * f.lanes
		a.cover = covers[i]
		a.dst, a.sums = unsafe.Add(from.start, column*size), unsafe.Add(sums, column*size%dotBytes)
		if f.stripped == nil {
			stripGradientPortable[T](a, f.lanes)
			continue
		}
		f.stripped((*byte)(unsafe.Pointer(a)))
	}
}

// put writes the weights of the channels from first to before last, and of the filters of a group from begin to before
// end, from their totals.
func (g *dotGradient[T]) put(totals unsafe.Pointer, first, last, begin, end int) {
	s, size, strides := g.shape, sizeOf[T](), &g.weights.Strides
	places, dense := s.places(&g.weights)
	for channel := first; channel < last; channel++ {
		for filter := begin; filter < end; filter++ {
			to := unsafe.Add(g.weights.Start, ((channel/s.Channels*s.Filters+filter)*strides[0]+channel%s.Channels*strides[1])*size)
			number := (channel-first)*(end-begin) + filter - begin
			from := unsafe.Slice((*T)(unsafe.Add(totals, number*len(g.taps)*size)), len(places))
			if dense {
				copy(unsafe.Slice((*T)(to), len(places)), from)
				continue
			}
			for tap, place := range places {
				*(*T)(unsafe.Add(to, place*size)) = from[tap]
			}
		}
	}
}
