package convolution

import "unsafe"

// dots is the argument of a kernel of dot products, which adds for each filter and tap the sum over rows of the products of a line of
// G, one for each filter, with one of X, one for each tap, to what is there: zero at first. Of X is read what is behind the elements of
// a row, up to a block's end. A sum is a vector of 64 bytes for all instruction sets, of which each element
// sums what is so far behind the beginning of a block of as many: a row has some blocks, and of the last one some elements alone.
// The generator of the kernels knows its layout.
type dots struct {
	rows, blocks int
	x            [dotTaps]unsafe.Pointer
	xSkip        int // bytes from the end of a row's blocks to its next
	g            unsafe.Pointer
	gStep, gSkip int // bytes from one filter to the next, and from the end of a row's blocks to its next
	sums         unsafe.Pointer
	sumStep      int      // bytes from one filter's sums to the next's; a tap's are behind the sum of the one before
	start        int      // of the part of blocks that is computed, in bytes: AVX2 has two, one after the other
	bits         uint64   // the elements that there are of this in the last block: for AVX-512,
	mask         [32]byte // and for AVX2
}

const (
	dotBytes   = 64 // of a block
	dotTaps    = 9  // of the largest tile
	dotFewTaps = 3  // of the smallest one
	dotFilters = 3  // of the largest one; the smallest has one
)

// dotTile returns the largest tile that is not larger than so many filters and taps, which are a multiple of dotFewTaps.
func (f *family[T]) dotTile(filters, taps int) (int, int) {
	rows, columns := 1, dotFewTaps
	if filters >= dotFilters {
		rows = dotFilters
	}
	if isPortable := f.dots[0][0] == nil; taps >= dotTaps && (isPortable || f.dots[rows/dotFilters][1] != nil) {
		columns = dotTaps
	}
	return rows, columns
}

// multiplyDots computes a tile. Of the last block of a row there are so many elements.
func (f *family[T]) multiplyDots(d *dots, filters, taps, last int) {
	size, wide := sizeOf[T](), dotBytes/sizeOf[T]()
	run := f.dots[filters/dotFilters][taps/dotTaps]
	if run == nil {
		dotsPortable[T](d, filters, taps, last)
		return
	}
	rows := d.rows
	for lane := 0; lane < wide; lane += f.lanes {
		there := min(f.lanes, max(0, last-lane))
		d.bits = 1<<there - 1
		if f.lanes < wide {
			clear(d.mask[there*size:])
			for i := range there * size {
				d.mask[i] = 0xff
			}
		}
		d.rows = rows
		d.start = lane * size
		run((*byte)(unsafe.Pointer(d)))
	}
	d.rows = rows
}

// addDots writes the totals of count sums, whose elements are added by halves. There is memory for whole vectors of totals, and of
// sums; temporary is one more vector for each of its elements.
func (f *family[T]) addDots(totals, sums, temporary unsafe.Pointer, count int) {
	size, wide := sizeOf[T](), dotBytes/sizeOf[T]()
	if f.turn == nil {
		for i := range count {
			sum := unsafe.Slice((*T)(unsafe.Add(sums, i*dotBytes)), wide)
			for half := wide / 2; half > 0; half /= 2 {
				for j := range half {
					sum[j] += sum[half+j]
				}
			}
			*(*T)(unsafe.Add(totals, i*size)) = sum[0]
		}
		return
	}
	vector := f.lanes * size
	for i := 0; i < count; i += f.lanes {
		f.turn((*byte)(temporary), (*byte)(unsafe.Add(sums, i*dotBytes)), vector, dotBytes, wide/f.lanes)
		for half := wide / 2; half > 0; half /= 2 {
			mergeLines(f, lines{temporary, 0, size}, lines{unsafe.Add(temporary, half*vector), 0, size}, half*f.lanes, 1)
		}
		copy(unsafe.Slice((*T)(unsafe.Add(totals, i*size)), f.lanes), unsafe.Slice((*T)(temporary), f.lanes))
	}
}
