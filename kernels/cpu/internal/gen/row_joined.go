package main

// terms are what a step gives to sums: values, and pairs whose products are to be added.
type terms struct {
	values   []vector
	products [][2]vector
}

// chain is how many products are added to one another, each by one rounding, before two such sums are joined.
const chain = 4

var rowJoined = []rowLoop{
	{name: "sum", parameters: "x *E, count int) (total float64", doc: "returns the sum of elements", write: func(r row) {
		r.joined(1, []string{"x"}, func(s rowStep, i int) terms { return terms{values: []vector{s.loadAt("x", i)}} })
	}},
	{name: "dot", parameters: "x, y *E, count int) (total float64", doc: "returns the sum of products of elements of x and y", write: func(r row) {
		r.joined(1, []string{"x", "y"}, func(s rowStep, i int) terms {
			return terms{products: [][2]vector{{s.loadAt("x", i), s.loadAt("y", i)}}}
		})
	}},
	{name: "momentsFrom", parameters: "x *E, count int, origin E) (sum, squares float64", doc: "returns the sum of d = x - origin, and of its squares", write: func(r row) {
		origin := r.parameter("origin")
		r.joined(2, []string{"x"}, func(s rowStep, i int) terms {
			d := s.distance(i, origin)
			return terms{[]vector{d}, [][2]vector{{d, d}}}
		})
	}},
	{name: "slopesFrom", parameters: "x, u, scale *E, count int, origin E) (slopes, products float64", doc: "returns the sum of u scale, and of its products with d = x - origin", write: func(r row) {
		origin := r.parameter("origin")
		r.joined(2, []string{"x", "u", "scale"}, func(s rowStep, i int) terms {
			slope := s.asm.multiply(s.loadAt("u", i), s.loadAt("scale", i))
			return terms{[]vector{slope}, [][2]vector{{slope, s.distance(i, origin)}}}
		})
	}},
	{name: "jointFrom", parameters: "x, u, scale *E, count int, origin E) (sum, slopes, squares, products float64", doc: "is momentsFrom, and slopesFrom, in one pass", wideSingle: true, write: func(r row) {
		origin := r.parameter("origin")
		r.joined(4, []string{"x", "u", "scale"}, func(s rowStep, i int) terms {
			d, slope := s.distance(i, origin), s.asm.multiply(s.loadAt("u", i), s.loadAt("scale", i))
			return terms{[]vector{d, slope}, [][2]vector{{d, d}, {slope, d}}}
		})
	}},
}

// joined returns so many sums from the function, of values and then of products. Those of eight steps are joined before
// they are widened, which is most of the work; of the steps that are left those of four, and of two.
func (r row) joined(count int, names []string, of func(s rowStep, i int) terms) {
	totals := r.zeroSums(count)
	r.bundles([]int{8, 4, 2, 1}, names, func(steps ...rowStep) {
		for i := range r.vectors() {
			values, products := r.join(steps, nil, func(s rowStep) terms { return of(s, i) })
			for sum, v := range append(values, products...) {
				totals.add(sum, i, r.widened(v))
			}
		}
	})
	totals.results()
}

// join adds the values of one half of the steps to those of the other, and so on. Products are added to those before.
func (r row) join(steps []rowStep, before []vector, of func(s rowStep) terms) (values, products []vector) {
	half := len(steps) / 2
	if half == 0 {
		t := of(steps[0])
		for i, p := range t.products {
			if before == nil {
				products = append(products, r.asm.multiply(p[0], p[1]))
			} else {
				r.asm.of(r.asm.VFMADD231PS, r.asm.VFMADD231PD)(p[0], p[1], before[i])
				products = before
			}
		}
		return t.values, products
	}
	values, products = r.join(steps[:half], before, of)
	if half < chain {
		before = products
	}
	moreValues, moreProducts := r.join(steps[half:], before, of)
	if half < chain {
		return r.sumOf(values, moreValues), moreProducts
	}
	return r.sumOf(values, moreValues), r.sumOf(products, moreProducts)
}

func (r row) sumOf(x, y []vector) (all []vector) {
	for i := range x {
		all = append(all, r.asm.add(x[i], y[i]))
	}
	return all
}

// distance returns vector i of x less origin, zero for elements that are not there.
func (s rowStep) distance(i int, origin vector) vector {
	return s.orZero(i, s.asm.subtract(s.loadAt("x", i), origin))
}
