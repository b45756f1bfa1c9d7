package convolution

import "unsafe"

// turnedBand is a band of the result's gradient that is transposed, so that filters are adjacent: of so many rows and
// columns, to which zeros are added up to height and breadth.
type turnedBand struct {
	rows, columns   int
	height, breadth int
	pitch           int // elements of a line of the stage: all, rounded up to whole vectors of any instruction set
}

// turnBlock transposes a band of filters, the first of which is at src, to width vectors of filters of one pixel after
// those of the other. Of filters that are not there, those behind so many, vectors have zeros, which the stage has
// already unless cleans.
func (f *family[T]) turnBlock(b *turnedBand, dst, src, stage unsafe.Pointer, strides *[5]int, filters, width int, cleans bool) {
	size := sizeOf[T]()
	pixels := b.height * b.breadth
	padded := roundUp(pixels, f.lanes)
	isFlat := padded == b.rows*b.columns && strides[3] == b.columns && strides[4] == 1 // Whole vectors of adjacent elements: there is no need to stage.
	staged := unsafe.Slice((*T)(stage), f.lanes*b.pitch)
	for vector := range width {
		filter := vector * f.lanes
		to := unsafe.Add(dst, filter*size)
		if f.turn != nil && isFlat && filter+f.lanes <= filters {
			f.turn((*byte)(to), (*byte)(unsafe.Add(src, filter*strides[1]*size)), width*f.lanes*size, strides[1]*size, padded/f.lanes)
			continue
		}
		there := min(f.lanes, max(0, filters-filter))
		if cleans {
			clear(staged[there*b.pitch:])
		}
		for i := range there {
			line := staged[i*b.pitch : i*b.pitch+padded]
			if pixels > b.rows*b.columns {
				clear(line)
			} else {
				clear(line[pixels:])
			}
			from := lines{unsafe.Add(src, (filter+i)*strides[1]*size), strides[3] * size, strides[4] * size}
			copyLines(f, lines{unsafe.Pointer(unsafe.SliceData(line)), b.breadth * size, size}, from, b.columns, b.rows)
		}
		if f.turn != nil {
			f.turn((*byte)(to), (*byte)(stage), width*f.lanes*size, b.pitch*size, padded/f.lanes)
			continue
		}
		for pixel := range pixels {
			line := unsafe.Slice((*T)(unsafe.Add(to, pixel*width*f.lanes*size)), f.lanes)
			for i := range line {
				line[i] = staged[i*b.pitch+pixel]
			}
		}
	}
}
