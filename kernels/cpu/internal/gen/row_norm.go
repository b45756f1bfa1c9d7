package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The centre of a row is given as the sum of two numbers, high and low: an element less high is exact where that matters.

var rowNorm = []rowLoop{
	{name: "affine", parameters: "dst, x *E, count int, p *[6]E", doc: "sets dst to (x - p[0] - p[1]) p[2] + p[3]", write: func(r row) {
		p := r.numbers("p", 4)
		r.steps([]string{"dst", "x"}, func(s rowStep) {
			s.prefetch("dst")
			s.store(s.each(s.load("x"), func(v vector) vector {
				return r.asm.add(r.asm.multiply(r.centred(v, p), p[2]), p[3])
			}), "dst")
		})
		r.end()
	}},
	{name: "scaled", parameters: "dst, x, scale *E, count int, p *[6]E", doc: "sets dst to (x - p[0] - p[1]) p[2] scale", write: func(r row) {
		p := r.numbers("p", 3)
		r.steps([]string{"dst", "x", "scale"}, func(s rowStep) {
			s.prefetch("dst")
			x, scale := s.load("x"), s.load("scale")
			for i, v := range x {
				x[i] = r.asm.multiply(r.asm.multiply(r.centred(v, p), p[2]), scale[i])
			}
			s.store(x, "dst")
		})
		r.end()
	}},
	{name: "scaledAffine", parameters: "dst, x, scale, bias *E, count int, p *[6]E", doc: "sets dst to (x - p[0] - p[1]) p[2] scale + bias", write: func(r row) {
		p := r.numbers("p", 3)
		r.pairs([]string{"dst", "x", "scale", "bias"}, func(steps ...rowStep) {
			for _, s := range steps {
				s.prefetch("dst")
				x, scale, bias := s.load("x"), s.load("scale"), s.load("bias")
				for i, v := range x {
					x[i] = r.asm.add(r.asm.multiply(r.asm.multiply(r.centred(v, p), p[2]), scale[i]), bias[i])
				}
				s.store(x, "dst")
			}
		})
		r.end()
	}},
	{name: "affineSlope", parameters: "dst, x, u *E, count int, p *[6]E", doc: "sets dst to u p[2] + (x - p[0] - p[1]) p[3] + p[4]", write: func(r row) {
		p := r.numbers("p", 5)
		r.steps([]string{"dst", "x", "u"}, func(s rowStep) {
			s.prefetch("dst")
			x, u := s.load("x"), s.load("u")
			for i, v := range x {
				x[i] = r.asm.add(r.asm.multiply(u[i], p[2]), r.asm.add(r.asm.multiply(r.centred(v, p), p[3]), p[4]))
			}
			s.store(x, "dst")
		})
		r.end()
	}},
	{
		name: "scaledSlope", parameters: "dst, x, u, scale, scaleSlope, biasSlope *E, count int, p *[6]E",
		doc: "is affineSlope for u times scale; it adds (x - p[0] - p[1]) u p[2] to scaleSlope and u to biasSlope", write: func(r row) {
			r.scaledSlopes(1, func(int) reg.Register { return nil })
		},
	},
	{
		name: "scaledSlopes", parameters: "dst, x, u, scale, scaleSlope, biasSlope *E, stride, count int, p *[2][6]E",
		doc: "is scaledSlope for two rows that are stride bytes apart", write: func(r row) {
			stride := r.asm.Load(r.asm.Param("stride"), r.asm.GP64())
			r.scaledSlopes(2, func(i int) reg.Register { return []reg.Register{nil, stride}[i] })
		},
	},
}

// scaledSlopes writes scaledSlope for rows that are some bytes apart: sums are loaded and stored once.
func (r row) scaledSlopes(rows int, apart func(i int) reg.Register) {
	p, low := r.numbers("p", 6*rows), []operand.Op{}
	for i := range rows {
		if low = append(low, p[6*i+1]); rows > 1 && !r.asm.wide { // There are too few registers.
			memory := r.asm.AllocLocal(r.asm.bytes())
			r.asm.storeTo(p[6*i+1], memory)
			low[i] = memory
		}
	}
	var next []reg.Register // rows of dst, which no processor fetches before they are written
	if rows > 1 {
		stride := apart(1)
		next = []reg.Register{r.asm.GP64(), r.asm.GP64()}
		for i, row := range next {
			r.asm.LEAQ(operand.Mem{Base: stride, Index: stride, Scale: uint8(1 + i)}, row)
		}
	}
	addProduct, multiplyAndAdd := r.asm.of(r.asm.VFMADD231PS, r.asm.VFMADD231PD), r.asm.of(r.asm.VFMADD213PS, r.asm.VFMADD213PD)
	r.steps([]string{"dst", "x", "u", "scale", "scaleSlope", "biasSlope"}, func(s rowStep) {
		for _, row := range next {
			s.inRow(row).fetch("dst")
		}
		for i := range s.vectors() {
			scale, scaleSlope, biasSlope := s.loadAt("scale", i), s.loadAt("scaleSlope", i), s.loadAt("biasSlope", i)
			for j := range rows {
				of, p := s.inRow(apart(j)), p[6*j:]
				slope, u := r.asm.subtract(r.asm.subtract(of.loadAt("x", i), p[0]), low[j]), of.loadAt("u", i)
				biasSlope = r.asm.add(biasSlope, u)
				u = r.asm.multiply(u, p[2])
				addProduct(slope, u, scaleSlope)
				multiplyAndAdd(p[4], p[3], slope)
				addProduct(scale, u, slope)
				of.storeAt(slope, "dst", i)
			}
			s.storeAt(scaleSlope, "scaleSlope", i)
			s.storeAt(biasSlope, "biasSlope", i)
		}
	})
	r.end()
}

func (r row) centred(v vector, p []vector) vector {
	return r.asm.subtract(r.asm.subtract(v, p[0]), p[1])
}
