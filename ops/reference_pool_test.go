package ops

import (
	"math"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

// eachWindow calls body for each window of a pooling of an array of the given shape, with its number, the numbers of its
// elements in row-major order, and how many places the average counts.
func eachWindow(shape []int, p PoolParams, body func(number int, elements []int, count int)) {
	c := &Call{Params: p}
	rank := len(p.Kernel)
	eachIndex(inferPool(c, shape), func(number int, index []int) {
		elements, count := []int{}, 0
		eachIndex(p.Kernel, func(_ int, place []int) {
			at, inside, counts := append([]int{}, index...), true, true
			for i := range rank {
				_, stride, dilation, before, after := p.axis(i, rank)
				at[i+2] = index[i+2]*stride - before + place[i]*dilation
				inside = inside && at[i+2] >= 0 && at[i+2] < shape[i+2]
				counts = counts && at[i+2] < shape[i+2]+after
			}
			if inside {
				elements = append(elements, array{shape: shape}.number(at))
			}
			if inside || counts && p.CountPadding {
				count++
			}
		})
		body(number, elements, count)
	})
}

func referenceMaxPool(in []array, params any) []array {
	x, p := in[0], params.(PoolParams)
	shape := inferPool(&Call{Params: p}, x.shape)
	y, positions := newArray(x.dtype, shape), newArray(dtype.Int32, shape)
	plane := storage.Count(x.shape[2:])
	eachWindow(x.shape, p, func(number int, elements []int, _ int) {
		y.values[number], positions.values[number] = math.Inf(-1), -1
		for i, element := range elements {
			if v := x.values[element]; i == 0 || v > y.values[number] || v != v && y.values[number] == y.values[number] {
				y.values[number], positions.values[number] = v, float64(element%plane)
			}
		}
	})
	return []array{y, positions}
}

func referenceAveragePool(in []array, params any) []array {
	x, p := in[0], params.(PoolParams)
	y := newArray(x.dtype, inferPool(&Call{Params: p}, x.shape))
	y.scale = make([]float64, len(y.values))
	eachWindow(x.shape, p, func(number int, elements []int, count int) {
		for _, element := range elements {
			y.values[number] += x.values[element] / float64(count)
			y.scale[number] += math.Abs(x.values[element]) / float64(count)
		}
	})
	return []array{y}
}

func referenceAveragePoolGradient(in []array, params any) []array {
	u, p := in[0], params.(PoolParams)
	dx := newArray(u.dtype, p.Shape)
	dx.scale = make([]float64, len(dx.values))
	eachWindow(p.Shape, p, func(number int, elements []int, count int) {
		for _, element := range elements {
			dx.values[element] += u.values[number] / float64(count)
			dx.scale[element] += math.Abs(u.values[number]) / float64(count)
		}
	})
	return []array{dx}
}

func referenceMaxPoolGradient(in []array, params any) []array {
	u, shape := in[0], params.(PlaneParams).Shape
	dx := newArray(u.dtype, shape)
	from, to := storage.Count(u.shape[2:]), storage.Count(shape[2:])
	for i, v := range u.values {
		if at := int(in[1].values[i]); at >= 0 {
			dx.values[i/from*to+at] += v
		}
	}
	return []array{dx}
}

func referenceMaxPoolSelect(in []array, _ any) []array {
	x := in[0]
	y := newArray(x.dtype, in[1].shape)
	from, to := storage.Count(x.shape[2:]), storage.Count(y.shape[2:])
	for i := range y.values {
		if at := int(in[1].values[i]); at >= 0 {
			y.values[i] = x.values[i/to*from+at]
		}
	}
	return []array{y}
}
