package factor

import (
	"sync"

	"github.com/weft-nd/weft/kernels/cpu/gemm"
	"github.com/weft-nd/weft/parallel"
)

// multiplyComplex is multiply for complex matrices, as a product of real ones: a row of a is one of twice as many real
// numbers, and so is one of c if each row of b stands for two: itself, and the imaginary unit times it, which meet the
// real and the imaginary part of an element of a. Rows or columns of c are contiguous.
func multiplyComplex[T gemm.Float](t *parallel.Thread, rows, columns, terms int, alpha, beta T, a, b, c view[T]) {
	if c.column != 2 {
		rows, columns, a, b, c = columns, rows, b.transposed(), a.transposed(), c.transposed()
	}
	memory := takeMemory[T](4 * terms * columns)
	t.ForCost(terms, float64(2*columns), func(_ *parallel.Thread, lo, hi int) {
		for l := lo; l < hi; l++ {
			line := (*memory)[4*l*columns:][:4*columns]
			spread(line[:2*columns], line[2*columns:], b.elements[l*b.row:], b.column, b.sign(), a.sign())
		}
	})
	itself := gemm.Matrix{Start: pointer(*memory), RowStride: 2 * columns, ColumnStride: 1}
	p := gemm.Product[T]{M: rows, N: 2 * columns, K: 2 * terms, Alpha: alpha, Beta: beta, A: a.matrix(), B: itself, C: c.matrix()}
	p.A.ColumnStride, p.C.ColumnStride = 1, 1
	if a.column != 2 { // the parts of a one after the other
		p.K, p.A, p.B.RowStride = terms, a.matrix(), 4*columns
		p.Run(t, nil)
		p.Beta, p.A.Start, p.B.Start = 1, pointer(a.elements[1:]), pointer((*memory)[2*columns:])
	}
	p.Run(t, nil)
	poolOf[T](&memories32, &memories64).Put(memory)
}

// spread writes a row, whose elements are step apart and whose imaginary parts count times sign, and the imaginary unit, times turn, times it.
func spread[T gemm.Float](itself, turned, row []T, step int, sign, turn T) {
	turned = turned[:len(itself)]
	for j := 0; j+1 < len(itself); j += 2 {
		re, im := row[j/2*step], sign*row[j/2*step+1]
		itself[j], itself[j+1] = re, im
		turned[j], turned[j+1] = -turn*im, turn*re
	}
}

var memories32, memories64 sync.Pool

// takeMemory returns so many numbers with any values.
func takeMemory[T gemm.Float](count int) *[]T {
	memory, ok := poolOf[T](&memories32, &memories64).Get().(*[]T)
	if !ok {
		memory = new([]T)
	}
	if cap(*memory) < count {
		*memory = make([]T, count)
	}
	*memory = (*memory)[:count]
	return memory
}

// pairs are complex numbers as their parts, apart, so that loops on real numbers serve.
type pairs[T gemm.Float] struct{ re, im []T }

func (x pairs[T]) part(lo, hi int) pairs[T] { return pairs[T]{x.re[lo:hi], x.im[lo:hi]} }

func (x pairs[T]) at(i int) [2]T { return [2]T{x.re[i], x.im[i]} }

// read sets x to numbers step apart.
func (x pairs[T]) read(numbers []T, step int) {
	im := x.im[:len(x.re)]
	for i := range x.re {
		x.re[i], im[i] = numbers[i*step], numbers[i*step+1]
	}
}

// write is read the other way.
func (x pairs[T]) write(numbers []T, step int) {
	im := x.im[:len(x.re)]
	for i, v := range x.re {
		numbers[i*step], numbers[i*step+1] = v, im[i]
	}
}

// takeOff computes x −= f·r.
func (x pairs[T]) takeOff(r pairs[T], f [2]T) {
	takeOffTwo(x.re, r.re, r.im, f[0], -f[1])
	takeOffTwo(x.im, r.re, r.im, f[1], f[0])
}

// takeOffBoth computes x −= f·r + g·s.
func (x pairs[T]) takeOffBoth(r, s pairs[T], f, g [2]T) {
	takeOffFour(x.re, r.re, r.im, s.re, s.im, f[0], -f[1], g[0], -g[1])
	takeOffFour(x.im, r.re, r.im, s.re, s.im, f[1], f[0], g[1], g[0])
}

// dot returns the sum of the products of the numbers conjugate to x and those of y.
func (x pairs[T]) dot(y pairs[T]) [2]T {
	return [2]T{dot(x.re, y.re) + dot(x.im, y.im), dot(x.re, y.im) - dot(x.im, y.re)}
}

// scale computes x *= f.
func (x pairs[T]) scale(f [2]T) {
	im := x.im[:len(x.re)]
	for i, v := range x.re {
		x.re[i], im[i] = T(v*f[0])-T(im[i]*f[1]), T(v*f[1])+T(im[i]*f[0])
	}
}

// divide computes x /= f, by the inverse of f if that is finite.
func (x pairs[T]) divide(f [2]T) {
	if inverse := quotient([2]T{1, 0}, f); inverse[0]-inverse[0] == 0 && inverse[1]-inverse[1] == 0 {
		x.scale(inverse)
		return
	}
	for i := range x.re {
		q := quotient(x.at(i), f)
		x.re[i], x.im[i] = q[0], q[1]
	}
}

func product[T gemm.Float](a, b [2]T) [2]T {
	return [2]T{T(a[0]*b[0]) - T(a[1]*b[1]), T(a[0]*b[1]) + T(a[1]*b[0])}
}

// quotient divides numbers that are scaled to be near one.
func quotient[T gemm.Float](a, b [2]T) [2]T {
	scaleA, scaleB := scaleOf(a[:]), scaleOf(b[:])
	x, y, u, v := float64(a[0])*scaleA, float64(a[1])*scaleA, float64(b[0])*scaleB, float64(b[1])*scaleB
	size, back := float64(u*u)+float64(v*v), scaleB/scaleA
	re, im := (float64(x*u)+float64(y*v))/size, (float64(y*u)-float64(x*v))/size
	return [2]T{T(re * back), T(im * back)}
}
