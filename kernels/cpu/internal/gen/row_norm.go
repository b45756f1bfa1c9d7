package main

// The centre of a row is given as the sum of two numbers, high and low: an element less high is exact where that matters.

var rowNorm = []rowLoop{
	{name: "affine", parameters: "dst, x *E, count int, p *[6]E", doc: "sets dst to (x - p[0] - p[1]) p[2] + p[3]", write: func(r row) {
		p := r.numbers("p", 4)
		r.steps([]string{"dst", "x"}, func(s rowStep) {
			s.prefetch("dst")
			s.store(s.each(s.load("x"), func(v vector) vector {
				return r.add(r.multiply(r.centred(v, p), p[2]), p[3])
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
				x[i] = r.multiply(r.multiply(r.centred(v, p), p[2]), scale[i])
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
					x[i] = r.add(r.multiply(r.multiply(r.centred(v, p), p[2]), scale[i]), bias[i])
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
				x[i] = r.add(r.multiply(u[i], p[2]), r.add(r.multiply(r.centred(v, p), p[3]), p[4]))
			}
			s.store(x, "dst")
		})
		r.end()
	}},
	{
		name: "scaledSlope", parameters: "dst, x, u, scale, scaleSlope, biasSlope *E, count int, p *[6]E",
		doc: "is affineSlope for u times scale; it adds (x - p[0] - p[1]) u p[2] to scaleSlope and u to biasSlope", write: func(r row) {
			p, l := r.numbers("p", 5), lanes{r.assembler}
			r.steps([]string{"dst", "x", "u", "scale", "scaleSlope", "biasSlope"}, func(s rowStep) {
				s.prefetch("dst")
				for i := range s.vectors() {
					centred, u := r.centred(s.loadAt("x", i), p), s.loadAt("u", i)
					s.storeAt(r.add(s.loadAt("biasSlope", i), u), "biasSlope", i)
					u = r.multiply(u, p[2])
					s.storeAt(l.register(l.fused(centred, u, s.loadAt("scaleSlope", i))), "scaleSlope", i)
					s.storeAt(l.register(l.fused(u, s.loadAt("scale", i), l.fused(centred, p[3], p[4]))), "dst", i)
				}
			})
			r.end()
		},
	},
	{
		name: "scaledSlopeAhead", parameters: "dst, x, u, scale, scaleSlope, biasSlope *E, stride, count int, p *[6]E, moments, sums *[32]float64",
		doc: "is scaledSlope, and jointScaledProducts for the row that is stride bytes behind", wideSingle: true, write: func(r row) {
			p, l, slot := r.numbers("p", 5), lanes{r.assembler}, r.slot()
			stride := r.Load(r.Param("stride"), r.GP64())
			r.joint([]string{"dst", "x", "u", "scale", "scaleSlope", "biasSlope"}, func(s rowStep, i int) (x, y []vector) {
				s.prefetch("dst")
				next := s.inRow(stride)
				next.prefetch("x", "u")
				scale, centred, u := s.loadAt("scale", i), r.centred(s.loadAt("x", i), p), s.loadAt("u", i)
				s.storeAt(r.add(s.loadAt("biasSlope", i), u), "biasSlope", i)
				u = r.multiply(u, p[2])
				s.storeAt(l.register(l.fused(centred, u, s.loadAt("scaleSlope", i))), "scaleSlope", i)
				s.storeAt(l.register(l.fused(u, scale, l.fused(centred, p[3], p[4]))), "dst", i)
				return next.widenedAt("x", i), next.widenedIn(slot, r.multiply(next.loadAt("u", i), scale))
			})
		},
	},
}

func (r row) centred(v vector, p []vector) vector { return r.subtract(r.subtract(v, p[0]), p[1]) }
