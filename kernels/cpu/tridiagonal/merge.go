package tridiagonal

import (
	"cmp"
	"math"
	"slices"

	"github.com/weft-nd/weft/kernels/cpu/conquer"
)

// merge is two halves of a matrix that become one: it is diag(poles) + weight·z·zᵀ in the axes of the vectors of both.
type merge struct {
	*eigen
	conquer.Merge
	lo, middle, hi int
	weight         float64
	z              []float64 // of each row, from lo on
}

func (e *eigen) merge(lo, middle, hi int, tie float64) {
	m := &merge{eigen: e, lo: lo, middle: middle, hi: hi, weight: 2 * math.Abs(tie), z: make([]float64, hi-lo)}
	m.Merge = conquer.Merge{First: lo, Halves: make([]conquer.Halves, hi-lo)}
	for i := range m.z {
		column, sign := middle-1, 1.0
		m.Halves[i] = conquer.FirstHalf
		if lo+i >= middle {
			column, sign, m.Halves[i] = middle, math.Copysign(1, tie), conquer.SecondHalf
		}
		m.z[i] = sign * e.vectors.Numbers[(lo+i)*e.vectors.Stride+column] * math.Sqrt(0.5)
	}
	m.sort()
	m.settle()
	if len(m.Secular) > 0 {
		m.replace()
		m.sort()
	}
}

// sort puts the rows in the order of their values.
func (m *merge) sort() {
	slices.SortStableFunc(m.order[m.lo:m.hi], func(i, j int) int { return cmp.Compare(m.values[i], m.values[j]) })
}

// settle finds the rows that are vectors of the whole as they are, or as they are once two of nearly equal values are
// turned: what is neglected is of the size of rounding errors (LAPACK's dlaed2).
func (m *merge) settle() {
	largest, largestZ := 0.0, 0.0
	for i, z := range m.z {
		largest, largestZ = max(largest, math.Abs(m.values[m.lo+i])), max(largestZ, math.Abs(z))
	}
	negligible := 8 * conquer.Epsilon * max(largest, largestZ)
	for _, row := range m.order[m.lo:m.hi] {
		if m.weight*math.Abs(m.z[row-m.lo]) <= negligible {
			m.Settled = append(m.Settled, row)
			continue
		}
		if last := len(m.Secular) - 1; last >= 0 && m.turn(m.Secular[last], row, negligible) {
			m.Settled = append(m.Settled, m.Secular[last])
			m.Secular = m.Secular[:last]
		}
		m.Secular = append(m.Secular, row)
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
	m.vectors.Turn(first, second, m.lo, m.hi, t.Cosine, t.Sine)
	m.Join(first, second)
	return true
}

// replace replaces the secular rows and their values by those of the whole, as the first rows, which the settled ones follow.
func (m *merge) replace() {
	count, n := len(m.Secular), m.hi-m.lo
	factors, values := m.system[:count*count], make([]float64, count)
	m.solveSecular(factors, values)
	for _, row := range m.Settled {
		values = append(values, m.values[row])
	}
	m.Replace(m.thread, factors, m.vectors, m.lo, m.middle, m.hi, m.temporary)
	copy(m.values[m.lo:], values)
	for i := range n {
		m.order[m.lo+i] = m.lo + i
	}
}

// solveSecular writes the roots, and for each of them a row of the vector in the axes of the secular rows, of which each
// has its column.
func (m *merge) solveSecular(vectors, values []float64) {
	count := len(m.Secular)
	poles, z := make([]float64, count), make([]float64, count)
	for i, row := range m.Secular {
		poles[i], z[i] = m.values[row], m.z[row-m.lo]
	}
	s := conquer.NewSecular(poles, z, m.weight, false)
	s.Roots(m.thread, vectors, values)
	z = s.ExactFor(vectors)
	s.Vectors(m.thread, m.Columns(), vectors, vectors, func(distances, row []float64) { s.Vector(z, distances, row) })
}
