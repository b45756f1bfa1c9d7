package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// sums are float64 sums over a row, one for each lane.
type sums struct {
	row
	address reg.Register // where they are before and after the loop; nil if they begin with zeros, and their totals are results
	totals  [][]vector   // of each sum
	one     vector
}

// sums loads so many sums from where a parameter points to.
func (r row) sums(name string, count int) *sums {
	s := &sums{row: r, address: r.asm.Load(r.asm.Param(name), r.asm.GP64())}
	for i := range count {
		totals := []vector{}
		for j := range r.lanes() * 8 / r.asm.bytes() {
			totals = append(totals, r.asm.load(s.address, (i*r.lanes()*8)+j*r.asm.bytes()))
		}
		s.totals = append(s.totals, totals)
	}
	s.one = r.doubles().spreadOne()
	return s
}

// spreadOne returns a vector of ones, or nil where there are few registers, as without AVX-512. To add by way of a
// product with one gives the same bits, and work to units that do nothing but products, while those for sums widen
// elements, too.
func (a *assembler) spreadOne() vector {
	if !a.wide {
		return nil
	}
	if a.double {
		return a.spread(a.bits(math.Float64bits(1)))
	}
	return a.spread(a.bits(uint64(math.Float32bits(1))))
}

// zeroSums returns so many sums of nothing.
func (r row) zeroSums(count int) *sums {
	return &sums{row: r, totals: r.asm.zeros(count, r.lanes()*8/r.asm.bytes()), one: r.doubles().spreadOne()}
}

// results returns the totals of the sums from the function: the lanes of one half join those of the other, and so on.
func (s *sums) results() {
	totals := []reg.Register{}
	for _, lanes := range s.totals {
		totals = append(totals, row{s.doubles()}.across(lanes, s.asm.VADDPD))
	}
	s.asm.VZEROUPPER()
	for i, total := range totals {
		s.asm.Store(total, s.asm.ReturnIndex(i))
	}
	s.asm.RET()
}

func (s *sums) store() {
	for i, totals := range s.totals {
		for j, v := range totals {
			s.asm.store(v, s.address, (i*s.lanes()*8)+j*s.asm.bytes())
		}
	}
}

// widened returns the elements of v as float64.
func (r row) widened(v vector) []vector {
	if r.asm.double {
		return []vector{v}
	}
	high, low, up := r.asm.half(), r.asm.vector(), r.asm.vector()
	if r.asm.wide {
		r.asm.VCVTPS2PD(v.AsY(), low)
		r.asm.VEXTRACTF64X4(operand.U8(1), v, high)
	} else {
		r.asm.VCVTPS2PD(v.AsX(), low)
		r.asm.VEXTRACTF128(operand.U8(1), v, high)
	}
	r.asm.VCVTPS2PD(high, up)
	return []vector{low, up}
}

// doubled returns the elements of a vector in memory as float64: there they need no shuffles.
func (r row) doubled(lower operand.Mem) []vector {
	if r.asm.double {
		return []vector{r.asm.loadFrom(lower)}
	}
	low, up, upper := r.asm.vector(), r.asm.vector(), lower
	upper.Disp += r.asm.bytes() / 2
	r.asm.VCVTPS2PD(lower, low)
	r.asm.VCVTPS2PD(upper, up)
	return []vector{low, up}
}

// widenedAt returns vector i of an operand as float64.
func (s rowStep) widenedAt(name string, i int) []vector {
	if s.masks != nil {
		return s.widened(s.loadAt(name, i))
	}
	return s.doubled(s.place(name, i))
}

// add adds vector i of a step, as float64, to a sum.
func (s *sums) add(sum, i int, widened []vector) {
	for j, v := range widened {
		s.addTo(sum, i*len(widened)+j, v)
	}
}

var rowSums = []rowLoop{
	{name: "shiftedMoments", parameters: "x *E, count int, shift float64, sums *[32]float64", doc: "adds elements, and their squares, to sums", write: func(r row) {
		totals, shift := r.sums("sums", 2), r.shift()
		totals.overPairs([]string{"x"}, func(s rowStep, i int) (y, x []vector) {
			x = s.shifted(i, shift)
			return x, x
		})
	}},
	{name: "products", parameters: "x, y *E, count int, shift float64, sums *[32]float64", doc: "adds elements of y, and their products with those of x, to sums", write: func(r row) {
		totals, shift := r.sums("sums", 2), r.shift()
		totals.overPairs([]string{"x", "y"}, func(s rowStep, i int) (y, x []vector) {
			return s.widenedAt("y", i), s.shifted(i, shift)
		})
	}},
	{name: "scaledProducts", parameters: "x, y, scale *E, count int, shift float64, sums *[32]float64", doc: "is products for y times scale", write: func(r row) {
		totals, shift := r.sums("sums", 2), r.shift()
		totals.overPairs([]string{"x", "y", "scale"}, func(s rowStep, i int) (y, x []vector) {
			return s.widened(s.asm.multiply(s.loadAt("y", i), s.loadAt("scale", i))), s.shifted(i, shift)
		})
	}},
	{name: "totals", parameters: "sums *[32]float64) (first, second float64", doc: "returns the totals of two sums, which become zero", write: func(r row) {
		totals := r.sums("sums", 2)
		zeros := &sums{row: r, address: totals.address, totals: r.asm.zeros(2, len(totals.totals[0]))}
		zeros.store()
		totals.results()
	}},
	{name: "jointProducts", parameters: "x, y *E, count int, moments, sums *[32]float64", doc: "is shiftedMoments, and products, in one pass", wideSingle: true, write: func(r row) {
		moments, products := r.sums("moments", 2), r.sums("sums", 2)
		r.pairs([]string{"x", "y"}, func(steps ...rowStep) {
			for i := range r.vectors() {
				x := map[int][]vector{}
				for _, s := range steps {
					s.prefetch("x", "y")
					x[s.offset] = s.widenedAt("x", i)
				}
				moments.addSteps(i, steps, func(s rowStep, _ int) (_, _ []vector) { return x[s.offset], x[s.offset] })
				products.addSteps(i, steps, func(s rowStep, i int) (_, _ []vector) { return s.widenedAt("y", i), x[s.offset] })
			}
		})
		moments.store()
		products.store()
		r.end()
	}},
}

// overPairs adds y to the first sum, and the products of y and x to the second, for all vectors.
func (s *sums) overPairs(names []string, operands func(s rowStep, i int) (y, x []vector)) {
	s.pairs(names, func(steps ...rowStep) {
		for _, step := range steps {
			step.prefetch(names...)
		}
		for i := range s.vectors() {
			s.addSteps(i, steps, operands)
		}
	})
	s.store()
	s.end()
}

// addSteps adds y to the first sum, and the product of y and x to the second, for vector i of one or two steps.
// What two steps give is joined before it is added, so that sums wait for one another half as often.
func (s *sums) addSteps(i int, steps []rowStep, operands func(s rowStep, i int) (y, x []vector)) {
	y, x := operands(steps[0], i)
	products := []vector{}
	for j := range y {
		at := i*len(y) + j
		if len(steps) == 1 {
			s.addTo(0, at, y[j])
			s.addProduct(1, at, x[j], y[j])
		} else {
			products = append(products, s.doubles().multiply(x[j], y[j]))
		}
	}
	if len(steps) == 1 {
		return
	}
	moreY, moreX := operands(steps[1], i)
	for j := range products {
		at := i*len(products) + j
		if s.asm.double {
			s.addTo(1, at, s.doubles().add(products[j], s.asm.multiply(moreX[j], moreY[j])))
		} else {
			s.asm.VFMADD231PD(moreX[j], moreY[j], products[j])
			s.addTo(1, at, products[j])
		}
		s.addTo(0, at, s.doubles().add(y[j], moreY[j]))
	}
}

// addTo adds v to a total, by way of a product with one if there is that.
func (s *sums) addTo(i, at int, v vector) {
	if s.one != nil {
		s.asm.VFMADD231PD(v, s.one, s.totals[i][at])
		return
	}
	s.asm.VADDPD(v, s.totals[i][at], s.totals[i][at])
}

// addProduct adds a product of float64 elements. Those of numbers that were float32 are exact: it does not matter that
// they are fused.
func (s *sums) addProduct(i, at int, x, y vector) {
	if s.asm.double {
		s.addTo(i, at, s.asm.multiply(x, y))
	} else {
		s.asm.VFMADD231PD(x, y, s.totals[i][at])
	}
}

// doubles is an assembler of the same width for float64.
func (r row) doubles() *assembler {
	a := *r.asm
	a.double = true
	return &a
}

// shift returns what shifted subtracts.
func (r row) shift() (shift vector) {
	if r.asm.double {
		shift = r.parameter("shift")
	}
	return shift
}

// shifted returns vector i of x as float64, less shift where elements are there; float32 elements are not shifted.
func (s rowStep) shifted(i int, shift vector) []vector {
	if s.asm.double {
		return []vector{s.orZero(i, s.asm.subtract(s.loadAt("x", i), shift))}
	}
	return s.widenedAt("x", i)
}
