package cpu

import (
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
)

// isPairs reports whether the windows are of two by two elements beside one another, all of them there.
func (w *window) isPairs() bool {
	return w.kernel == [3]int{1, 2, 2} && w.before == [3]int{} && w.stride[1] == 2 && w.stride[2] == 2 && w.dilation[1] == 1 && w.dilation[2] == 1 &&
		w.out == [3]int{w.in[0], w.in[1] / 2, w.in[2] / 2}
}

// maxPairs computes one plane of results of such windows, if they are, or those over a part of it that so many elements are before;
// if rectified, what is not above zero becomes zero, at −1. It reports whether it did.
func maxPairs[T dtype.Float](w *window, best []T, index []int32, x []T, before int, rectified bool) bool {
	to, single := any(best).([]float32)
	if !single || !w.isPairs() || len(best) == 0 {
		return false
	}
	from := any(x).([]float32)
	width, columns := w.in[2], w.out[2]
	count := assembledCount(columns)
	for depth := range w.out[0] {
		at, first := depth*w.in[1]*width, depth*w.out[1]*columns
		if count > 0 {
			rectify := int32(0)
			if rectified {
				rectify = 1
			}
			poolAssembly[features.Best].pairs(&to[first], &index[first], &from[at], count, columns, w.out[1], int32(before+at), int32(width), rectify)
		}
		if count == columns {
			continue
		}
		for row := range w.out[1] {
			for i := count; i < columns; i++ {
				place := at + 2*row*width + 2*i
				value, position := from[place], place
				for _, other := range [3]int{place + 1, place + width, place + width + 1} {
					if v := from[other]; !(v <= value) && value == value {
						value, position = v, other
					}
				}
				to[first+row*columns+i], index[first+row*columns+i] = value, int32(before+position)
			}
			if rectified {
				rectifyMaxima(to[first+row*columns:][count:columns], index[first+row*columns:][count:columns])
			}
		}
	}
	return true
}

// rectifyMaxima makes maxima that are not above zero zero, at −1.
func rectifyMaxima[T dtype.Float](best []T, index []int32) {
	for i, v := range best {
		if !(v > 0) {
			best[i], index[i] = max(v, 0), -1
		}
	}
}

// spreadPairs is spreadEach where the positions are those of windows of two by two elements beside one another. It reports
// whether they are.
func spreadPairs[T dtype.Float](dst, u []T, index []int32, shape, windows []int) bool {
	to, single := any(dst).([]float32)
	depth, height, width := shape[0], shape[1], shape[2]
	if !single || windows[0] != depth || windows[1] != height/2 || windows[2] != width/2 || len(u) == 0 {
		return false
	}
	from := any(u).([]float32)
	count := assembledCount(windows[2])
	for row := range windows[0] * windows[1] {
		at := (row/windows[1]*height + row%windows[1]*2) * width
		first := row * windows[2]
		up, positions := from[first:first+windows[2]], index[first:first+windows[2]]
		if count > 0 {
			if poolAssembly[features.Best].spread(&to[at], &up[0], &positions[0], count, int32(at), int32(width)) != 0 {
				return false
			}
		}
		for i := count; i < windows[2]; i++ {
			place := at + 2*i
			to[place], to[place+1], to[place+width], to[place+width+1] = 0, 0, 0, 0
			if p := int(positions[i]); p != place && p != place+1 && p != place+width && p != place+width+1 {
				return false
			}
			to[positions[i]] += up[i]
		}
		for i := 2 * windows[2]; i < width; i++ {
			to[at+i], to[at+width+i] = 0, 0
		}
		if height%2 == 1 && row%windows[1] == windows[1]-1 {
			clear(to[at+2*width : at+3*width])
		}
	}
	return true
}
