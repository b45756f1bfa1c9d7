package cpu

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/kernels/cpu/internal/features"
	"github.com/weft-nd/weft/parallel"
)

// slowMatmul multiplies in float64; batch is the number of leading axes.
func slowMatmul[T dtype.Real](x, y device.View) []float64 {
	rank := len(x.Shape)
	m, k, n := x.Shape[rank-2], x.Shape[rank-1], y.Shape[rank-1]
	xs, ys := elements[T](x), elements[T](y)
	batch := product(x.Shape[:rank-2])
	result := make([]float64, batch*m*n)
	for b := range batch {
		for i := range m {
			for j := range n {
				sum := 0.0
				for l := range k {
					sum += float64(xs[(b*m+i)*k+l]) * float64(ys[(b*k+l)*n+j])
				}
				result[(b*m+i)*n+j] = sum
			}
		}
	}
	return result
}

// matrices returns the ways to lay out a batch of matrices.
func matrices[T dtype.Real](r *rand.Rand, shape []int) []device.View {
	rank := len(shape)
	flipped := append([]int{}, shape...)
	flipped[rank-2], flipped[rank-1] = shape[rank-1], shape[rank-2]
	wide := append([]int{}, shape...)
	wide[rank-1] += 3
	result := views(
		newFilled(r, shape, rowMajor, finite[T]),
		swapped(newFilled(r, flipped, rowMajor, finite[T])),
		span(newFilled(r, wide, rowMajor, finite[T]), rank-1, 1, shape[rank-1]+1),
		newFilled(r, shape, scattered, finite[T]),
		newFilled(r, shape, broadcast, finite[T]),
	)
	if rank > 2 {
		one := append([]int{}, shape...)
		one[0] = 1
		repeated := newFilled(r, one, scattered, finite[T])
		repeated.Shape, repeated.Strides = shape, append([]int{0}, repeated.Strides[1:]...)
		result = append(result, repeated)
	}
	return result
}

func checkMatmul[T dtype.Real](t *testing.T, tolerance float64) {
	r := random()
	for _, c := range []struct {
		batch   []int
		m, k, n int
	}{
		{nil, 1, 1, 1}, {nil, 3, 4, 5}, {nil, 1, 70, 9}, {nil, 70, 9, 1}, {nil, 70, 300, 130}, {nil, 65, 1, 129}, {nil, 1, 40, 150},
		{nil, 90, 60, 10}, {nil, 10, 60, 90}, {[]int{3}, 5, 6, 7}, {[]int{2, 3}, 4, 33, 20}, {nil, 0, 3, 2}, {nil, 3, 0, 2},
		{[]int{0}, 2, 2, 2}, {[]int{2}, 17, 3, 1}, {nil, 2, 300, 2}, {[]int{4}, 1, 6, 7}, {[]int{2, 3}, 1, 4, 1},
		{[]int{3, 2}, 1, 5, 4},
	} {
		with := func(rows, columns int) []int { return append(append([]int{}, c.batch...), rows, columns) }
		for _, x := range matrices[T](r, with(c.m, c.k)) {
			for _, y := range matrices[T](r, with(c.k, c.n)) {
				want := slowMatmul[T](x, y)
				for _, dst := range matrices[T](r, with(c.m, c.n))[:4] {
					run(t, name[T]("matmul"), &device.Arguments{Outputs: views(dst), Inputs: views(x, y)})
					got := elements[T](dst)
					for i, w := range want {
						if math.Abs(float64(got[i])-w) > tolerance*math.Sqrt(float64(c.k))*max(1, math.Abs(w)) {
							require.Equal(t, w, got[i], "%v: x %v, y %v, dst %v", c, x.Strides, y.Strides, dst.Strides)
						}
					}
				}
			}
		}
	}
}

func TestMatmulEqualsItsDefinition(t *testing.T) {
	checkMatmul[float32](t, 2e-6)
	checkMatmul[int32](t, 0)
	if !testing.Short() {
		checkMatmul[int64](t, 0)
		checkMatmul[float64](t, 1e-14)
	}
}

// TestProductsOfIntegersAndVectorsAreThoseOfMatrices compares products of one row or column with those of two, which are computed otherwise.
func TestProductsOfIntegersAndVectorsAreThoseOfMatrices(t *testing.T) {
	r := random()
	for _, d := range []dtype.DType{dtype.Int8, dtype.Int16, dtype.Uint8, dtype.Uint16, dtype.Int32, dtype.Int64, dtype.Uint64} {
		result := d
		if d == dtype.Int8 {
			result = dtype.Int32
		}
		for _, size := range [][3]int{{1, 300, 1}, {9, 70, 1}, {1, 70, 9}} {
			for _, batch := range []int{1, 3} {
				two := [3]int{max(2, size[0]), size[1], max(2, size[2])}
				x := newFilled(r, []int{batch, two[0], two[1]}, rowMajor, finite[int64])
				y := swapped(newFilled(r, []int{batch, two[2], two[1]}, rowMajor, finite[int64]))
				x, y = castTo(t, x, d), swapped(castTo(t, swapped(y), d))
				all := newView(r, result, []int{batch, two[0], two[2]}, rowMajor)
				run(t, "matmul/"+d.String(), &device.Arguments{Outputs: views(all), Inputs: views(x, y)})
				part := func(v device.View, rows, columns int) device.View { return span(span(v, 1, 0, rows), 2, 0, columns) }
				got := newView(r, result, []int{batch, size[0], size[2]}, rowMajor)
				x, y = part(x, size[0], size[1]), part(y, size[1], size[2])
				require.NotNil(t, vectorProduct(got, x, y))
				require.Zero(t, MatMulScratch(got, x, y))
				run(t, "matmul/"+d.String(), &device.Arguments{Outputs: views(got), Inputs: views(x, y)})
				want := part(all, size[0], size[2])
				require.Equal(t, elements[int64](castTo(t, want, dtype.Int64)), elements[int64](castTo(t, got, dtype.Int64)), "%v %v %v", d, size, batch)
			}
		}
	}
}

// TestProductsOfIntegersAndRowsAreThoseOfMatrices does so for matrices whose terms are in other rows, which are added eight at a time, and results with gaps.
func TestProductsOfIntegersAndRowsAreThoseOfMatrices(t *testing.T) {
	r := random()
	for _, d := range []dtype.DType{dtype.Int8, dtype.Uint8, dtype.Int16, dtype.Uint16} {
		result := d
		if d == dtype.Int8 {
			result = dtype.Int32
		}
		const k, n, gap = 70, 90, 3
		row := span(castTo(t, newFilled(r, []int{2, gap * k}, rowMajor, finite[int64]), d), 1, 0, k)
		row.Strides = []int{row.Strides[0], gap}
		matrix := castTo(t, newFilled(r, []int{k, n}, rowMajor, finite[int64]), d)
		want := newView(r, result, []int{2, n}, rowMajor)
		run(t, "matmul/"+d.String(), &device.Arguments{Outputs: views(want), Inputs: views(row, matrix)})
		wide := newView(r, result, []int{1, gap * n}, rowMajor)
		wide.Shape, wide.Strides = []int{1, n}, []int{gap * n, gap}
		one := span(row, 0, 0, 1)
		for _, c := range []struct{ output, x, y device.View }{{wide, one, matrix}, {swapped(wide), swapped(matrix), swapped(one)}} {
			_, found := newRows(c.output, c.x, c.y)
			require.Equal(t, features.Best > features.Portable, found)
			run(t, "matmul/"+d.String(), &device.Arguments{Outputs: views(c.output), Inputs: views(c.x, c.y)})
			got := elements[int64](castTo(t, c.output, dtype.Int64))
			require.Equal(t, elements[int64](castTo(t, span(want, 0, 0, 1), dtype.Int64)), got, "%v, %v", d, c.output.Shape)
		}
	}
}

func TestMatmulOfGonumEqualsItsDefinition(t *testing.T) {
	defer func(before bool) { usesGonum = before }(usesGonum)
	usesGonum = true
	checkMatmul[float64](t, 1e-14)
	if !testing.Short() {
		checkMatmul[float32](t, 2e-6)
	}
}

func TestKernelsAreOursOrThoseOfGonum(t *testing.T) {
	drops := 0
	drop := func() { drops++ }
	require.False(t, chooseKernels("", drop))
	require.True(t, chooseKernels("gonum", drop))
	require.Zero(t, drops)
	require.False(t, chooseKernels("nobfloat16", drop))
	require.False(t, chooseKernels("noamx", drop))
	require.Equal(t, 2, drops)
	require.PanicsWithError(t, `weft: WEFT_CPU_KERNELS: the environment variable is "blas" (legal: gonum, nobfloat16)`, func() { chooseKernels("blas", drop) })
}

// theirKernels tells the test below that it is run by itself, in a process with gonum's kernels.
const theirKernels = "TEST_WITH_KERNELS_OF_GONUM"

func TestProductsHaveGonumsBitsWhereItsKernelsAreChosen(t *testing.T) {
	const m, k, n = 50, 60, 40
	x, y := newFilled(random(), []int{m, k}, rowMajor, finite[float32]), newFilled(random(), []int{n, k}, rowMajor, finite[float32])
	z := newView(random(), dtype.Float32, []int{m, n}, rowMajor)
	run(t, "matmul/float32", &device.Arguments{Outputs: views(z), Inputs: views(x, swapped(y))})
	theirs := make([]float32, m*n)
	gonum.Implementation{}.Sgemm(blas.NoTrans, blas.Trans, m, n, k, 1, elements[float32](x), k, elements[float32](y), k, 0, theirs, n)
	if os.Getenv(theirKernels) != "" {
		require.Equal(t, theirs, elements[float32](z))
		return
	}
	if usesGonum {
		t.Skip("this process was started with gonum's kernels")
	}
	if slices.Equal(theirs, elements[float32](z)) {
		t.Skip("without assembly gonum's sums are in the order of package gemm's")
	}
	again := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	again.Env = append(os.Environ(), theirKernels+"=1", kernelsVariable+"=gonum")
	out, err := again.CombinedOutput()
	if errors.Is(err, syscall.ENOEXEC) {
		t.Skip("an emulator runs this test, but cannot start another program: ", err)
	}
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "--- PASS: "+t.Name())
}

func TestMatmulDoesNotDependOnWorkers(t *testing.T) {
	for _, shape := range [][3]int{{64, 784, 128}, {200, 300, 400}, {784, 64, 10}, {300, 500, 10}} {
		x := newFilled(random(), []int{shape[0], shape[1]}, rowMajor, finite[float32])
		y := newFilled(random(), []int{shape[1], shape[2]}, rowMajor, finite[float32])
		for _, x := range views(x, transposedView(newFilled(random(), []int{shape[1], shape[0]}, rowMajor, finite[float32]), 1, 0)) {
			sameBits[float32](t, func(thread *parallel.Thread) device.View {
				dst := newView(random(), dtype.Float32, []int{shape[0], shape[2]}, rowMajor)
				require.NoError(t, call(t, thread, "matmul/float32", &device.Arguments{Outputs: views(dst), Inputs: views(x, y)}))
				return dst
			})
		}
	}
}

func TestMatmulKeepsNaNOfZeroTimesInfinity(t *testing.T) {
	for _, special := range []float64{math.Inf(1), math.NaN()} {
		for _, columns := range []int{3, 20} {
			ys := make([]float64, 2*columns)
			ys[columns+1] = special
			x := fromSlice([]float64{1, 0, 0, 2, 3, 4, 0, 0}, 4, 2)
			y := fromSlice(ys, 2, columns)
			dst := newView(random(), dtype.Float64, []int{4, columns}, rowMajor)
			run(t, "matmul/float64", &device.Arguments{Outputs: views(dst), Inputs: views(x, y)})
			requireClose(t, slowMatmul[float64](x, y), elements[float64](dst), 0)
		}
	}
}
