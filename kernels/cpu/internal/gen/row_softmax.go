package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var rowSoftmax = []rowLoop{
	{name: "largest", parameters: "x *E, count int) (result E", doc: "returns the largest element", write: func(r row) {
		lowest := r.asm.spread(r.asm.number(math.Inf(-1)))
		best := []vector{}
		for range 2 * r.vectors() {
			best = append(best, lanes{r.asm}.copied(lowest))
		}
		r.pairs([]string{"x"}, func(steps ...rowStep) {
			for at, s := range steps {
				for i, v := range s.load("x") {
					own := best[at*r.vectors()+i]
					r.asm.of(r.asm.VMAXPS, r.asm.VMAXPD)(s.orElse(i, v, lowest), own, own)
				}
			}
		})
		largest := r.across(best, r.asm.of(r.asm.VMAXPS, r.asm.VMAXPD))
		r.asm.VZEROUPPER()
		r.asm.Store(largest, r.asm.ReturnIndex(0))
		r.asm.RET()
	}},
	{name: "exponentials", parameters: "dst, x *E, count int, shift E", doc: "sets dst to exp(x - shift)", write: func(r row) {
		shift := r.parameter("shift")
		r.asm.keep(constantsAndTables, expOfNegative)
		r.mapped([]string{"dst", "x"}, "x", power(shift), func(s rowStep, i int, v vector) {
			s.prefetch("x", "dst")
			s.storeAt(v, "dst", i)
		})
		r.end()
	}},
	{name: "multiply", parameters: "dst, x *E, count int, factor E", doc: "sets dst to x times factor", write: func(r row) {
		factor := r.parameter("factor")
		r.steps([]string{"dst", "x"}, func(s rowStep) {
			s.store(s.each(s.load("x"), func(v vector) vector { return r.asm.multiply(v, factor) }), "dst")
		})
		r.end()
	}},
	{name: "subtract", parameters: "dst, x *E, count int, first, second E", doc: "sets dst to (x - first) - second", write: func(r row) {
		first, second := r.parameter("first"), r.parameter("second")
		r.steps([]string{"dst", "x"}, func(s rowStep) {
			s.prefetch("dst")
			s.store(s.each(s.load("x"), func(v vector) vector { return r.asm.subtract(r.asm.subtract(v, first), second) }), "dst")
		})
		r.end()
	}},
	{name: "softmaxSlope", parameters: "dst, y, u *E, count int, total E", doc: "sets dst to y (u - total)", write: func(r row) {
		total := r.parameter("total")
		r.steps([]string{"dst", "y", "u"}, func(s rowStep) {
			s.prefetch("y", "u", "dst")
			y, u := s.load("y"), s.load("u")
			for i := range y {
				y[i] = r.asm.multiply(r.asm.subtract(u[i], total), y[i])
			}
			s.store(y, "dst")
		})
		r.end()
	}},
	{name: "logSoftmaxSlope", parameters: "dst, y, u *E, count int, total E", doc: "sets dst to u - exp(y) total", write: func(r row) {
		total := r.parameter("total")
		r.asm.keep(constantsAndTables, exp)
		r.mapped([]string{"dst", "y", "u"}, "y", exp, func(s rowStep, i int, v vector) {
			s.prefetch("y", "u")
			s.storeAt(r.asm.subtract(s.loadAt("u", i), r.asm.multiply(v, total)), "dst", i)
		})
		r.end()
	}},
}

// each applies compute to all vectors.
func (s rowStep) each(all []vector, compute func(vector) vector) (results []vector) {
	for _, v := range all {
		results = append(results, compute(v))
	}
	return results
}

// mapped writes use for the vectors of an operand after compute, which takes several steps abreast as far as there are registers.
func (r row) mapped(operands []string, from string, compute func(c code, x value) value, use func(s rowStep, i int, v vector)) {
	sizes, l := []int{1}, lanes{r.asm}
	if r.asm.wide && !r.asm.double {
		sizes = []int{4, 1}
	}
	r.bundles(sizes, operands, func(steps ...rowStep) {
		if len(steps) == 1 {
			for i, v := range steps[0].load(from) {
				use(steps[0], i, l.register(compute(l, v)))
			}
			return
		}
		all := several{}
		for _, s := range steps {
			all = append(all, s.loadAt(from, 0))
		}
		for i, v := range compute(abreast{l, len(all)}, all).(several) {
			use(steps[i], 0, l.register(v))
		}
	})
}

// power computes exp(x - shift) for x up to shift.
func power(shift vector) func(c code, x value) value {
	return func(c code, x value) value { return expOfNegative(c, c.subtract(x, shift)) }
}

// across joins the elements of one half of the vectors with those of the other, and so on, down to one element.
func (r row) across(all []vector, join instruction) reg.Register {
	for half := len(all) / 2; half > 0; half /= 2 {
		for i, v := range all[half : 2*half] {
			join(v, all[i], all[i])
		}
	}
	best := all[0]
	if r.asm.wide {
		high := r.asm.YMM()
		r.asm.VEXTRACTF64X4(operand.U8(1), best, high)
		join(high, best.AsY(), best.AsY())
	}
	high := r.asm.XMM()
	r.asm.VEXTRACTF128(operand.U8(1), best.AsY(), high)
	low := best.AsX()
	join(high, low, low)
	r.asm.VPERMILPD(operand.U8(1), low, high)
	join(high, low, low)
	if !r.asm.double {
		r.asm.VPSRLQ(operand.U8(32), low, high)
		join(high, low, low)
	}
	return low
}
