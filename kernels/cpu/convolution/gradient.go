package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// gradient computes the gradient of the weights. It is cut into units of some bands of rows, a part, and some channels of a
// group; their sums are added part by part in the end. The bands and parts decide how sums are rounded, so that they depend on
// the shape alone.
type gradient[T Float] struct {
	family *family[T]
	shape  *Shape
	planes

	data, result, weights Tensor

	bands, parts int // bands of rows of one position along the first axis, of which there are so many parts in all
	strips       int // of channels
	workers      int
	channels     int   // of a strip, at most
	pixels       int   // of a band, at most, rounded up to whole vectors of any instruction set
	filters      int   // rounded up to whole vectors
	taps         []int // the distances of all taps

	planeBytes, stageBytes, turnedBytes, sumBytes int // the first three of a worker, the last of a part
}

// Sizes of what the gradient of the weights is cut into, for all element types.
const (
	bandPixels = 1024     // of the result in a band, about
	sliceBytes = 32 << 10 // of filters of the result that are multiplied at a time, about
	partBytes  = 4 << 20  // of sums of all parts, at most, if there is more than one
	mostParts  = 16
)

func newGradient[T Float](s *Shape, workers int) *gradient[T] {
	return recalled(planned{Shape: *s, target: toWeights, workers: workers}, func() *gradient[T] { return planGradient[T](*s, workers) })
}

func planGradient[T Float](s Shape, workers int) *gradient[T] {
	g := &gradient[T]{family: best[T](), planes: planes{images: 1}, shape: &s}
	for axis, a := range s.Axes {
		g.routes[axis] = a.forward()
	}
	size, rows, columns := sizeOf[T](), s.Axes[1].Result, s.Axes[2].Result
	lanes := 64 / size
	g.bands = pieces(rows, max(1, bandPixels/max(1, columns)))
	g.extent = [3]int{1 + g.routes[0].reach, pieces(rows, g.bands) + g.routes[1].reach, columns + g.routes[2].reach}
	g.pixels = roundUp(pieces(rows, g.bands)*columns, lanes)
	g.filters = roundUp(s.Filters, lanes)
	g.sumBytes = roundUp(s.Groups*s.Channels*s.taps()*g.filters*size, 64)
	g.parts = max(1, min(mostParts, s.Batch*s.Axes[0].Result*g.bands, partBytes/max(1, g.sumBytes)))

	g.strips = 1
	for g.parts*s.Groups*g.strips < 4*workers && g.strips*8 <= s.Channels {
		g.strips *= 2
	}
	g.channels = pieces(s.Channels, g.strips)
	g.workers = max(1, min(workers, g.parts*s.Groups*g.strips))
	g.planeBytes = aligned(g.channels * g.channel() * size)
	g.stageBytes = roundUp(lanes*g.pixels*size, 64)
	g.turnedBytes = roundUp(g.filters*g.pixels*size, 64)
	g.taps = g.distances()
	return g
}

func (g *gradient[T]) bytes() int { return g.planeBytes + g.stageBytes + g.turnedBytes }

func (g *gradient[T]) scratch() int {
	return g.workers*g.bytes() + g.parts*g.sumBytes + 64 // So that no address is behind the end.
}

func (g *gradient[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	s := g.shape
	memory := unsafe.Add(temporary, g.parts*g.sumBytes)
	units := g.parts * s.Groups * g.strips
	patches := make([]own[patch], g.workers)
	work := 2 * float64(s.Batch*s.Groups*s.results()) * float64(g.filters*s.Channels*s.taps()) / g.family.rate
	eachUnit(t, g.workers, units, work, func(worker, unit int) {
		g.compute(unit, &patches[worker].of, temporary, unsafe.Add(memory, worker*g.bytes()))
	})
	if g.parts == 1 {
		return // Whoever has computed a unit has added it already, from its cache.
	}
	rows := s.Groups * s.Channels * s.taps()
	t.ForCost(rows, float64(s.Filters)*(0.6+0.1*float64(g.parts)), func(_ *parallel.Thread, lo, hi int) { g.add(temporary, lo, hi) })
}

// compute does one unit: a part, for some channels of a group.
func (g *gradient[T]) compute(unit int, p *patch, sums, memory unsafe.Pointer) {
	s, size := g.shape, sizeOf[T]()
	strip, rest := unit%g.strips, unit/g.strips
	group, part := rest%s.Groups, rest/s.Groups
	first, last := strip*s.Channels/g.strips, (strip+1)*s.Channels/g.strips
	all := sums
	sums = unsafe.Add(sums, part*g.sumBytes+(group*s.Channels+first)*s.taps()*g.filters*size)

	bands := s.Batch * s.Axes[0].Result * g.bands
	from, to := bands*part/g.parts, bands*(part+1)/g.parts
	p.adds = 0
	for number := from; number < to; number++ {
		band, rest := number%g.bands, number/g.bands
		depth, image := rest%s.Axes[0].Result, rest/s.Axes[0].Result
		row := band * s.Axes[1].Result / g.bands
		p.rows, p.columns = (band+1)*s.Axes[1].Result/g.bands-row, s.Axes[2].Result
		if p.rows == 0 || p.columns == 0 {
			continue
		}
		src := offset(g.data.Start, (image*g.data.Strides[0]+(group*s.Channels+first)*g.data.Strides[1])*size)
		fill(g.family, &g.planes, memory, src, last-first, g.data.Strides[1:], [3]int{depth, row, 0})
		turned := unsafe.Add(memory, g.planeBytes+g.stageBytes)
		g.turnResult(image, group, depth, row, p.rows, unsafe.Add(memory, g.planeBytes), turned, p.adds == 0)
		p.skip = (g.extent[2] - p.columns) * size
		g.multiply(p, last-first, memory, turned, sums)
		p.adds = 1
	}
	if p.adds == 0 {
		clear(unsafe.Slice((*T)(sums), (last-first)*s.taps()*g.filters))
	}
	if g.parts == 1 {
		g.add(all, (group*s.Channels+first)*s.taps(), (group*s.Channels+last)*s.taps())
	}
}

// turnResult transposes a band of the result's gradient, to blocks of filters that a patch takes at a time. The filters
// beyond the last are zero; they stay so in the stage if they are all that it has beside filters, and are cleared for
// the first band then.
func (g *gradient[T]) turnResult(image, group, depth, row, rows int, stage, turned unsafe.Pointer, isFirst bool) {
	s, f, size := g.shape, g.family, sizeOf[T]()
	strides, columns := &g.result.Strides, s.Axes[2].Result
	src := unsafe.Add(g.result.Start, (image*strides[0]+group*s.Filters*strides[1]+depth*strides[2]+row*strides[3])*size)
	b := turnedBand{rows: rows, columns: columns, height: rows, breadth: columns, pitch: g.pixels}
	for first := 0; first < g.filters; {
		width := f.widest((g.filters - first) / f.lanes)
		f.turnBlock(&b, unsafe.Add(turned, first*g.pixels*size), unsafe.Add(src, first*strides[1]*size), stage, strides, s.Filters-first, width, isFirst || g.filters > f.lanes)
		first += width * f.lanes
	}
}

// multiply adds a band to the sums of some channels: a slice of rows after the other, so that those of the result's gradient are
// near for all taps.
func (g *gradient[T]) multiply(p *patch, channels int, planes, turned, sums unsafe.Pointer) {
	f, size := g.family, sizeOf[T]()
	p.cRow = g.filters * size
	total := channels * len(g.taps)
	channel := g.channel()
	rows, adds := p.rows, p.adds
	slices := min(rows, pieces(rows*p.columns*min(chunkBytes, g.filters*size), sliceBytes))
	for first := 0; first < g.filters; {
		width := f.widest((g.filters - first) / f.lanes)
		for slice := range slices {
			from := rows * slice / slices
			p.rows = rows*(slice+1)/slices - from
			p.y = unsafe.Add(turned, (first*g.pixels+from*p.columns*width*f.lanes)*size)
			if p.adds = adds; slice > 0 {
				p.adds = 1
			}
			g.multiplySlice(p, unsafe.Add(planes, from*g.extent[2]*size), unsafe.Add(sums, first*size), total, channel, width)
		}
		first += width * f.lanes
	}
}

// multiplySlice adds a slice to the sums of so many taps of channels, for a vector or some of filters.
func (g *gradient[T]) multiplySlice(p *patch, planes, sums unsafe.Pointer, total, channel, width int) {
	f, size := g.family, sizeOf[T]()
	count := pieces(total, f.highest(width))
	for piece := range count {
		from, to := total*piece/count, total*(piece+1)/count
		for i := range to - from {
			at := (from+i)/len(g.taps)*channel + g.taps[(from+i)%len(g.taps)]
			p.x[i] = unsafe.Add(planes, at*size)
		}
		p.c = unsafe.Add(sums, from*g.filters*size)
		f.multiplyPatch(p, to-from, width)
	}
}

// addedBytes is what of the sums of a part is added at a time, about, so that it stays in the first cache.
const addedBytes = 8 << 10

// add writes the weights from lo to before hi, counted by channels and taps, as the sums of all parts in order.
func (g *gradient[T]) add(sums unsafe.Pointer, lo, hi int) {
	size := sizeOf[T]()
	rowsOf := newWeightRows(g.family, g.shape, &g.weights, g.filters)
	step := max(g.family.lanes, addedBytes/(g.filters*size))
	for first := lo; first < hi; first += step {
		rows := min(step, hi-first)
		from := unsafe.Add(sums, first*g.filters*size)
		g.family.addParts(from, g.parts, g.sumBytes, rows*g.filters)
		for row := 0; row < rows; {
			row += rowsOf.put(unsafe.Add(from, row*g.filters*size), first+row, rows-row)
		}
	}
}

// addParts adds count sums of other parts, each so many bytes behind the one before, to those of the first, in order.
func (f *family[T]) addParts(sums unsafe.Pointer, parts, bytes, count int) {
	size := sizeOf[T]()
	for part := 1; part < parts; part++ {
		mergeLines(f, lines{sums, count * size, size}, lines{unsafe.Add(sums, part*bytes), count * size, size}, count, 1)
	}
}
