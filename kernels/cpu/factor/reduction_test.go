package factor

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/parallel"
)

func randomPlanes(rows, columns int) Planes {
	r, p := rand.New(rand.NewPCG(uint64(rows), uint64(columns))), NewPlanes(rows, columns)
	for i := range p.Re {
		p.Re[i], p.Im[i] = 2*r.Float64()-1, 2*r.Float64()-1
	}
	return p
}

func randomHermitian(size int) Planes {
	p := randomPlanes(size, size)
	for i := range size {
		p.Set(i, i, float64(i), 0)
		for j := range i {
			re, im := p.At(i, j)
			p.Set(j, i, re, -im)
		}
	}
	return p
}

func (p Planes) dense() dense {
	d := zeros(p.Rows, p.Columns)
	for i := range d {
		for j := range d[i] {
			re, im := p.At(i, j)
			d[i][j] = complex(re, im)
		}
	}
	return d
}

// dense returns the product of reflectors.
func (r Reflectors) dense(size int) dense {
	p := NewPlanes(size, size)
	for i := range size {
		p.Set(i, i, 1, 0)
	}
	r.Apply(p)
	return p.dense()
}

// adjointOf returns the adjoint of a matrix with so many columns.
func adjointOf(d dense, columns int) dense {
	turned := zeros(columns, len(d))
	for i := range d {
		for j, v := range d[i] {
			turned[j][i] = cmplx.Conj(v)
		}
	}
	return turned
}

func requireUnitary(t *testing.T, q dense) {
	t.Helper()
	one := zeros(len(q), len(q))
	for i := range one {
		one[i][i] = 1
	}
	requireClose(t, one, q.adjoint().times(q, len(q)), 1e-12)
}

var reduced = []int{0, 1, 2, 3, 7, 20, 41}

// schurOf returns the triangle of a, and the axes in which a is that.
func schurOf(t *testing.T, a Planes) (triangle, axes Planes) {
	t.Helper()
	n := a.Rows
	q, axes := Hessenberg(a).dense(n), NewPlanes(n, n)
	for i := range n {
		for j := range n {
			axes.Set(j, i, real(q[i][j]), -imag(q[i][j]))
		}
	}
	require.True(t, Schur(a, axes))
	return a, axes
}

func TestRotationsMakeMatricesTriangular(t *testing.T) {
	for _, n := range reduced {
		a := randomPlanes(n, n)
		want := a.dense()
		triangle, axes := schurOf(t, a)
		requireUnitary(t, axes.dense())
		for i := range n {
			for j := range i {
				require.Zero(t, cmplx.Abs(triangle.dense()[i][j]), "element (%d,%d) of %d", i, j, n)
			}
		}
		requireClose(t, want, axes.dense().adjoint().times(triangle.dense(), n).times(axes.dense(), n), 1e-11)
		alone := randomPlanes(n, n)
		Hessenberg(alone)
		require.True(t, Schur(alone, Planes{}))
		for i := range n {
			require.InDelta(t, 0, cmplx.Abs(alone.dense()[i][i]-triangle.dense()[i][i]), 1e-9)
		}
	}
}

func TestEigenvectorsStayInTheirDirections(t *testing.T) {
	for _, n := range reduced {
		a := randomPlanes(n, n)
		want := a.dense()
		triangle, axes := schurOf(t, a)
		for k, row := range Eigenvectors(triangle, axes).dense() {
			vector, length := zeros(n, 1), 0.0
			for i, v := range row {
				vector[i][0] = v
				length = math.Hypot(length, cmplx.Abs(v))
			}
			require.InDelta(t, 1, length, 1e-12)
			moved := want.times(vector, 1)
			for i := range n {
				require.InDelta(t, 0, cmplx.Abs(moved[i][0]-triangle.dense()[k][k]*vector[i][0]), 1e-10)
			}
		}
	}
}

// TestMatricesThatAreHardToTurnHaveEigenvalues has some whose shifts are zero, and some without independent vectors.
func TestMatricesThatAreHardToTurnHaveEigenvalues(t *testing.T) {
	const n = 12
	for name, element := range map[string]func(i, j int) complex128{
		"zeros":   func(i, j int) complex128 { return 0 },
		"cyclic":  func(i, j int) complex128 { return complex(0, float64((i+n-j)%n/(n-1))) },
		"Jordan":  func(i, j int) complex128 { return complex(float64(max(0, 1-(j-i-1)*(j-i-1))), 0) },
		"ones":    func(i, j int) complex128 { return 1i },
		"graded":  func(i, j int) complex128 { return cmplx.Rect(math.Pow(10, float64(5*i-5*j)), float64(i*j)) },
		"swapped": func(i, j int) complex128 { return complex(float64(max(0, 1-(i+j-n+1)*(i+j-n+1))), 0) },
	} {
		a, size := NewPlanes(n, n), 0.0
		for i := range n {
			for j := range n {
				a.Set(i, j, real(element(i, j)), imag(element(i, j)))
				size = max(size, cmplx.Abs(element(i, j)))
			}
		}
		want := a.dense()
		triangle, axes := schurOf(t, a)
		requireClose(t, want, axes.dense().adjoint().times(triangle.dense(), n).times(axes.dense(), n), 1e-12*size)
		for _, row := range Eigenvectors(triangle, axes).dense() {
			length := 0.0
			for _, v := range row {
				length = math.Hypot(length, cmplx.Abs(v))
			}
			require.InDelta(t, 1, length, 1e-9, name)
		}
	}
}

func TestProductsOfAdjointsAreThoseOfTheirElements(t *testing.T) {
	const rows, columns, terms = 5, 3, 4
	for bits := range 8 {
		c := Matrix{Numbers: make([]float64, 2*rows*columns), Columns: columns, Complex: bits&4 != 0}
		operand := func(rows, columns int, adjoint bool) (Matrix, dense) {
			if adjoint {
				rows, columns = columns, rows
			}
			p := randomPlanes(rows, columns)
			m := Matrix{Columns: columns, Complex: c.Complex, Adjoint: adjoint}
			for i, re := range p.Re {
				if m.Numbers = append(m.Numbers, re); m.Complex {
					m.Numbers = append(m.Numbers, p.Im[i])
				} else {
					p.Im[i] = 0
				}
			}
			if adjoint {
				return m, adjointOf(p.dense(), columns)
			}
			return m, p.dense()
		}
		a, left := operand(rows, terms, bits&1 != 0)
		b, right := operand(terms, columns, bits&2 != 0)
		Multiply(parallel.Serial(), rows, columns, terms, a, b, c)
		got := zeros(rows, columns)
		for i := range rows {
			for j := range columns {
				if got[i][j] = complex(c.Numbers[i*columns+j], 0); c.Complex {
					got[i][j] = complex(c.Numbers[2*(i*columns+j)], c.Numbers[2*(i*columns+j)+1])
				}
			}
		}
		t.Run(fmt.Sprint(bits), func(t *testing.T) { requireClose(t, left.times(right, columns), got, 1e-14) })
	}
}
