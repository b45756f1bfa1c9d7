package convolution

// cut is how a pass is cut into units. It is chosen for speed: results do not depend on it.
type cut struct {
	workers int  // units at a time, each in memory of its own
	bands   int  // of rows
	strips  int  // of channels that are written
	grain   int  // rows that are in the same band, if they are there
	stages  bool // what is computed is staged, and not written
	work    float64

	planeBytes, sumBytes, stageBytes int // of a worker
	sumRow                           int // bytes from one channel's sums to the next
}

// units is the number of units: bands and positions along the first axis are innermost.
func (p *pass[T]) units() int {
	return p.batch / p.images * p.groups * p.strips * p.routes[0].count * p.bands
}

// joinTime is the nanoseconds that it takes to share units with another worker, to wait for it, and to have in its cache what was in
// another's.
const joinTime = 1500

// cacheBytes is what a worker's memory fits in best, a part of the second cache.
const cacheBytes = 384 << 10

// plan cuts the pass for at most so many workers: into the bands and strips that are done the soonest, with the last axis spread
// if what is computed between rows would take longer than the copies, or with as many images abreast as a vector has lanes.
func (p *pass[T]) plan(most int, abreast bool) {
	best := 0.0
	rows := max(1, pieces(p.routes[1].count, p.grain))
	outer := p.batch * p.groups * p.routes[0].count
	for strips := 1; ; strips *= 2 {
		for bands := 1; ; bands = min(rows, bands+max(1, bands/4)) {
			if time := p.time(most, outer, bands, strips); best == 0 || time < best {
				best = time
				p.bands, p.strips = bands, strips
			}
			if bands == rows {
				break
			}
		}
		if outer > 4*most || strips*16 > p.outer {
			break
		}
	}
	whole := p.routes[2]
	if whole.reach > 0 {
		p.routes[2] = whole.spread()
		if time := p.time(most, outer, p.bands, p.strips); time < best {
			best = time
		} else {
			p.routes[2] = whole
		}
	}
	if abreast && !p.streams {
		chosen := p.routes[2]
		p.images, p.routes[2] = p.family.lanes, whole
		if p.time(most, outer/p.images, 1, 1) < best {
			p.bands, p.strips, outer = 1, 1, outer/p.images
		} else {
			p.images, p.routes[2] = 1, chosen
		}
	}
	p.time(most, outer, p.bands, p.strips)
	p.workers = max(1, min(most, p.units()))
}

// time estimates the nanoseconds that the pass takes with that many bands and strips.
func (p *pass[T]) time(most, outer, bands, strips int) float64 {
	p.measure(bands, strips)
	rows := p.bandRows(bands)
	terms := float64(max(1, p.stepCount()))
	if p.images > 1 {
		sums := float64(p.images * p.outer * rows * p.routes[2].count)
		return p.timeUnits(most, outer, 2*terms*sums/p.family.rate, 0.15*(float64(p.inner*p.channel())+sums))
	}
	length := float64(p.family.computed(rows * p.extent[2]))
	multiply := 2 * terms * length * float64(pieces(p.outer, strips)) / p.family.rate
	copied := 0.1 * float64(p.inner*p.channel())
	for axis, r := range p.routes {
		if r.scale > 1 && axis == 2 {
			copied *= 6
		}
	}
	copied += 2 * float64(p.inner*p.extent[1]*len(p.routes[1].phases)*len(p.routes[2].phases))
	if !p.writesWhole() {
		copied += 0.1 * length * float64(pieces(p.outer, strips))
	}
	return p.timeUnits(most, outer*bands*strips, multiply, copied)
}

// timeUnits estimates the nanoseconds of so many units, each of which multiplies and copies for so long.
func (p *pass[T]) timeUnits(most, units int, multiply, copied float64) float64 {
	unit := multiply + copied + 200
	if p.planeBytes+p.sumBytes > cacheBytes {
		unit += multiply / 4
	}
	p.work = unit * float64(units)
	if min(units, most) == 1 {
		return p.work
	}
	return unit*float64(pieces(units, most)) + joinTime
}

// measure sets the sizes for that many bands and strips.
func (p *pass[T]) measure(bands, strips int) {
	size := sizeOf[T]()
	rows := p.bandRows(bands)
	if p.images > 1 {
		p.extent = [3]int{1, p.routes[1].length, p.images * p.routes[2].length}
		p.sumRow = p.images*rows*p.routes[2].count*size + beyond // Kernels compute more of the last row than there is.
	} else {
		p.extent = [3]int{1 + p.routes[0].reach, rows + p.routes[1].reach, p.routes[2].count + p.routes[2].reach}
		p.sumRow = roundUp(rows*p.extent[2]*size, chunkBytes) + 64
	}
	p.planeBytes = aligned(p.inner * p.channel() * size)
	p.sumBytes = aligned(pieces(p.outer, strips) * p.sumRow)
	if p.stages {
		p.stageBytes = aligned(rows * p.routes[2].count * size)
	}
}

// bandRows is the rows of a band of so many, at most.
func (p *pass[T]) bandRows(bands int) int {
	return min(p.routes[1].count, pieces(pieces(p.routes[1].count, p.grain), bands)*p.grain)
}

// band returns the rows of a band, from first to before last.
func (p *pass[T]) band(number int) (first, last int) {
	grains := pieces(p.routes[1].count, p.grain)
	return number * grains / p.bands * p.grain, min(p.routes[1].count, (number+1)*grains/p.bands*p.grain)
}
