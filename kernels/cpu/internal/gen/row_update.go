package main

import "github.com/mmcloughlin/avo/operand"

// The steps of optimisers. Each begins with the gradient plus p[0] times the weight. States below the normal numbers become zero:
// processors take a hundred times as long for them, and under zero gradients they would stay for ever.

var rowUpdate = []rowLoop{
	{name: "sgd", parameters: "weight, velocity, gradient *E, count int, p *[10]E", doc: "is a step of gradient descent", write: func(r row) {
		p := r.numbers("p", 4)
		r.steps([]string{"weight", "velocity", "gradient"}, func(s rowStep) {
			for i := range s.vectors() {
				weight, gradient := s.decayed(i, p[0])
				velocity := r.normal(r.asm.add(r.asm.multiply(s.loadAt("velocity", i), p[1]), gradient))
				s.storeAt(velocity, "velocity", i)
				s.storeAt(r.asm.subtract(weight, r.asm.add(r.asm.multiply(velocity, p[2]), r.asm.multiply(gradient, p[3]))), "weight", i)
			}
		})
		r.end()
	}},
	{name: "adam", parameters: "weight, mean, square, gradient *E, count int, p *[10]E", doc: "is a step of Adam", write: func(r row) {
		p := r.numbers("p", 9)
		r.steps([]string{"weight", "mean", "square", "gradient"}, func(s rowStep) {
			for i := range s.vectors() {
				weight, gradient := s.decayed(i, p[0])
				mean := r.normal(r.asm.add(r.asm.multiply(s.loadAt("mean", i), p[1]), r.asm.multiply(gradient, p[2])))
				s.storeAt(mean, "mean", i)
				square := r.normal(r.asm.add(r.asm.multiply(s.loadAt("square", i), p[3]), r.asm.multiply(r.asm.multiply(gradient, gradient), p[4])))
				s.storeAt(square, "square", i)
				slope := r.asm.divide(r.asm.multiply(mean, p[5]), r.asm.add(r.asm.multiply(r.asm.squareRoot(square), p[6]), p[7]))
				s.storeAt(r.asm.subtract(r.asm.multiply(weight, p[8]), slope), "weight", i)
			}
		})
		r.end()
	}},
	{name: "rmsprop", parameters: "weight, square, velocity, gradient *E, count int, p *[10]E", doc: "is a step of RMSProp", write: func(r row) {
		p := r.numbers("p", 6)
		r.steps([]string{"weight", "square", "velocity", "gradient"}, func(s rowStep) {
			for i := range s.vectors() {
				weight, gradient := s.decayed(i, p[0])
				square := r.normal(r.asm.add(r.asm.multiply(s.loadAt("square", i), p[1]), r.asm.multiply(r.asm.multiply(gradient, gradient), p[2])))
				s.storeAt(square, "square", i)
				velocity := r.asm.multiply(s.loadAt("velocity", i), p[4])
				velocity = r.normal(r.asm.add(velocity, r.asm.divide(gradient, r.asm.add(r.asm.squareRoot(square), p[3]))))
				s.storeAt(velocity, "velocity", i)
				s.storeAt(r.asm.subtract(weight, r.asm.multiply(velocity, p[5])), "weight", i)
			}
		})
		r.end()
	}},
}

// decayed returns vector i of the weights, and that of the gradient plus decay times the weights.
func (s rowStep) decayed(i int, decay vector) (weight, gradient vector) {
	weight = s.loadAt("weight", i)
	return weight, s.asm.add(s.loadAt("gradient", i), s.asm.multiply(weight, decay))
}

// normal returns x with zero in place of subnormal numbers; NaN stays.
func (r row) normal(x vector) vector {
	least, sign := 0x1p-126, uint64(1<<31)
	if r.asm.double {
		least, sign = 0x1p-1022, 1<<63
	}
	size, notBelow := r.asm.and(x, r.asm.spread(r.asm.bits(sign-1))), operand.U8(21) // or NaN
	limit := r.asm.spread(r.asm.number(least))
	if !r.asm.wide {
		mask := r.asm.vector()
		r.asm.of(r.asm.VCMPPS, r.asm.VCMPPD)(notBelow, limit, size, mask)
		return r.asm.and(x, mask)
	}
	mask, result := r.asm.K(), r.asm.vector()
	r.asm.of(r.asm.VCMPPS, r.asm.VCMPPD)(notBelow, limit, size, mask)
	if r.asm.double {
		r.asm.VMOVAPD_Z(x, mask, result)
	} else {
		r.asm.VMOVAPS_Z(x, mask, result)
	}
	return result
}
