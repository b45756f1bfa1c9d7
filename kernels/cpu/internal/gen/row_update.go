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
				velocity := r.normal(r.add(r.multiply(s.loadAt("velocity", i), p[1]), gradient))
				s.storeAt(velocity, "velocity", i)
				s.storeAt(r.subtract(weight, r.add(r.multiply(velocity, p[2]), r.multiply(gradient, p[3]))), "weight", i)
			}
		})
		r.end()
	}},
	{name: "adam", parameters: "weight, mean, square, gradient *E, count int, p *[10]E", doc: "is a step of Adam", write: func(r row) {
		p := r.numbers("p", 9)
		r.steps([]string{"weight", "mean", "square", "gradient"}, func(s rowStep) {
			for i := range s.vectors() {
				weight, gradient := s.decayed(i, p[0])
				mean := r.normal(r.add(r.multiply(s.loadAt("mean", i), p[1]), r.multiply(gradient, p[2])))
				s.storeAt(mean, "mean", i)
				square := r.normal(r.add(r.multiply(s.loadAt("square", i), p[3]), r.multiply(r.multiply(gradient, gradient), p[4])))
				s.storeAt(square, "square", i)
				slope := r.divide(r.multiply(mean, p[5]), r.add(r.multiply(r.squareRoot(square), p[6]), p[7]))
				s.storeAt(r.subtract(r.multiply(weight, p[8]), slope), "weight", i)
			}
		})
		r.end()
	}},
	{name: "rmsprop", parameters: "weight, square, velocity, gradient *E, count int, p *[10]E", doc: "is a step of RMSProp", write: func(r row) {
		p := r.numbers("p", 6)
		r.steps([]string{"weight", "square", "velocity", "gradient"}, func(s rowStep) {
			for i := range s.vectors() {
				weight, gradient := s.decayed(i, p[0])
				square := r.normal(r.add(r.multiply(s.loadAt("square", i), p[1]), r.multiply(r.multiply(gradient, gradient), p[2])))
				s.storeAt(square, "square", i)
				velocity := r.multiply(s.loadAt("velocity", i), p[4])
				velocity = r.normal(r.add(velocity, r.divide(gradient, r.add(r.squareRoot(square), p[3]))))
				s.storeAt(velocity, "velocity", i)
				s.storeAt(r.subtract(weight, r.multiply(velocity, p[5])), "weight", i)
			}
		})
		r.end()
	}},
}

// decayed returns vector i of the weights, and that of the gradient plus decay times the weights.
func (s rowStep) decayed(i int, decay vector) (weight, gradient vector) {
	weight = s.loadAt("weight", i)
	return weight, s.add(s.loadAt("gradient", i), s.multiply(weight, decay))
}

// normal returns x with zero in place of subnormal numbers; NaN stays.
func (r row) normal(x vector) vector {
	least, sign := 0x1p-126, uint64(1<<31)
	if r.double {
		least, sign = 0x1p-1022, 1<<63
	}
	size, notBelow := r.and(x, r.spread(r.bits(sign-1))), operand.U8(21) // or NaN
	limit := r.spread(r.number(least))
	if !r.wide {
		mask := r.vector()
		r.of(r.VCMPPS, r.VCMPPD)(notBelow, limit, size, mask)
		return r.and(x, mask)
	}
	mask, result := r.K(), r.vector()
	r.of(r.VCMPPS, r.VCMPPD)(notBelow, limit, size, mask)
	if r.double {
		r.VMOVAPD_Z(x, mask, result)
	} else {
		r.VMOVAPS_Z(x, mask, result)
	}
	return result
}
