package factor

import (
	"math"
	"math/cmplx"
)

// Schur makes of a, which has zeros below the elements under its diagonal, the upper triangular matrix G·a·Gᴴ by a
// product G of rotations, with the eigenvalues on the diagonal, and replaces w, unless it has no rows, by G·w. If w has
// none, nothing but the diagonal is determined. It reports whether the iteration converges.
//
// It is the QR algorithm with implicit single shifts (LAPACK's zlahqr).
func Schur(a, w Planes) (ok bool) {
	s := schur{a: a, w: w, last: a.Rows - 1}
	for left, patience := 30*max(10, a.Rows), 0; s.last >= 0; left, patience = left-1, patience+1 {
		switch s.deflate(); {
		case s.first == s.last:
			s.last, patience = s.last-1, -1
		case left == 0:
			return false
		default:
			s.sweep(s.shift(patience))
		}
	}
	return true
}

// schur is Schur at work, on the block of rows and columns from first to last.
type schur struct {
	a, w        Planes
	first, last int
}

func (p Planes) number(i, j int) [2]float64 {
	re, im := p.At(i, j)
	return [2]float64{re, im}
}

// sizeOf returns the sum of the magnitudes of the parts.
func sizeOf(v [2]float64) float64 { return math.Abs(v[0]) + math.Abs(v[1]) }

func sumOf(v, w [2]float64) [2]float64 { return [2]float64{v[0] + w[0], v[1] + w[1]} }

func differenceOf(v, w [2]float64) [2]float64 { return [2]float64{v[0] - w[0], v[1] - w[1]} }

func multipleOf(v [2]float64, by float64) [2]float64 { return [2]float64{v[0] * by, v[1] * by} }

// deflate finds where the block that ends with the last row begins: where what is under the diagonal is as good as zero.
func (s *schur) deflate() {
	for s.first = s.last; s.first > 0; s.first-- {
		k := s.first
		around := sizeOf(s.a.number(k-1, k-1)) + sizeOf(s.a.number(k, k))
		if around == 0 {
			for i := max(0, k-2); i <= min(s.a.Rows-1, k+1); i++ {
				for j := max(0, k-2); j <= min(s.a.Rows-1, k+1); j++ {
					around += sizeOf(s.a.number(i, j))
				}
			}
		}
		if under := sizeOf(s.a.number(k, k-1)); under <= around*(1.0/(1<<53)) || under < 0x1p-1000 {
			s.a.Set(k, k-1, 0, 0)
			return
		}
	}
}

// shift returns the eigenvalue of the last two rows and columns that is nearer to the last element, and another number
// where that has not helped.
func (s *schur) shift(patience int) [2]float64 {
	k := s.last
	corner := s.a.number(k, k)
	if patience%10 == 9 {
		return sumOf(corner, [2]float64{0.75 * sizeOf(s.a.number(k, k-1)), 0})
	}
	above, under := s.a.number(k-1, k), s.a.number(k, k-1)
	if sizeOf(above) == 0 {
		return corner
	}
	ratio := math.Sqrt(sizeOf(under) / sizeOf(above)) // for two numbers of one size with their product
	above, under = multipleOf(above, ratio), multipleOf(under, 1/ratio)
	x := multipleOf(differenceOf(s.a.number(k-1, k-1), corner), 0.5)
	size := max(sizeOf(x), sizeOf(above))
	x = multipleOf(x, 1/size)
	inside := sumOf(product(x, x), product(multipleOf(above, 1/size), multipleOf(under, 1/size)))
	root := cmplx.Sqrt(complex(inside[0], inside[1]))
	y := [2]float64{real(root), imag(root)}
	if float64(x[0]*y[0])+float64(x[1]*y[1]) < 0 {
		y = [2]float64{-y[0], -y[1]}
	}
	return differenceOf(corner, product(above, quotient(under, multipleOf(sumOf(x, y), size))))
}

// sweep turns the block by rotations that lead from a shifted first column down the diagonal.
func (s *schur) sweep(shift [2]float64) {
	x, y := differenceOf(s.a.number(s.first, s.first), shift), s.a.number(s.first+1, s.first)
	lo, hi := s.first, s.last+1 // of the rows and columns that count
	if s.w.Rows > 0 {
		lo, hi = 0, s.a.Columns
	}
	for k := s.first; k < s.last; k++ {
		r, sum := rotationOf(x, y)
		if k > s.first {
			s.a.Set(k, k-1, sum[0], sum[1])
			s.a.Set(k+1, k-1, 0, 0)
		}
		upper, lower := s.a.row(k, 0), s.a.row(k+1, 0)
		r.turn(upper.part(k, hi), lower.part(k, hi))
		for i := lo; i <= min(k+2, s.last); i++ {
			u, v := r.adjoint(s.a.number(i, k), s.a.number(i, k+1))
			s.a.Set(i, k, u[0], u[1])
			s.a.Set(i, k+1, v[0], v[1])
		}
		if s.w.Rows > 0 {
			r.turn(s.w.row(k, 0), s.w.row(k+1, 0))
		}
		if k+2 <= s.last {
			x, y = s.a.number(k+1, k), s.a.number(k+2, k)
		}
	}
}

// givens is the rotation by (cosine, sine; −conjugate sine, cosine).
type givens struct {
	cosine float64
	sine   [2]float64
}

// rotationOf returns the rotation that turns (x, y) to (sum, 0).
func rotationOf(x, y [2]float64) (r givens, sum [2]float64) {
	size := scaleOf(x[:], y[:])
	u, v := multipleOf(x, size), multipleOf(y, size)
	first := math.Sqrt(float64(u[0]*u[0]) + float64(u[1]*u[1]))
	both := math.Sqrt(float64(first*first) + float64(v[0]*v[0]) + float64(v[1]*v[1]))
	switch {
	case both == 0:
		return givens{cosine: 1}, sum
	case first == 0:
		return givens{sine: [2]float64{v[0] / both, -v[1] / both}}, [2]float64{both / size, 0}
	}
	direction := [2]float64{u[0] / first, u[1] / first}
	sine := product(direction, [2]float64{v[0] / both, -v[1] / both})
	return givens{first / both, sine}, multipleOf(direction, both/size)
}

// turn rotates rows.
func (r givens) turn(x, y pairs[float64]) {
	c, s, t := r.cosine, r.sine[0], r.sine[1]
	xi, yr, yi := x.im[:len(x.re)], y.re[:len(x.re)], y.im[:len(x.re)]
	for i, a := range x.re {
		b, p, q := xi[i], yr[i], yi[i]
		x.re[i] = float64(c*a) + (float64(s*p) - float64(t*q))
		xi[i] = float64(c*b) + (float64(s*q) + float64(t*p))
		yr[i] = float64(c*p) - (float64(s*a) + float64(t*b))
		yi[i] = float64(c*q) - (float64(s*b) - float64(t*a))
	}
}

// adjoint returns (x, y), a row, times the adjoint of r.
func (r givens) adjoint(x, y [2]float64) (u, v [2]float64) {
	u = sumOf(multipleOf(x, r.cosine), product(conjugateOf(r.sine), y))
	v = differenceOf(multipleOf(y, r.cosine), product(r.sine, x))
	return u, v
}

// Eigenvectors returns the eigenvectors of wᴴ·a·w as rows of length one, for an upper triangular a (LAPACK's ztrevc).
func Eigenvectors(a, w Planes) (rows Planes) {
	n := a.Rows
	rows = NewPlanes(n, n)
	smallest := 0x1p-200 / scaleOf(a.Re, a.Im)
	for k := range n {
		x := newPairs(k + 1)
		x.re[k] = 1
		value := a.number(k, k)
		least := max(sizeOf(value)*(1.0/(1<<52)), smallest)
		for i := k - 1; i >= 0; i-- {
			gap := differenceOf(a.number(i, i), value)
			if sizeOf(gap) < least {
				gap = [2]float64{least, 0}
			}
			v := quotient(a.row(i, i+1).part(0, k-i).times(x.part(i+1, k+1)), gap)
			x.re[i], x.im[i] = -v[0], -v[1]
			if size := sizeOf(v); size > 0x1p100 {
				x.part(i, k+1).scale([2]float64{1 / size, 0})
			}
		}
		vector := rows.row(k, 0)
		for j := range k + 1 { // the adjoint of w times x, conjugate to the sum of rows
			vector.takeOff(w.row(j, 0), [2]float64{-x.re[j], x.im[j]})
		}
		vector.conjugate()
		size := scaleOf(vector.re, vector.im)
		vector.scale([2]float64{size, 0})
		vector.scale([2]float64{1 / math.Sqrt(vector.dot(vector)[0]), 0})
	}
	return rows
}
