package main

// The centre of a row is given as the sum of two numbers, high and low: an element less high is exact where that matters.

var rowNorm = []rowLoop{
	{"affine", "dst, x *E, count int, p *[6]E", "sets dst to (x - p[0] - p[1]) p[2] + p[3]", func(r row) {
		p := r.numbers("p", 4)
		r.steps([]string{"dst", "x"}, func(s rowStep) {
			s.store(s.each(s.load("x"), func(v vector) vector {
				return r.add(r.multiply(r.centred(v, p), p[2]), p[3])
			}), "dst")
		})
		r.end()
	}},
	{"scaled", "dst, x, scale *E, count int, p *[6]E", "sets dst to (x - p[0] - p[1]) p[2] scale", func(r row) {
		p := r.numbers("p", 3)
		r.steps([]string{"dst", "x", "scale"}, func(s rowStep) {
			x, scale := s.load("x"), s.load("scale")
			for i, v := range x {
				x[i] = r.multiply(r.multiply(r.centred(v, p), p[2]), scale[i])
			}
			s.store(x, "dst")
		})
		r.end()
	}},
	{"scaledAffine", "dst, x, scale, bias *E, count int, p *[6]E", "sets dst to (x - p[0] - p[1]) p[2] scale + bias", func(r row) {
		p := r.numbers("p", 3)
		r.steps([]string{"dst", "x", "scale", "bias"}, func(s rowStep) {
			x, scale, bias := s.load("x"), s.load("scale"), s.load("bias")
			for i, v := range x {
				x[i] = r.add(r.multiply(r.multiply(r.centred(v, p), p[2]), scale[i]), bias[i])
			}
			s.store(x, "dst")
		})
		r.end()
	}},
	{"affineSlope", "dst, x, u *E, count int, p *[6]E", "sets dst to u p[2] + (x - p[0] - p[1]) p[3] + p[4]", func(r row) {
		p := r.numbers("p", 5)
		r.steps([]string{"dst", "x", "u"}, func(s rowStep) {
			x, u := s.load("x"), s.load("u")
			for i, v := range x {
				x[i] = r.add(r.multiply(u[i], p[2]), r.add(r.multiply(r.centred(v, p), p[3]), p[4]))
			}
			s.store(x, "dst")
		})
		r.end()
	}},
	{"scaledSlope", "dst, x, u, scale, scaleSlope, biasSlope *E, count int, p *[6]E",
		"is affineSlope for u times scale; it adds (x - p[0] - p[1]) p[5] u to scaleSlope and u to biasSlope", func(r row) {
			p := r.numbers("p", 6)
			r.steps([]string{"dst", "x", "u", "scale", "scaleSlope", "biasSlope"}, func(s rowStep) {
				for i := range s.vectors() {
					centred, u := r.centred(s.loadAt("x", i), p), s.loadAt("u", i)
					s.storeAt(r.add(s.loadAt("biasSlope", i), u), "biasSlope", i)
					s.storeAt(r.add(s.loadAt("scaleSlope", i), r.multiply(r.multiply(centred, p[5]), u)), "scaleSlope", i)
					u = r.multiply(r.multiply(u, s.loadAt("scale", i)), p[2])
					s.storeAt(r.add(u, r.add(r.multiply(centred, p[3]), p[4])), "dst", i)
				}
			})
			r.end()
		}},
}

func (r row) centred(v vector, p []vector) vector { return r.subtract(r.subtract(v, p[0]), p[1]) }
