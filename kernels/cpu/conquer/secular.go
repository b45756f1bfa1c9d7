package conquer

import (
	"math"

	"github.com/weft-nd/weft/parallel"
)

// Epsilon is half the distance of the numbers behind one.
const Epsilon = 1.0 / (1 << 53)

// Secular is the function f(x) = 1/weight + Σ zᵢ²/(pᵢ − x), whose roots are the eigenvalues of diag(p) + weight·z·zᵀ: one behind
// each pole pᵢ, before the next one. The poles are numbers in ascending order of which no two are equal, or their squares, and so are
// the roots: those of squares and of weight one are the singular values of a matrix that has z as its first row, and the
// numbers, of which the first is zero, on the rest of the diagonal (Jessup and Sorensen, "A parallel algorithm for computing the
// singular value decomposition of a matrix", 1994). What is between squares is found from the numbers themselves.
type Secular struct {
	numbers, z []float64
	ofSquares  bool
	squares    []float64 // of z
	total      float64   // of the squares
	inverse    float64   // of the weight
}

// NewSecular returns the function of numbers, or of their squares.
func NewSecular(numbers, z []float64, weight float64, ofSquares bool) *Secular {
	s := &Secular{numbers: numbers, z: z, ofSquares: ofSquares, squares: make([]float64, len(z)), inverse: 1 / weight}
	for i, z := range s.z {
		s.squares[i] = float64(z * z)
		s.total += s.squares[i]
	}
	return s
}

// between returns pole j less pole i.
func (s *Secular) between(i, j int) float64 {
	d := s.numbers[j] - s.numbers[i]
	if s.ofSquares {
		d *= s.numbers[j] + s.numbers[i]
	}
	return d
}

// sums are the sums of the terms of some poles and their slopes.
type sums struct{ value, slope float64 }

// sum returns the sums of terms whose poles are at distances from some origin, for x there.
func sum(squares, distances []float64, x float64) (total sums) {
	distances = distances[:len(squares)]
	for j, square := range squares {
		inverse := 1 / (distances[j] - x)
		term := float64(square * inverse)
		total.value += term
		total.slope += float64(term * inverse)
	}
	return total
}

// root returns the root behind pole i, and writes the distances of all poles from it.
//
// It goes from the nearer one of the poles beside it. A step is to the root of a constant and a term with each of these
// two poles that have the values and slopes of the terms of all poles on their sides (Bunch, Nielsen and Sorensen,
// "Rank-one modification of the symmetric eigenproblem", 1978; LAPACK's dlaed4 is a refinement), or to the middle of the
// interval that is left where that leads out of it.
func (s *Secular) root(i int, distances []float64) (root float64) {
	count := len(s.numbers)
	isLast := i == count-1
	width := s.total / s.inverse * (1 + 8*Epsilon) // of the interval, behind the last pole
	if !isLast {
		width = s.between(i, i+1)
	}
	s.from(i, distances)
	origin, low, high := i, 0.0, width
	f, inner := s.at(i, distances, width/2)
	if f < 0 {
		low = width / 2
		if !isLast {
			origin, low, high = i+1, -width/2, 0
			s.from(origin, distances)
		}
	} else {
		high = width / 2
	}
	x := s.guess(i, origin, width, inner)
	for range 100 {
		if !(x > low && x < high) {
			x = low + float64((high-low)/2)
		}
		if x == low || x == high {
			break
		}
		before, behind := sum(s.squares[:i+1], distances, x), sum(s.squares[i+1:], distances[i+1:], x)
		f := s.inverse + before.value + behind.value
		slope := before.slope + behind.slope
		bound := float64(8*(behind.value-before.value)) + s.inverse + float64(math.Abs(x)*slope)
		if math.Abs(f) <= Epsilon*bound {
			break
		}
		if f < 0 {
			low = x
		} else {
			high = x
		}
		p, q := distances[i]-x, math.Inf(1)
		if !isLast {
			q = distances[i+1] - x
		}
		step := s.step(f, p, q, before.slope, behind.slope)
		if f*step >= 0 {
			step = -f / slope
		}
		if math.Abs(step) <= Epsilon*math.Abs(x) {
			break
		}
		x += step
	}
	for j, d := range distances {
		distances[j] = d - x
	}
	number := s.numbers[origin]
	if s.ofSquares {
		return number + x/(number+math.Sqrt(float64(number*number)+x))
	}
	return number + x
}

// from writes the distances of the poles from one of them.
func (s *Secular) from(origin int, distances []float64) {
	for j := range distances {
		distances[j] = s.between(origin, j)
	}
}

// at returns the function at x, and without the terms of the poles beside it: of i and the next one, or of the last two.
func (s *Secular) at(i int, distances []float64, x float64) (f, others float64) {
	first := max(0, min(i, len(s.numbers)-2))
	end := min(first+2, len(s.numbers))
	others = s.inverse + sum(s.squares[:first], distances, x).value + sum(s.squares[end:], distances[end:], x).value
	return others + sum(s.squares[first:end], distances[first:end], x).value, others
}

// guess returns the root, from the origin, of what is left if all but the poles beside it are constant (LAPACK's dlaed4).
func (s *Secular) guess(i, origin int, width, others float64) float64 {
	count := len(s.numbers)
	var a, b, c float64
	switch {
	case count == 1:
		return s.total / s.inverse
	case i == count-1:
		gap := s.between(i-1, i)
		a, b, c = float64(others*gap)-s.squares[i-1]-s.squares[i], -float64(s.squares[i]*gap), others
		a = -a
		root := math.Sqrt(math.Abs(float64(a*a) - float64(4*b*c)))
		if a < 0 {
			return -2 * b / (root - a)
		}
		return (a + root) / (2 * c)
	case origin == i:
		a, b, c = float64(others*width)+s.squares[i]+s.squares[i+1], float64(s.squares[i]*width), others
	default:
		a, b, c = float64(others*-width)+s.squares[i]+s.squares[i+1], -float64(s.squares[i+1]*width), others
	}
	return smallerRoot(a, b, c)
}

// step returns the root η of c + u/(p−η) + v/(q−η), where u and v have the slopes before and behind at η = 0, and the whole has the value f.
func (s *Secular) step(f, p, q, before, behind float64) float64 {
	if math.IsInf(q, 1) {
		return p * f / (f - float64(p*before))
	}
	c := f - float64(p*before) - float64(q*behind)
	return smallerRoot(float64((p+q)*f)-float64(float64(p*q)*(before+behind)), float64(float64(p*q)*f), c)
}

// smallerRoot returns the root of c·x² − a·x + b that is (a − √(a²−4bc))/2c.
func smallerRoot(a, b, c float64) float64 {
	root := math.Sqrt(math.Abs(float64(a*a) - float64(4*b*c)))
	if a > 0 {
		return 2 * b / (a + root)
	}
	return (a - root) / (2 * c)
}

// Roots writes the roots, and for each of them a row of the distances of the poles from it.
func (s *Secular) Roots(t *parallel.Thread, distances, roots []float64) {
	count := len(s.numbers)
	t.ForCost(count, float64(20*count), func(_ *parallel.Thread, lo, hi int) {
		for i := lo; i < hi; i++ {
			roots[i] = s.root(i, distances[i*count:][:count])
		}
	})
}

// ExactFor returns the z whose matrix has the roots that were found exactly, with the signs of that of s (Gu and Eisenstat).
func (s *Secular) ExactFor(distances []float64) (z []float64) {
	count := len(s.numbers)
	z = make([]float64, count)
	for i := range z {
		z[i] = distances[i*count+i]
	}
	for i := range z {
		for j, d := range distances[i*count:][:count] {
			if j != i {
				z[j] *= d / s.between(i, j)
			}
		}
	}
	for i, v := range z {
		z[i] = math.Copysign(math.Sqrt(math.Abs(v)), s.z[i])
	}
	return z
}

// Vectors writes what one of the functions below makes of the distances of each root, each element to its column. Both may be the same
// memory.
func (s *Secular) Vectors(t *parallel.Thread, columns []int, distances, vectors []float64, of func(distances, vector []float64)) {
	count := len(s.numbers)
	t.ForCost(count, float64(3*count), func(_ *parallel.Thread, lo, hi int) {
		vector := make([]float64, count)
		for i := lo; i < hi; i++ {
			of(distances[i*count:][:count], vector)
			for j, column := range columns {
				vectors[i*count+column] = vector[j]
			}
		}
	})
}

// Vector writes the vector of length one of the root at distances from the poles, the right one of a singular value.
func (s *Secular) Vector(z, distances, vector []float64) {
	total := 0.0
	for j, d := range distances {
		v := z[j] / d
		vector[j] = v
		total += float64(v * v)
	}
	divide(vector, math.Sqrt(total))
}

// LeftVector is Vector for the left one of a singular value.
func (s *Secular) LeftVector(z, distances, vector []float64) {
	vector[0] = -1
	total := 1.0
	for j := 1; j < len(vector); j++ {
		v := s.numbers[j] * (z[j] / distances[j])
		vector[j] = v
		total += float64(v * v)
	}
	divide(vector, math.Sqrt(total))
}

func divide(x []float64, by float64) {
	for i := range x {
		x[i] /= by
	}
}
