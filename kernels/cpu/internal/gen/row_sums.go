package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums are float64 sums over a row, one for each lane, in memory before and after the loop.
type sums struct {
	row
	address reg.Register
	totals  [][]vector // of each sum
}

// sums loads as many sums as there are.
func (r row) sums(count int) *sums {
	s := &sums{row: r, address: r.Load(r.Param("sums"), r.GP64())}
	for i := range count {
		totals := []vector{}
		for j := range r.lanes() * 8 / r.bytes() {
			totals = append(totals, r.load(s.address, (i*r.lanes()*8)+j*r.bytes()))
		}
		s.totals = append(s.totals, totals)
	}
	return s
}

func (s *sums) store() {
	for i, totals := range s.totals {
		for j, v := range totals {
			s.assembler.store(v, s.address, (i*s.lanes()*8)+j*s.bytes())
		}
	}
}

// widened returns the elements of v as float64.
func (r row) widened(v vector) []vector {
	if r.double {
		return []vector{v}
	}
	high, low, up := r.half(), r.vector(), r.vector()
	if r.wide {
		r.VCVTPS2PD(v.AsY(), low)
		r.VEXTRACTF64X4(operand.U8(1), v, high)
	} else {
		r.VCVTPS2PD(v.AsX(), low)
		r.VEXTRACTF128(operand.U8(1), v, high)
	}
	r.VCVTPS2PD(high, up)
	return []vector{low, up}
}

// add adds the elements of all vectors of a step to sum i.
func (s *sums) add(i int, all []vector) {
	at := 0
	for _, v := range all {
		for _, wide := range s.widened(v) {
			s.addTo(i, at, wide)
			at++
		}
	}
}

var rowSums = []rowLoop{
	{"shiftedMoments", "x *E, count int, shift float64, sums *[32]float64", "adds elements, and their squares, to sums", func(r row) {
		totals, shift := r.sums(2), r.shift()
		totals.overPairs(0, []string{"x"}, func(s rowStep, i int) (y, x []vector) {
			x = s.shifted(i, shift)
			return x, x
		})
	}},
	{"products", "x, y *E, count int, shift float64, sums *[32]float64", "adds elements of y, and their products with those of x, to sums", func(r row) {
		totals, shift := r.sums(2), r.shift()
		totals.overPairs(0, []string{"x", "y"}, func(s rowStep, i int) (y, x []vector) {
			return s.widened(s.loadAt("y", i)), s.shifted(i, shift)
		})
	}},
	{"scaledProducts", "x, y, scale *E, count int, shift float64, sums *[32]float64", "is products for y times scale", func(r row) {
		totals, shift := r.sums(2), r.shift()
		totals.overPairs(0, []string{"x", "y", "scale"}, func(s rowStep, i int) (y, x []vector) {
			return s.widened(s.multiply(s.loadAt("y", i), s.loadAt("scale", i))), s.shifted(i, shift)
		})
	}},
	{"dot", "x, y *E, count int, sums *[32]float64", "adds products of elements of x and y to sum 0", func(r row) {
		totals := r.sums(1)
		totals.overPairs(-1, []string{"x", "y"}, func(s rowStep, i int) (y, x []vector) {
			return s.widened(s.loadAt("y", i)), s.widened(s.loadAt("x", i))
		})
	}},
}

// overPairs adds y to the first sum, unless that is negative, and the products of y and x to the next, for all vectors. What two
// steps give is joined before it is added, so that sums wait for one another half as often.
func (s *sums) overPairs(first int, names []string, operands func(s rowStep, i int) (y, x []vector)) {
	s.pairs(names, func(steps ...rowStep) {
		for i := range s.vectors() {
			y, x := operands(steps[0], i)
			products := []vector{}
			for j := range y {
				at := i*len(y) + j
				if len(steps) == 1 {
					s.addTo(first, at, y[j])
					s.addProduct(first+1, at, x[j], y[j])
				} else {
					products = append(products, s.doubles().multiply(x[j], y[j]))
				}
			}
			if len(steps) == 1 {
				continue
			}
			moreY, moreX := operands(steps[1], i)
			for j := range products {
				at := i*len(products) + j
				if s.double {
					s.addTo(first+1, at, s.doubles().add(products[j], s.multiply(moreX[j], moreY[j])))
				} else {
					s.VFMADD231PD(moreX[j], moreY[j], products[j])
					s.addTo(first+1, at, products[j])
				}
				if first >= 0 {
					s.addTo(first, at, s.doubles().add(y[j], moreY[j]))
				}
			}
		}
	})
	s.store()
	s.end()
}

func (s *sums) addTo(i, at int, v vector) {
	if i >= 0 {
		s.VADDPD(v, s.totals[i][at], s.totals[i][at])
	}
}

// addProduct adds a product of float64 elements. Those of numbers that were float32 are exact: it does not matter that
// they are fused.
func (s *sums) addProduct(i, at int, x, y vector) {
	if s.double {
		s.addTo(i, at, s.multiply(x, y))
	} else {
		s.VFMADD231PD(x, y, s.totals[i][at])
	}
}

// doubles is an assembler of the same width for float64.
func (r row) doubles() *assembler {
	a := *r.assembler
	a.double = true
	return &a
}

// shift returns what shifted subtracts.
func (r row) shift() (shift vector) {
	if r.double {
		shift = r.parameter("shift")
	}
	return shift
}

// shifted returns vector i of x as float64, less shift where elements are there; float32 elements are not shifted.
func (s rowStep) shifted(i int, shift vector) []vector {
	x := s.loadAt("x", i)
	if s.double {
		x = s.orZero(i, s.subtract(x, shift))
	}
	return s.widened(x)
}
