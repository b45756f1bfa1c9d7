package convolution

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/weft-nd/weft/parallel"
)

// pass computes images from images: the result of a convolution, or the gradient of its data.
type pass[T Float] struct {
	family *family[T]
	planes
	batch, groups int
	inner, outer  int // channels of a group that are read, and written

	read, write, weights Tensor
	weightRow            int // the axis of weights for what is written, 0 or 1
	bias                 *T  // for each channel that is written, biasStride elements apart; nil if there is none
	biasStride           int
	take                 func(band Band[T]) // nil if what is computed is written
	streams              bool               // what is written goes past the caches where that can be
	forward              bool               // what is written is the result

	cut
	combinations []combination
	strides      [5]int      // of the weights that the combinations are for
	steps        []step      // of all combinations
	tiles        []own[tile] // of the workers
	calls        *sync.Pool  // of copies, with what calls make
}

// combination is one class of each axis, and the steps of its sums.
type combination struct {
	classes [3]*class
	steps   []step
}

// depthBytes is the most bytes of a block of a sum.
const depthBytes = 2 << 10

// newPass returns the pass to result or data, for at most so many workers, with nothing to read and write; in bands of
// whole grains of rows if there are any, and with images abreast if they may be.
func newPass[T Float](s *Shape, to target, grain, workers int, abreast bool) *pass[T] {
	return recalled(planned{Shape: *s, target: to, grain: grain, workers: workers, abreast: abreast}, func() *pass[T] {
		p := &pass[T]{
			family: best[T](), planes: planes{images: 1},
			batch: s.Batch, groups: s.Groups, inner: s.Channels, outer: s.Filters, cut: cut{grain: max(1, grain), stages: grain > 0},
		}
		for axis, a := range s.Axes {
			p.routes[axis] = a.forward()
		}
		if to == toData {
			p.inner, p.outer, p.weightRow = p.outer, p.inner, 1
			for axis, a := range s.Axes {
				p.routes[axis] = a.backward()
			}
		}
		p.streams = grain == 0 && s.written(to)*sizeOf[T]() >= streamed && p.family.streamRows != nil
		p.forward = to == toResult
		p.plan(workers, abreast)
		p.calls = &sync.Pool{New: func() any {
			call := *p
			call.tiles, call.steps = make([]own[tile], p.workers), make([]step, p.stepCount())
			return &call
		}}
		return p
	})
}

// call returns a copy for one call, which release gives back.
func (p *pass[T]) call() *pass[T] { return p.calls.Get().(*pass[T]) }

func (p *pass[T]) release() {
	p.read, p.write, p.weights, p.bias, p.take = Tensor{}, Tensor{}, Tensor{}, nil, nil
	clear(p.tiles)
	p.calls.Put(p)
}

// forwardPass computes the result from the data.
func forwardPass[T Float](s *Shape, o *Operands, workers int) *pass[T] {
	return newPass[T](s, toResult, 0, workers, s.canBeAbreast(o, best[T]().lanes))
}

// backwardPass computes the data from the result.
func backwardPass[T Float](s *Shape, workers int) *pass[T] {
	return newPass[T](s, toData, 0, workers, false)
}

// scratch returns the bytes of temporary memory.
func (p *pass[T]) scratch() int {
	return p.workers*p.bytes() + 64 // So that no address is behind the end.
}

// bytes is what one worker takes.
func (p *pass[T]) bytes() int { return p.planeBytes + p.sumBytes + p.stageBytes }

// stepCount is the number of steps of all combinations.
func (p *pass[T]) stepCount() int {
	count := p.inner
	for _, r := range p.routes {
		taps := 0
		for _, c := range r.classes {
			taps += len(c.taps)
		}
		count *= taps
	}
	return count
}

// run computes the pass in temporary memory of scratch bytes.
func (p *pass[T]) run(t *parallel.Thread, temporary unsafe.Pointer) {
	p.combine()
	if p.workers == 1 { // Then nothing need be made for each call.
		for unit := range p.units() {
			p.compute(unit, &p.tiles[0].of, temporary)
		}
		return
	}
	eachUnit(t, p.workers, p.units(), p.work, func(worker, unit int) {
		p.compute(unit, &p.tiles[worker].of, unsafe.Add(temporary, worker*p.bytes()))
	})
}

// combine sets the combinations of classes and their steps, if a call before has not.
func (p *pass[T]) combine() {
	if p.combinations != nil && p.strides == p.weights.Strides {
		return
	}
	p.strides = p.weights.Strides
	size, memory, row := sizeOf[T](), p.steps, p.weightRow
	channel := p.channel()
	axes := [3][]class{p.routes[0].classes, p.routes[1].classes, p.routes[2].classes}
	p.combinations = slices.Grow(p.combinations[:0], len(axes[0])*len(axes[1])*len(axes[2]))
	for i0 := range axes[0] {
		for i1 := range axes[1] {
			for i2 := range axes[2] {
				c0, c1, c2 := &axes[0][i0], &axes[1][i1], &axes[2][i2]
				c := combination{classes: [3]*class{c0, c1, c2}}
				taps := len(c0.taps) * len(c1.taps) * len(c2.taps)
				c.steps, memory = memory[:p.inner*taps], memory[p.inner*taps:]
				number := 0
				for _, t0 := range c0.taps {
					for _, t1 := range c1.taps {
						for _, t2 := range c2.taps {
							a := t0.element*p.weights.Strides[2] + t1.element*p.weights.Strides[3] + t2.element*p.weights.Strides[4]
							b := p.at([3]tap{t0, t1, t2})
							for i := range p.inner {
								c.steps[i*taps+number] = step{(a + i*p.weights.Strides[1-row]) * size, (b + i*channel) * size}
							}
							number++
						}
					}
				}
				p.combinations = append(p.combinations, c)
			}
		}
	}
}

// compute does one unit: some channels of a band of rows of one position along the first axis.
func (p *pass[T]) compute(unit int, t *tile, memory unsafe.Pointer) {
	size := sizeOf[T]()
	band, rest := unit%p.bands, unit/p.bands
	depth, rest := rest%p.routes[0].count, rest/p.routes[0].count
	strip, rest := rest%p.strips, rest/p.strips
	group, image := rest%p.groups, rest/p.groups*p.images
	first, last := p.band(band)
	from, rows := [3]int{depth, first, 0}, last-first
	firstRow, lastRow := strip*p.outer/p.strips, (strip+1)*p.outer/p.strips

	t.cRow = p.sumRow
	t.aRow = p.weights.Strides[p.weightRow] * size
	groupStride := p.weights.Strides[0] * p.inner
	if p.weightRow == 0 {
		groupStride = p.weights.Strides[0] * p.outer
	}
	weights := offset(p.weights.Start, (group*groupStride+firstRow*p.weights.Strides[p.weightRow])*size)
	if p.images > 1 {
		p.computeAbreast(group, image, t, weights, memory)
		return
	}
	src := offset(p.read.Start, (image*p.read.Strides[0]+group*p.inner*p.read.Strides[1])*size)
	fill(p.family, &p.planes, memory, src, p.inner, p.read.Strides[1:], from)
	sums := unsafe.Add(memory, p.planeBytes)
	for i := range p.combinations {
		c := &p.combinations[i]
		count := min(rows, c.classes[1].count-from[1])
		if depth >= c.classes[0].count || count <= 0 {
			continue
		}
		if p.isDirect() {
			p.sumDirectly(t, c, weights, memory, sums, [5]int{image, group*p.outer + firstRow, depth, from[1], 0}, lastRow-firstRow, count)
			continue
		}
		p.family.sumAll(t, c.steps, weights, memory, sums, lines{}, lastRow-firstRow, (count-1)*p.extent[2]+c.classes[2].count)
		for row := firstRow; row < lastRow; row++ {
			if p.take != nil {
				stage := unsafe.Add(sums, p.sumBytes)
				p.emitTo(lines{stage, c.classes[2].count * size, size}, c, group*p.outer+row, count, unsafe.Add(sums, (row-firstRow)*p.sumRow))
				p.take(Band[T]{image*p.groups*p.outer + group*p.outer + row, from[1], unsafe.Slice((*T)(stage), count*c.classes[2].count)})
				continue
			}
			p.emit(c, image, group*p.outer+row, [3]int{depth, from[1], 0}, count, unsafe.Add(sums, (row-firstRow)*p.sumRow))
		}
	}
	if p.streams {
		p.family.fence()
	}
}

// emit writes the sums of one channel for lines rows from the position from on.
func (p *pass[T]) emit(c *combination, image, channel int, from [3]int, count int, sums unsafe.Pointer) {
	size := sizeOf[T]()
	strides := &p.write.Strides
	at := image*strides[0] + channel*strides[1]
	for axis, k := range c.classes {
		at += (k.first + from[axis]*k.step) * strides[2+axis]
	}
	p.emitTo(lines{unsafe.Add(p.write.Start, at*size), c.classes[1].step * strides[3] * size, c.classes[2].step * strides[4] * size}, c, channel, count, sums)
}

// emitTo writes the sums of one channel for count rows to those given.
func (p *pass[T]) emitTo(to lines, c *combination, channel, count int, sums unsafe.Pointer) {
	size := sizeOf[T]()
	f, sum, columns := p.family, lines{sums, p.extent[2] * size, size}, c.classes[2].count
	if p.bias != nil {
		bias := (*T)(unsafe.Add(unsafe.Pointer(p.bias), channel*p.biasStride*size))
		if !p.streams {
			addLines(f, to, sum, columns, count, bias)
			return
		}
		addLines(f, sum, sum, columns, count, bias)
	}
	if !p.streams || !streamLines(f, to, sum, columns, count) {
		copyLines(f, to, sum, columns, count)
	}
}
