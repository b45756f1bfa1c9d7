package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// winogradGradient computes the gradient of filters of 3 by 3 elements with 16 multiplications in the place of 36, by
// Winograd's minimal filtering F(3×3,2×2): tiles of the data, 4 by 4 elements, are transformed as for winograd, and
// those of the result's gradient, 2 by 2, to as many; each of the 16 elements of the one is multiplied with that of the
// other for all pairs of channels and filters, and the sums of the products over all tiles are transformed to the
// weights.
//
// It is cut into units of a part of the tiles, some channels and some filters of a group: few enough for their sums to
// stay in a worker's cache. The parts, whose sums are added in order in the end, and the tiles that are multiplied at a
// time decide how sums are rounded: they depend on the shape alone.
type winogradGradient[T Float] struct {
	family *family[T]
	shape  *Shape
	planes // of the data of a channel

	data, result, weights Tensor

	across, down int // tiles of an image
	bands, parts int // bands of rows of tiles of an image, and parts of those of all images
	room         int // tiles that are multiplied at a time, at most
	block        [2]int
	strips       [2]int // blocks of so many channels and of so many filters, at most, that a group has
	workers      int
	pitch        int // elements from a channel's tiles to the next
	inputStep    int // elements from an element of the data's transforms to the next
	vectorStep   int // elements from an element of the gradient's transforms to the next, for each vector of filters
	band         turnedBand

	planeBytes, inputBytes, turnedBytes, outputBytes int // of a worker, of whose stage there are stageBytes
	stageBytes                                       int
	sumBytes, partStep                               int // of a block, and from those of a part to the next part's
}

// Sizes of what the gradient is cut into.
const (
	gatheredTiles = 112 // that are multiplied at a time, about
	partTiles     = 96  // of a part, at least
	blockBytes    = 256 // of channels, and of filters, in a block, at most
	leastTiles    = 48  // for which the transforms pay
	leastAcross   = 4   // or the vectors of the data's transforms are all but empty
	mostAcross    = 256 // or a row of tiles takes more than the caches have
	leastChannels = 16  // of a block that is cut for more workers
)

// isWinogradGradient tells whether the gradient of the weights is computed by Winograd's minimal filtering.
func (s *Shape) isWinogradGradient() bool {
	if !s.isWinograd() {
		return false
	}
	across, down := pieces(s.Axes[2].Result, 2), pieces(s.Axes[1].Result, 2)
	return across >= leastAcross && across <= mostAcross && s.Batch*across*down >= leastTiles
}

func newWinogradGradient[T Float](s *Shape, workers int) *winogradGradient[T] {
	return recalled(planned{Shape: *s, target: toWeights, workers: workers}, func() *winogradGradient[T] { return planWinogradGradient[T](*s, workers) })
}

func planWinogradGradient[T Float](s Shape, workers int) *winogradGradient[T] {
	size, rows, columns := sizeOf[T](), s.Axes[1], s.Axes[2]
	g := &winogradGradient[T]{family: best[T](), planes: planes{images: 1}, shape: &s, across: pieces(columns.Result, 2), down: pieces(rows.Result, 2)}
	g.routes = [3]route{
		{length: 1, scale: 1, phases: []int{0}},
		{length: rows.Data, scale: 1, phases: []int{-rows.Before}},
		{length: columns.Data, scale: 1, phases: []int{-columns.Before}},
	}
	g.bands = pieces(g.down, max(1, gatheredTiles/g.across))
	most := pieces(g.down, g.bands)
	g.room = max(gatheredTiles, most*g.across)
	g.extent = [3]int{1, 2*most + 2, 2*g.across + 2}
	lanes := 64 / size // of the largest vectors

	g.block = [2]int{min(s.Channels, blockBytes/size), min(roundUp(s.Filters, lanes), blockBytes/size)}
	g.strips = [2]int{pieces(s.Channels, g.block[0]), pieces(s.Filters, g.block[1])}
	channelBytes := 16 * g.block[1] * size // of the sums of a channel
	g.parts = max(1, min(mostParts, s.Batch*g.bands, s.Batch*g.down*g.across/partTiles, partBytes/(s.Groups*s.Channels*g.strips[1]*channelBytes)))
	for g.parts*s.Groups*g.strips[0]*g.strips[1] < 2*workers && g.block[0] >= 2*leastChannels {
		g.strips[0] *= 2
		g.block[0] = pieces(s.Channels, g.strips[0])
	}
	g.workers = max(1, min(workers, g.parts*s.Groups*g.strips[0]*g.strips[1]))

	g.pitch = roundUp(g.room, lanes) + lanes
	g.inputStep = g.block[0]*g.pitch + lanes
	g.vectorStep = g.room*g.family.lanes + lanes
	g.band = turnedBand{breadth: 2 * g.across, pitch: roundUp(4*most*g.across, lanes)}
	g.planeBytes = aligned(g.channel() * size)
	g.inputBytes = aligned(16 * g.inputStep * size)
	g.stageBytes = aligned(lanes * g.band.pitch * size)
	g.turnedBytes = aligned(g.block[1] * g.band.pitch * size)
	g.outputBytes = aligned(16 * g.block[1] / g.family.lanes * g.vectorStep * size)
	g.sumBytes = g.block[0] * channelBytes
	g.partStep = s.Groups * g.strips[0] * g.strips[1] * g.sumBytes
	return g
}

func (g *winogradGradient[T]) bytes() int {
	bytes := g.planeBytes + g.inputBytes + g.stageBytes + g.turnedBytes + g.outputBytes
	if g.parts == 1 {
		bytes += g.sumBytes
	}
	return bytes
}

func (g *winogradGradient[T]) scratch() int {
	return g.partsBytes() + g.workers*g.bytes() + 64 // So that no address is behind the end.
}

// partsBytes is what the sums of all parts take: of a single part, each worker has those of one block at a time.
func (g *winogradGradient[T]) partsBytes() int {
	if g.parts == 1 {
		return 0
	}
	return g.parts * g.partStep
}

// pairing is a block of channels and of filters of a group, from the first to before the last.
type pairing struct{ group, channel, channels, filter, filters int }

// pairing returns the block of the given number.
func (g *winogradGradient[T]) pairing(number int) (b pairing) {
	s := g.shape
	strip, rest := number%g.strips[1], number/g.strips[1]
	b.filter = strip * g.block[1]
	b.filters = min(g.block[1], s.Filters-b.filter)
	strip, b.group = rest%g.strips[0], rest/g.strips[0]
	b.channel = strip * s.Channels / g.strips[0]
	b.channels = (strip+1)*s.Channels/g.strips[0] - b.channel
	return b
}

func (g *winogradGradient[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	s := g.shape
	blocks := s.Groups * g.strips[0] * g.strips[1]
	memory := unsafe.Add(temporary, g.partsBytes())
	type argument struct {
		patch
		tiling
	}
	arguments := make([]own[argument], g.workers)
	work := 32 * float64(s.Batch*g.down*g.across) * float64(blocks*g.block[0]*g.block[1]) / g.family.rate
	eachUnit(t, g.workers, g.parts*blocks, work, func(worker, unit int) {
		a, b, own := &arguments[worker].of, g.pairing(unit%blocks), unsafe.Add(memory, worker*g.bytes())
		if g.parts > 1 {
			g.compute(unit/blocks, &b, &a.patch, &a.tiling, unsafe.Add(temporary, unit*g.sumBytes), own)
			return
		}
		sums := unsafe.Add(own, g.bytes()-g.sumBytes)
		g.compute(0, &b, &a.patch, &a.tiling, sums, own)
		g.finish(&b, sums, 0, b.channels)
	})
	if g.parts == 1 {
		return
	}
	t.ForCost(blocks*g.block[0], float64(g.block[1])*(0.5+1.5*float64(g.parts)), func(_ *parallel.Thread, lo, hi int) {
		for lo < hi {
			block, channel := lo/g.block[0], lo%g.block[0]
			b, count := g.pairing(block), min(hi-lo, g.block[0]-channel)
			g.finish(&b, unsafe.Add(temporary, block*g.sumBytes), channel, min(channel+count, b.channels))
			lo += count
		}
	})
}

// compute sums the products of a part of the tiles.
func (g *winogradGradient[T]) compute(part int, b *pairing, p *patch, t *tiling, sums, memory unsafe.Pointer) {
	all, gathered := g.shape.Batch*g.bands, 0
	p.adds = 0
	for number := all * part / g.parts; number < all*(part+1)/g.parts; number++ {
		band, image := number%g.bands, number/g.bands
		first := band * g.down / g.bands
		rows := (band+1)*g.down/g.bands - first
		if gathered+rows*g.across > g.room {
			g.multiply(b, p, gathered, sums, memory)
			gathered = 0
		}
		g.transformData(b, t, image, first, rows, gathered, memory)
		g.transformResult(b, t, image, first, rows, gathered, unsafe.Add(memory, g.planeBytes+g.inputBytes))
		gathered += rows * g.across
	}
	g.multiply(b, p, gathered, sums, memory)
}

// transformData transforms the data of a band of so many rows of tiles, to behind so many tiles of each channel.
func (g *winogradGradient[T]) transformData(b *pairing, t *tiling, image, first, rows, gathered int, memory unsafe.Pointer) {
	f, size, strides := g.family, sizeOf[T](), &g.data.Strides
	input := unsafe.Add(memory, g.planeBytes+gathered*size)
	*t = tiling{step: g.inputStep * size}
	src := offset(g.data.Start, (image*strides[0]+(b.group*g.shape.Channels+b.channel)*strides[1])*size)
	transformRows(f, t, &g.planes, memory, input, src, strides[1:], b.channels, first, rows, g.across, g.pitch)
}

// transformResult is transformData for the result's gradient: blocks of filters that a patch takes at a time follow one another.
func (g *winogradGradient[T]) transformResult(b *pairing, t *tiling, image, first, rows, gathered int, memory unsafe.Pointer) {
	f, size, strides := g.family, sizeOf[T](), &g.result.Strides
	turned := unsafe.Add(memory, g.stageBytes)
	output := unsafe.Add(turned, g.turnedBytes)
	band := g.band
	band.height, band.rows, band.columns = 2*rows, min(2*rows, g.shape.Axes[1].Result-2*first), g.shape.Axes[2].Result
	src := offset(g.result.Start, (image*strides[0]+(b.group*g.shape.Filters+b.filter)*strides[1]+2*first*strides[3])*size)
	vectors := pieces(b.filters, f.lanes)
	for vector := 0; vector < vectors; {
		width, filter := f.widest(vectors-vector), vector*f.lanes
		f.turnBlock(&band, turned, unsafe.Add(src, filter*strides[1]*size), memory, strides, b.filters-filter, width, true)
		pixel, step := width*f.lanes*size, width*g.vectorStep*size
		*t = tiling{count: g.across, row: 2 * g.across * pixel, phase: pixel, step: step}
		to := unsafe.Add(output, 16*vector*g.vectorStep*size+gathered*pixel)
		for i := range width {
			for row := range rows {
				t.src = unsafe.Add(turned, 2*row*t.row+i*f.lanes*size)
				t.dst = unsafe.Add(to, row*g.across*pixel+i*f.lanes*size)
				f.transformGradient(t)
			}
		}
		vector += width
	}
}

// multiply adds the products of so many tiles to the sums: 16 rows of filters for each channel.
func (g *winogradGradient[T]) multiply(b *pairing, p *patch, gathered int, sums, memory unsafe.Pointer) {
	f, size := g.family, sizeOf[T]()
	input := unsafe.Add(memory, g.planeBytes)
	output := unsafe.Add(input, g.inputBytes+g.stageBytes+g.turnedBytes)
	row := g.block[1] * size
	p.rows, p.columns, p.skip, p.cRow = 1, gathered, 0, 16*row
	vectors := pieces(b.filters, f.lanes)
	for vector := 0; vector < vectors; {
		width := f.widest(vectors - vector)
		count := pieces(b.channels, f.highest(width))
		for element := range 16 {
			p.y = unsafe.Add(output, (16*vector+element*width)*g.vectorStep*size)
			x, c := unsafe.Add(input, element*g.inputStep*size), unsafe.Add(sums, element*row+vector*f.lanes*size)
			for piece := range count {
				from, to := b.channels*piece/count, b.channels*(piece+1)/count
				for i := range to - from {
					p.x[i] = unsafe.Add(x, (from+i)*g.pitch*size)
				}
				p.c = unsafe.Add(c, from*p.cRow)
				f.multiplyPatch(p, to-from, width)
			}
		}
		vector += width
	}
	p.adds = 1
}

// finish adds the sums of all parts, those of the first of which are given, of the channels of a block from lo to
// before hi, and writes the weights that they are transformed to.
func (g *winogradGradient[T]) finish(b *pairing, sums unsafe.Pointer, lo, hi int) {
	f, s, size := g.family, g.shape, sizeOf[T]()
	rowsOf := newWeightRows(f, s, &g.weights, g.block[1])
	rowsOf.first, rowsOf.filters = b.filter, b.filters
	t := tiling{row: g.block[1] * size, step: g.block[1] * size, count: pieces(b.filters, f.lanes)}
	for first := lo; first < hi; first += finishedChannels {
		count := min(finishedChannels, hi-first)
		from := unsafe.Add(sums, first*16*t.row)
		f.addParts(from, g.parts, g.partStep, 16*count*g.block[1])
		for channel := range count { // The rows of weights are packed where the sums were that have been transformed.
			t.src, t.dst = unsafe.Add(from, 16*channel*t.row), unsafe.Add(from, 9*channel*t.row)
			f.transformWeights(&t)
		}
		for row := 0; row < 9*count; {
			row += rowsOf.put(unsafe.Add(from, row*t.row), 9*(b.group*s.Channels+b.channel+first)+row, 9*count-row)
		}
	}
}

// finishedChannels is how many channels are finished at a time: their rows are whole vectors of any instruction set.
const finishedChannels = 16
