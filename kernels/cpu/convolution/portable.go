package convolution

import (
	"math/bits"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
)

// sumPortable is what the kernels of sums do, bit for bit.
func sumPortable[T Float](t *tile, rows, columns int) {
	steps := unsafe.Slice((*step)(t.steps), t.depth)
	sums := make([]T, columns)
	for i := range rows {
		clear(sums)
		a := unsafe.Add(t.a, i*t.aRow)
		for _, s := range steps {
			gemm.AddScaled(sums, unsafe.Slice((*T)(unsafe.Add(t.b, s.b)), columns), *(*T)(unsafe.Add(a, s.a)))
		}
		put(unsafe.Add(t.c, i*t.cRow), sums, t.adds != 0)
	}
}

// patchPortable is what the kernels of patches do, bit for bit.
func patchPortable[T Float](p *patch, rows, columns int) {
	size := sizeOf[T]()
	sums := make([]T, columns)
	for i := range rows {
		clear(sums)
		y, x := 0, 0
		for range p.rows {
			for range p.columns {
				gemm.AddScaled(sums, unsafe.Slice((*T)(unsafe.Add(p.y, y)), columns), *(*T)(unsafe.Add(p.x[i], x)))
				x, y = x+size, y+columns*size
			}
			x += p.skip
		}
		put(unsafe.Add(p.c, i*p.cRow), sums, p.adds != 0)
	}
}

// dotsPortable is what the kernels of dots do, bit for bit.
func dotsPortable[T Float](d *dots, filters, taps, last int) {
	wide := dotBytes / sizeOf[T]()
	var sums [dotBytes / 4]T
	for filter := range filters {
		for tap := range taps {
			clear(sums[:])
			g, x := filter*d.gStep, 0
			for range d.rows {
				for block := range d.blocks {
					there := wide
					if block == d.blocks-1 {
						there = last
					}
					factors := unsafe.Slice((*T)(unsafe.Add(d.x[tap], x)), there)
					for i, v := range unsafe.Slice((*T)(unsafe.Add(d.g, g)), there) {
						sums[i] = gemm.FMA(v, factors[i], sums[i])
					}
					g, x = g+dotBytes, x+dotBytes
				}
				g, x = g+d.gSkip, x+d.xSkip
			}
			put(unsafe.Add(d.sums, filter*d.sumStep+tap*dotBytes), sums[:wide], true)
		}
	}
}

// stripPortable is what the kernels of strips do, bit for bit.
func stripPortable[T Float](s *strip, lanes int) {
	size := sizeOf[T]()
	weights := (*[9]T)(unsafe.Pointer(&s.weights))
	for y := range s.count - 2 {
		dst := unsafe.Add(s.dst, y*s.dstStep)
		for lane := range lanes {
			if s.bits[3]>>lane&1 == 0 {
				continue
			}
			var sum T
			for i, weight := range weights {
				var v T
				row := s.row + (y+i/3)*s.rowStep
				if row >= 0 && row < s.limit && s.bits[i%3]>>lane&1 != 0 {
					v = *(*T)(unsafe.Add(s.src, s.offset+(y+i/3)*s.forward+s.shifts[i%3]+lane*size))
				}
				sum = gemm.FMA(weight, v, sum)
			}
			*(*T)(unsafe.Add(dst, lane*size)) = sum
		}
	}
}

// stripGradientPortable is what the kernels of gradients of strips do, bit for bit.
func stripGradientPortable[T Float](s *strip, lanes int) {
	size := sizeOf[T]()
	for y := range s.count - 2 {
		for lane := range lanes {
			if s.bits[3]>>lane&1 == 0 {
				continue
			}
			g := *(*T)(unsafe.Add(s.dst, y*s.dstStep+lane*size))
			for i := range 9 {
				var v T
				if row := s.row + y + i/3; row >= 0 && row < s.limit && s.bits[i%3]>>lane&1 != 0 {
					v = *(*T)(unsafe.Add(s.src, s.offset+(y+i/3)*s.forward+s.shifts[i%3]+lane*size))
				}
				sum := (*T)(unsafe.Add(s.sums, i*dotBytes+lane*size))
				*sum = gemm.FMA(v, g, *sum)
			}
		}
	}
}

// inputPortable is what the kernels of the transform of data do, bit for bit.
func inputPortable[T Float](t *tiling, lanes int) {
	size := sizeOf[T]()
	for number := range t.count * lanes {
		var d [4][4]T
		for i := range d {
			for j := range d[i] {
				d[i][j] = *(*T)(unsafe.Add(t.src, i*t.row+(2*number+j)*size))
			}
		}
		var half [4][4]T
		for j := range 4 {
			half[0][j], half[1][j], half[2][j], half[3][j] = d[0][j]-d[2][j], d[1][j]+d[2][j], d[2][j]-d[1][j], d[1][j]-d[3][j]
		}
		for i, h := range half {
			for j, v := range [4]T{h[0] - h[2], h[1] + h[2], h[2] - h[1], h[1] - h[3]} {
				*(*T)(unsafe.Add(t.dst, (4*i+j)*t.step+number*size)) = v
			}
		}
	}
}

// outputPortable is what the kernels of the transform of products do, bit for bit.
func outputPortable[T Float](t *tiling, lanes int) {
	size := sizeOf[T]()
	for number := range t.count * lanes {
		var half [4][2]T
		for i := range half {
			var m [4]T
			for j := range m {
				m[j] = *(*T)(unsafe.Add(t.src, (4*i+j)*t.step+number*size))
			}
			half[i] = [2]T{m[0] + m[1] + m[2], m[1] - m[2] - m[3]}
		}
		for j := range 2 {
			dst := unsafe.Add(t.dst, (2*number+j)*size)
			*(*T)(dst) = half[0][j] + half[1][j] + half[2][j]
			*(*T)(unsafe.Add(dst, t.row)) = half[1][j] - half[2][j] - half[3][j]
		}
	}
}

// gradientPortable is what the kernels of the transform of the result's gradient do, bit for bit.
func gradientPortable[T Float](t *tiling, lanes int) {
	size := sizeOf[T]()
	for number := range t.count {
		for lane := range lanes {
			var g [2][2]T
			for i := range g {
				for j := range g[i] {
					g[i][j] = *(*T)(unsafe.Add(t.src, i*t.row+(2*number+j)*t.phase+lane*size))
				}
			}
			half := [4][2]T{g[0], {g[0][0] + g[1][0], g[0][1] + g[1][1]}, {g[0][0] - g[1][0], g[0][1] - g[1][1]}, g[1]}
			for i, h := range half {
				for j, v := range [4]T{h[0], h[0] + h[1], h[0] - h[1], h[1]} {
					*(*T)(unsafe.Add(t.dst, (4*i+j)*t.step+number*t.phase+lane*size)) = v
				}
			}
		}
	}
}

// weightsPortable is what the kernels of the transform of sums to weights do, bit for bit.
func weightsPortable[T Float](t *tiling, lanes int) {
	size := sizeOf[T]()
	transform := func(m [4]T) [3]T {
		sum, difference := T((m[1]+m[2])/2), T((m[1]-m[2])/2) // alike on all processors: not fused
		return [3]T{m[0] + sum, difference, sum - m[3]}
	}
	for number := range t.count * lanes {
		var half [3][4]T
		for i := range 4 {
			var m [4]T
			for j := range m {
				m[j] = *(*T)(unsafe.Add(t.src, (4*i+j)*t.step+number*size))
			}
			for j, v := range transform(m) {
				half[j][i] = v
			}
		}
		for j, h := range half {
			for i, v := range transform(h) {
				*(*T)(unsafe.Add(t.dst, (3*i+j)*t.row+number*size)) = v
			}
		}
	}
}

// put writes sums to dst, or adds them.
func put[T Float](dst unsafe.Pointer, sums []T, adds bool) {
	to := unsafe.Slice((*T)(dst), len(sums))
	if !adds {
		copy(to, sums)
		return
	}
	for j, sum := range sums {
		to[j] += sum
	}
}

// foldPortable is what the kernels of folds do, bit for bit.
func foldPortable[T Float](a *fold, lanes int) {
	for channel := range 2 {
		sums := unsafe.Slice((*T)(unsafe.Add(a.dst, channel*a.dstStep)), lanes)
		clear(sums)
		for row := range a.rows {
			src := unsafe.Add(a.src, channel*a.srcStep+row*a.rowStep)
			for _, column := range unsafe.Slice((*foldedColumn)(a.columns), a.count) {
				for left := column.bits; left != 0; left &= left - 1 {
					lane := bits.TrailingZeros64(left)
					sums[lane] += *(*T)(unsafe.Add(src, column.offset+lane*sizeOf[T]()))
				}
			}
		}
	}
}
