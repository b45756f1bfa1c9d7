package convolution

import (
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// isDepthwise tells whether each group is of one channel and one filter.
func (s *Shape) isDepthwise() bool { return s.Channels == 1 && s.Filters == 1 }

// depthwiseGradient is the gradient of the weights of a depthwise convolution. As many groups as a vector has elements are
// transposed, so that those of one pixel are adjacent. Bands and parts are as those of gradient.
type depthwiseGradient[T Float] struct {
	gradient[T]
	blocks int // of groups
}

func newDepthwiseGradient[T Float](s *Shape, workers int) *depthwiseGradient[T] {
	g := &depthwiseGradient[T]{gradient: *newGradient[T](s, workers)}
	size, lanes := sizeOf[T](), g.family.lanes
	g.blocks = pieces(s.Groups, lanes)
	g.sumBytes = roundUp(g.blocks*lanes*s.taps()*size, 64)
	g.workers = max(1, min(workers, g.parts*g.blocks))
	plane := roundUp(g.channel(), lanes)
	g.pixels = roundUp(g.pixels, lanes)
	g.stageBytes = roundUp(lanes*max(plane, g.pixels)*size, 64) + beyond
	g.planeBytes = roundUp(plane*lanes*size, 64)
	g.turnedBytes = roundUp(g.pixels*lanes*size, 64)
	return g
}

func (g *depthwiseGradient[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	s := g.shape
	memory := unsafe.Add(temporary, g.parts*g.sumBytes)
	patches := make([]patch, g.workers)
	units := g.parts * g.blocks
	work := float64(s.Batch*s.Groups*s.results()) * (1 + 0.03*float64(s.taps()))
	eachUnit(t, g.workers, units, work, func(worker, unit int) {
		g.compute(unit, &patches[worker], temporary, unsafe.Add(memory, worker*g.bytes()))
	})
	for block := 0; block < g.blocks && g.parts > 1; block++ {
		g.add(temporary, block)
	}
}

// compute does one unit: a part, for a block of groups.
func (g *depthwiseGradient[T]) compute(unit int, p *patch, sums, memory unsafe.Pointer) {
	s, f, size := g.shape, g.family, sizeOf[T]()
	block, part := unit%g.blocks, unit/g.blocks
	first := block * f.lanes
	groups := min(f.lanes, s.Groups-first)
	all := sums
	sums = unsafe.Add(sums, part*g.sumBytes+block*s.taps()*f.lanes*size)
	stage, turned := unsafe.Add(memory, g.planeBytes), unsafe.Add(memory, g.planeBytes+g.stageBytes)
	plane := roundUp(g.channel(), f.lanes)

	p.adds, p.cRow, p.y = 0, f.lanes*size, turned
	bands := s.Batch * s.Axes[0].Result * g.bands
	for number := bands * part / g.parts; number < bands*(part+1)/g.parts; number++ {
		band, rest := number%g.bands, number/g.bands
		depth, image := rest%s.Axes[0].Result, rest/s.Axes[0].Result
		row := band * s.Axes[1].Result / g.bands
		p.rows, p.columns = (band+1)*s.Axes[1].Result/g.bands-row, s.Axes[2].Result
		if p.rows == 0 || p.columns == 0 {
			continue
		}
		for i := range groups {
			src := offset(g.data.Start, (image*g.data.Strides[0]+(first+i)*g.data.Strides[1])*size)
			fill(f, &g.planes, unsafe.Add(stage, i*plane*size), src, g.data.Strides[2:], [3]int{depth, row, 0})
		}
		turnAll(f, memory, stage, plane)
		strides := &g.result.Strides
		padded := roundUp(p.rows*p.columns, f.lanes)
		for i := range groups {
			at := image*strides[0] + (first+i)*strides[1] + depth*strides[2] + row*strides[3]
			from := lines{unsafe.Add(g.result.Start, at*size), strides[3] * size, strides[4] * size}
			copyLines(f, lines{unsafe.Add(stage, i*padded*size), p.columns * size, size}, from, p.columns, p.rows)
		}
		turnAll(f, turned, stage, padded)
		p.skip = (g.extent[2] - p.columns) * f.lanes * size
		for from := 0; from < len(g.taps); from += patchRows {
			to := min(len(g.taps), from+patchRows)
			for i, at := range g.taps[from:to] {
				p.x[i] = unsafe.Add(memory, at*f.lanes*size)
			}
			p.c = unsafe.Add(sums, from*f.lanes*size)
			f.meet(p, to-from)
		}
		p.adds = 1
	}
	if p.adds == 0 {
		clear(unsafe.Slice((*T)(sums), s.taps()*f.lanes))
	}
	if g.parts == 1 {
		g.add(all, block)
	}
}

// turnAll transposes lanes rows of so many elements, which is a multiple of lanes.
func turnAll[T Float](f *family[T], dst, src unsafe.Pointer, length int) {
	size := sizeOf[T]()
	if f.turn != nil {
		f.turn((*byte)(dst), (*byte)(src), f.lanes*size, length*size, length/f.lanes)
		return
	}
	to, from := unsafe.Slice((*T)(dst), length*f.lanes), unsafe.Slice((*T)(src), length*f.lanes)
	for i := range f.lanes {
		for j, v := range from[i*length : (i+1)*length] {
			to[j*f.lanes+i] = v
		}
	}
}

// add writes the weights of a block of groups as the sums of all parts in order.
func (g *depthwiseGradient[T]) add(sums unsafe.Pointer, block int) {
	s, lanes, size := g.shape, g.family.lanes, sizeOf[T]()
	stride, count := g.weights.Strides[0], lanes*s.taps()
	sums = unsafe.Add(sums, block*count*size)
	g.family.addParts(sums, g.parts, g.sumBytes, count)
	groups := min(lanes, s.Groups-block*lanes)
	places, _ := s.places(&g.weights)
	for tap, place := range places {
		dst := unsafe.Add(g.weights.Start, (block*lanes*stride+place)*size)
		for i, v := range unsafe.Slice((*T)(unsafe.Add(sums, tap*lanes*size)), groups) {
			*(*T)(unsafe.Add(dst, i*stride*size)) = v
		}
	}
}
