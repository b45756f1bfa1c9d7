package cpu

import (
	"math"
	"unsafe"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/gemm"
)

// portableRowLoops returns the loops of rowLoops in Go. Conversions keep products from being fused with sums.
func portableRowLoops[T dtype.Float](exp, power func(T) T) rowLoops[T] {
	lanes := rowLanes[T]()
	return rowLoops[T]{
		largest: func(x *T, count int) T {
			best := T(math.Inf(-1))
			for _, v := range rowOf(x, count) {
				if !(best > v) {
					best = v
				}
			}
			return best
		},
		exponentials: func(dst, x *T, count int, shift T) {
			to := rowOf(dst, count)
			for i, v := range rowOf(x, count) {
				to[i] = power(v - shift)
			}
		},
		multiply: func(dst, x *T, count int, factor T) {
			to := rowOf(dst, count)
			for i, v := range rowOf(x, count) {
				to[i] = v * factor
			}
		},
		subtract: func(dst, x *T, count int, first, second T) {
			to := rowOf(dst, count)
			for i, v := range rowOf(x, count) {
				to[i] = (v - first) - second
			}
		},
		softmaxSlope: func(dst, y, u *T, count int, total T) {
			to, up := rowOf(dst, count), rowOf(u, count)
			for i, v := range rowOf(y, count) {
				to[i] = v * (up[i] - total)
			}
		},
		logSoftmaxSlope: func(dst, y, u *T, count int, total T) {
			to, up := rowOf(dst, count), rowOf(u, count)
			for i, v := range rowOf(y, count) {
				to[i] = up[i] - T(exp(v)*total)
			}
		},
		shiftedMoments: func(x *T, count int, shift float64, sums *laneSums) {
			from := rowOf(x, count)
			inPairs(count, lanes, sums[:lanes], func(i int) float64 { return shifted(from[i], shift) })
			inPairs(count, lanes, sums[lanes:], func(i int) float64 {
				d := shifted(from[i], shift)
				return d * d
			})
		},
		products: func(x, y *T, count int, shift float64, sums *laneSums) {
			from, others := rowOf(x, count), rowOf(y, count)
			inPairs(count, lanes, sums[:lanes], func(i int) float64 { return float64(others[i]) })
			inPairs(count, lanes, sums[lanes:], func(i int) float64 { return float64(others[i]) * shifted(from[i], shift) })
		},
		scaledProducts: func(x, y, scale *T, count int, shift float64, sums *laneSums) {
			from, others, factors := rowOf(x, count), rowOf(y, count), rowOf(scale, count)
			inPairs(count, lanes, sums[:lanes], func(i int) float64 { return float64(T(others[i] * factors[i])) })
			inPairs(count, lanes, sums[lanes:], func(i int) float64 {
				return float64(T(others[i]*factors[i])) * shifted(from[i], shift)
			})
		},
		totals: func(sums *laneSums) (first, second float64) {
			first, second = laneTotal[T](sums, 0), laneTotal[T](sums, 1)
			clear(sums[:2*lanes])
			return first, second
		},
		sum: func(x *T, count int) float64 {
			from := rowOf(x, count)
			return joinedValues(count, func(i int) T { return from[i] })
		},
		dot: func(x, y *T, count int) float64 {
			from, others := rowOf(x, count), rowOf(y, count)
			return joinedProducts(count, func(i int) (x, y T) { return from[i], others[i] })
		},
		momentsFrom: func(x *T, count int, origin T) (sum, squares float64) {
			from := rowOf(x, count)
			sum = joinedValues(count, func(i int) T { return from[i] - origin })
			squares = joinedProducts(count, func(i int) (x, y T) { return from[i] - origin, from[i] - origin })
			return sum, squares
		},
		slopesFrom: func(x, u, scale *T, count int, origin T) (slopes, products float64) {
			from, up, factors := rowOf(x, count), rowOf(u, count), rowOf(scale, count)
			slopes = joinedValues(count, func(i int) T { return T(up[i] * factors[i]) })
			products = joinedProducts(count, func(i int) (x, y T) { return T(up[i] * factors[i]), from[i] - origin })
			return slopes, products
		},
		affine: func(dst, x *T, count int, p *[6]T) {
			to := rowOf(dst, count)
			for i, v := range rowOf(x, count) {
				to[i] = T((v-p[0]-p[1])*p[2]) + p[3]
			}
		},
		scaled: func(dst, x, scale *T, count int, p *[6]T) {
			to, factors := rowOf(dst, count), rowOf(scale, count)
			for i, v := range rowOf(x, count) {
				to[i] = (v - p[0] - p[1]) * p[2] * factors[i]
			}
		},
		scaledAffine: func(dst, x, scale, bias *T, count int, p *[6]T) {
			to, factors, terms := rowOf(dst, count), rowOf(scale, count), rowOf(bias, count)
			for i, v := range rowOf(x, count) {
				to[i] = T((v-p[0]-p[1])*p[2]*factors[i]) + terms[i]
			}
		},
		affineSlope: func(dst, x, u *T, count int, p *[6]T) {
			to, up := rowOf(dst, count), rowOf(u, count)
			for i, v := range rowOf(x, count) {
				to[i] = T(up[i]*p[2]) + (T((v-p[0]-p[1])*p[3]) + p[4])
			}
		},
		scaledSlope: func(dst, x, u, scale, scaleSlope, biasSlope *T, count int, p *[6]T) {
			to, up, factors := rowOf(dst, count), rowOf(u, count), rowOf(scale, count)
			scales, biases := rowOf(scaleSlope, count), rowOf(biasSlope, count)
			for i, v := range rowOf(x, count) {
				d, u := v-p[0]-p[1], up[i]*p[2]
				scales[i] = gemm.FMA(d, u, scales[i])
				biases[i] += up[i]
				to[i] = gemm.FMA(u, factors[i], gemm.FMA(d, p[3], p[4]))
			}
		},
		updateLoops:    portableUpdateLoops[T](),
		recurrentLoops: portableRecurrentLoops[T](),
	}
}

// inPairs adds the values of elements to their lanes, those of two steps joined as long as there are two.
func inPairs(count, lanes int, sums []float64, value func(i int) float64) {
	i := 0
	for ; i+2*lanes <= count; i += 2 * lanes {
		for j := range lanes {
			sums[j] += float64(value(i+j)) + float64(value(i+j+lanes))
		}
	}
	for ; i < count; i++ {
		sums[i%lanes] += float64(value(i))
	}
}

// joinedValues returns the sum of the values of elements: those of one half of the steps that join are added to those
// of the other, and so on.
func joinedValues[T dtype.Float](count int, value func(i int) T) float64 {
	lanes := rowLanes[T]()
	var join func(i, steps int) T
	join = func(i, steps int) T {
		if steps == 1 {
			return value(i)
		}
		return join(i, steps/2) + join(i+steps/2*lanes, steps/2)
	}
	return joined(count, join)
}

// joinedProducts returns the sum of the products of pairs of elements: those of four steps that join are fused, one after the other.
func joinedProducts[T dtype.Float](count int, pair func(i int) (x, y T)) float64 {
	lanes := rowLanes[T]()
	return joined(count, func(i, steps int) T {
		var chains [2]T
		for step := range steps {
			x, y := pair(i + step*lanes)
			if step%4 == 0 {
				chains[step/4] = T(x * y)
			} else {
				chains[step/4] = gemm.FMA(x, y, chains[step/4])
			}
		}
		if steps > 4 {
			return chains[0] + chains[1]
		}
		return chains[0]
	})
}

// joined returns the sum of what join gives for so many steps from element i on: eight as long as there are as many, of
// the rest four, two and one.
func joined[T dtype.Float](count int, join func(i, steps int) T) float64 {
	var sums laneSums
	i, lanes := 0, rowLanes[T]()
	for steps := 8; steps > 0; steps /= 2 {
		for ; i+steps*lanes <= count; i += steps * lanes {
			for j := range lanes {
				sums[j] += float64(join(i+j, steps))
			}
		}
	}
	for ; i < count; i++ {
		sums[i%lanes] += float64(join(i, 1))
	}
	return laneTotal[T](&sums, 0)
}

func rowOf[T dtype.Float](p *T, count int) []T { return slice[T](unsafe.Pointer(p), count) }

// shifted returns float64 elements less shift, and float32 elements as they are.
func shifted[T dtype.Float](v T, shift float64) float64 {
	if rowLanes[T]() == 16 {
		return float64(v)
	}
	return float64(v) - shift
}
