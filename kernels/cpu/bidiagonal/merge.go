package bidiagonal

import (
	"cmp"
	"math"
	"slices"

	"github.com/weft-nd/weft/kernels/cpu/conquer"
)

// merge is two halves of a matrix and the row between them that become one. In the axes of the vectors of both halves it is a
// diagonal, of which the element of the row is zero, and the elements z of the row.
type merge struct {
	*svd
	conquer.Merge
	lo, middle, hi, more int
	z                    []float64 // of each row, from lo on
	largest              float64   // element of the matrix, about
}

func (s *svd) merge(lo, middle, hi, more int, onDiagonal, beside float64) {
	m := &merge{svd: s, lo: lo, middle: middle, hi: hi, more: more, z: make([]float64, hi-lo)}
	m.Merge = conquer.Merge{First: lo, Halves: make([]conquer.Halves, hi-lo)}
	m.largest = max(math.Abs(onDiagonal), math.Abs(beside))
	s.values[middle], s.order[middle] = 0, middle
	s.left.Row(middle, lo, hi)[middle-lo] = 1
	for i := range m.z {
		if row := lo + i; row <= middle {
			m.Halves[i], m.z[i] = conquer.FirstHalf, onDiagonal*s.right.Numbers[row*s.right.Stride+middle]
		} else {
			m.Halves[i], m.z[i] = conquer.SecondHalf, beside*s.right.Numbers[row*s.right.Stride+middle+1]
		}
		m.largest = max(m.largest, s.values[lo+i])
	}
	m.Halves[middle-lo] = conquer.BothHalves
	if more > 0 {
		m.turnZeros(beside)
	}
	m.sort()
	m.settle()
	if len(m.Secular) > 1 {
		m.replace()
	} else if z := m.z[middle-lo]; z < 0 {
		for i, v := range s.right.Row(middle, lo, hi+more) {
			s.right.Row(middle, lo, hi+more)[i] = -v
		}
		s.values[middle] = -z
	} else {
		s.values[middle] = z
	}
	m.sort()
}

// turnZeros turns the right vectors of both halves that these take to zero so that the whole does so with the last one.
func (m *merge) turnZeros(beside float64) {
	first, second := m.z[m.middle-m.lo], beside*m.right.Numbers[m.hi*m.right.Stride+m.middle+1]
	if size := math.Hypot(first, second); size > 0 {
		m.right.Turn(m.middle, m.hi, m.lo, m.hi+1, first/size, second/size)
		m.z[m.middle-m.lo] = size
	}
}

// sort puts the rows in the order of their values.
func (m *merge) sort() {
	slices.SortStableFunc(m.order[m.lo:m.hi], func(i, j int) int { return cmp.Compare(m.values[i], m.values[j]) })
}

// settle finds the rows whose vectors are those of the whole as they are, or as they are once two of nearly equal values are
// turned: what is neglected is of the size of rounding errors (LAPACK's dlasd2). The row between the halves is the first secular one.
func (m *merge) settle() {
	negligible := 8 * conquer.Epsilon * m.largest
	m.Secular = append(m.Secular, m.middle)
	for _, row := range m.order[m.lo:m.hi] {
		if row == m.middle {
			continue
		}
		if math.Abs(m.z[row-m.lo]) <= negligible {
			m.Settled = append(m.Settled, row)
			continue
		}
		if last := len(m.Secular) - 1; last > 0 && m.turn(m.Secular[last], row, negligible) {
			m.Settled = append(m.Settled, m.Secular[last])
			m.Secular = m.Secular[:last]
		}
		m.Secular = append(m.Secular, row)
	}
	if len(m.Secular) > 1 { // Poles and their weights are not so near to zero that squares would vanish.
		z, next := &m.z[m.middle-m.lo], &m.values[m.Secular[1]]
		*z, *next = math.Copysign(max(math.Abs(*z), negligible), *z), max(*next, negligible/2)
	}
}

// turn turns two rows so that the element of z of the first is zero, if what that puts beside the diagonal is negligible.
func (m *merge) turn(first, second int, negligible float64) (done bool) {
	t := conquer.TurnOf(m.z[first-m.lo], m.z[second-m.lo], m.values[first], m.values[second])
	if t.Beside > negligible {
		return false
	}
	m.z[first-m.lo], m.z[second-m.lo] = 0, t.Size
	m.values[first], m.values[second] = t.First, t.Second
	m.left.Turn(first, second, m.lo, m.hi, t.Cosine, t.Sine)
	m.right.Turn(first, second, m.lo, m.hi+m.more, t.Cosine, t.Sine)
	m.Join(first, second)
	return true
}

// replace replaces the secular rows and their values by those of the whole, as the first rows, which the settled ones follow.
func (m *merge) replace() {
	count := len(m.Secular)
	_, exponent := math.Frexp(m.largest) // Squares stay in range.
	numbers, z, values := make([]float64, count), make([]float64, count), make([]float64, count)
	for i, row := range m.Secular {
		numbers[i], z[i] = math.Ldexp(m.values[row], -exponent), math.Ldexp(m.z[row-m.lo], -exponent)
	}
	s, distances, factors := conquer.NewSecular(numbers, z, 1, true), m.distances[:count*count], m.factors[:count*count]
	s.Roots(m.thread, distances, values)
	for i, v := range values {
		values[i] = math.Ldexp(v, exponent)
	}
	for _, row := range m.Settled {
		values = append(values, m.values[row])
	}
	z = s.ExactFor(distances)
	columns := m.Columns()
	s.Vectors(m.thread, columns, distances, factors, func(distances, vector []float64) { s.LeftVector(z, distances, vector) })
	m.Replace(m.thread, factors, m.left, m.lo, m.middle, m.hi, m.temporary)
	s.Vectors(m.thread, columns, distances, factors, func(distances, vector []float64) { s.Vector(z, distances, vector) })
	m.Replace(m.thread, factors, m.right, m.lo, m.middle+1, m.hi+m.more, m.temporary)
	copy(m.values[m.lo:], values)
	for i := m.lo; i < m.hi; i++ {
		m.order[i] = i
	}
}
