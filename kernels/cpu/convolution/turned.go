package convolution

import "unsafe"

// Where rows of a result are short, vectors of pixels leave much of themselves empty. If there are whole vectors of filters, a pass
// is computed turned: elements of the planes, whose distances are even, are multiplied with vectors of filters, as in the gradient of
// the weights, and the sums are transposed. The order of terms is the same.

// mayTurn tells whether a convolution from data to result can be computed turned: in one block of terms.
func (s *Shape) mayTurn(size int) bool {
	for _, a := range s.Axes[1:] {
		if a.Stride != 1 || a.Dilation != 1 {
			return false
		}
	}
	return s.Axes[0] == NoAxis && s.Channels > 0 && s.Filters%(64/size) == 0 && s.Channels*s.taps()*size <= depthBytes
}

// filterTerms is the terms of a packed filter, up to a whole vector.
func (p *pass[T]) filterTerms() int { return roundUp(p.stepCount(), p.family.lanes) }

// turnBytes is what a worker needs for the sums of so many rows before they are transposed.
func (p *pass[T]) turnBytes(rows int) int {
	if !p.turned {
		return 0
	}
	return roundUp(rows*p.routes[2].count, p.family.lanes) * len(p.family.patches) * p.family.lanes * sizeOf[T]()
}

// packedBytes is what packed filters take, and a vector of filters before they are.
func (p *pass[T]) packedBytes() int {
	if !p.turned {
		return 0
	}
	return roundUp((p.groups*p.outer+p.family.lanes)*p.filterTerms()*sizeOf[T](), 64)
}

// packFilters writes, for vectors of filters that patches take at a time, those of each term after those of the one before.
func (p *pass[T]) packFilters(packed unsafe.Pointer) {
	f, size := p.family, sizeOf[T]()
	terms := p.filterTerms()
	stage := unsafe.Add(packed, p.groups*p.outer*terms*size)
	steps := p.combinations[0].steps
	dense := true
	for i, s := range steps {
		dense = dense && s.a == i*size
	}
	for group := range p.groups {
		for first := 0; first < p.outer; {
			width := f.widest((p.outer - first) / f.lanes)
			to := unsafe.Add(packed, (group*p.outer+first)*terms*size)
			for vector := range width {
				for i := range f.lanes {
					filter := group*p.outer + first + vector*f.lanes + i
					from := unsafe.Add(p.weights.Start, filter*p.weights.Strides[0]*size)
					row := unsafe.Slice((*T)(unsafe.Add(stage, i*terms*size)), len(steps))
					if dense {
						copy(row, unsafe.Slice((*T)(from), len(steps)))
						continue
					}
					for j, s := range steps {
						row[j] = *(*T)(unsafe.Add(from, s.a))
					}
				}
				f.turn((*byte)(unsafe.Add(to, vector*f.lanes*size)), (*byte)(stage), width*f.lanes*size, terms*size, terms/f.lanes)
			}
			first += width * f.lanes
		}
	}
}

// sumTurned computes the sums of a group's filters for so many pixels, rows of which follow each other.
func (p *pass[T]) sumTurned(a *patch, packed, planes, sums, temporary unsafe.Pointer, pixels int) {
	f, size, terms := p.family, sizeOf[T](), p.filterTerms()
	columns := p.routes[2].count
	a.columns, a.rows, a.planes = len(p.routes[2].classes[0].taps), len(p.routes[1].classes[0].taps), p.inner
	a.skip, a.planeSkip = (p.extent[2]-a.columns)*size, (p.channel()-a.rows*p.extent[2])*size
	a.adds = 0
	for first := 0; first < p.outer; {
		width := f.widest((p.outer - first) / f.lanes)
		a.cRow = width * f.lanes * size
		count := pieces(pixels, f.highest(width))
		for piece := range count {
			from, to := pixels*piece/count, pixels*(piece+1)/count
			for i := range to - from {
				row, column := (from+i)/columns, (from+i)%columns
				a.x[i] = unsafe.Add(planes, (row*p.extent[2]+column)*size)
			}
			a.y, a.c = unsafe.Add(packed, first*terms*size), unsafe.Add(temporary, from*a.cRow)
			f.multiplyPatch(a, to-from, width)
		}
		for pixel := 0; pixel < pixels; pixel += f.lanes {
			to, from := unsafe.Add(sums, first*p.sumRow+pixel*size), unsafe.Add(temporary, pixel*a.cRow)
			f.turn((*byte)(to), (*byte)(from), p.sumRow, a.cRow, width)
		}
		first += width * f.lanes
	}
}
