package convolution

import "unsafe"

// weightRows writes rows of sums, one for each tap of a channel, in which filters are adjacent, to the weights.
type weightRows[T Float] struct {
	family         *family[T]
	shape          *Shape
	weights        Tensor
	first, filters int   // of a group
	pitch          int   // elements from a row to the next
	places         []int // of the taps, in elements behind the first
	dense          bool  // these and those of the next channel are adjacent
}

// newWeightRows returns what writes rows of all filters.
func newWeightRows[T Float](f *family[T], s *Shape, weights *Tensor, pitch int) weightRows[T] {
	w := weightRows[T]{family: f, shape: s, weights: *weights, filters: s.Filters, pitch: pitch}
	w.places, w.dense = s.places(weights)
	return w
}

// put writes the weights of the filters for a channel and tap, counted by all groups, or for a vector of these if there
// are as many rows of sums and a group's weights of a filter are dense. It returns how many it has written.
func (w *weightRows[T]) put(sums unsafe.Pointer, number, rows int) int {
	s, f, size := w.shape, w.family, sizeOf[T]()
	strides, taps := &w.weights.Strides, len(w.places)
	tap, channel := number%taps, number/taps
	at := (channel/s.Channels*s.Filters+w.first)*strides[0] + channel%s.Channels*strides[1] + w.places[tap]
	dst := unsafe.Add(w.weights.Start, at*size)
	whole := 0 // filters that are written by vectors of taps
	if w.dense && f.turn != nil && rows >= f.lanes && number%(s.Channels*taps)+f.lanes <= s.Channels*taps {
		rows, whole = f.lanes, w.filters/f.lanes*f.lanes
		if whole > 0 {
			f.turn((*byte)(dst), (*byte)(sums), strides[0]*size, w.pitch*size, whole/f.lanes)
		}
	} else {
		rows = 1
	}
	for filter := whole; filter < w.filters; filter++ {
		for row := range rows {
			*(*T)(unsafe.Add(dst, (filter*strides[0]+row)*size)) = *(*T)(unsafe.Add(sums, (row*w.pitch+filter)*size))
		}
	}
	return rows
}

// places returns how many elements each tap of a filter is behind the first, and whether these and those of the next channel are adjacent.
func (s *Shape) places(weights *Tensor) (all []int, dense bool) {
	all, dense = make([]int, 0, s.taps()), s.Channels == 1 || weights.Strides[1] == s.taps()
	for i := range s.Axes[0].Kernel {
		for j := range s.Axes[1].Kernel {
			for k := range s.Axes[2].Kernel {
				place := i*weights.Strides[2] + j*weights.Strides[3] + k*weights.Strides[4]
				dense = dense && place == len(all)
				all = append(all, place)
			}
		}
	}
	return all, dense
}
