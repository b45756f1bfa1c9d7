//go:build linux && amd64

package ops

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/storage"
)

// drawn returns numbers that differ, of magnitudes around one.
func drawn(d dtype.DType, shape ...int) array {
	a := newArray(d, shape)
	for i := range a.values {
		a.values[i] = rounded(d, float64((i*37+11)%101)/16-2)
	}
	return a
}

// TestElementsInPacksOnAGPUAreThoseOfTheCPU goes through lengths and first elements that are at multiples of packs and that are not, and operands that
// are repeated along one axis.
func TestElementsInPacksOnAGPUAreThoseOfTheCPU(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	for _, d := range []dtype.DType{dtype.Int8, dtype.Bool, dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64, dtype.Int64, dtype.Complex64, dtype.Complex128} {
		for _, n := range []int{1, 2, 3, 4, 7, 8, 15, 16, 17, 24, 33, 264} {
			for first := range 5 {
				if testing.Short() && (n+first)%4 != 1 {
					continue
				}
				t.Run(fmt.Sprintf("%v %d from %d", d, n, first), func(t *testing.T) {
					results := func(e *Env) (all [][]byte) {
						part := func(a array) *Tensor {
							spans := []storage.Span{{Start: 0, Count: 3, Step: 1}, {Start: first, Count: n, Step: 1}}
							return Invoke(Slice, SliceParams{spans}, a.tensor(e))[0]
						}
						x, y := part(drawn(d, 3, n+first)), drawn(d, 3, n).tensor(e)
						row, column := drawn(d, 1, n).tensor(e), drawn(d, 3, 1).tensor(e)
						truth := drawn(dtype.Bool, 3, n).tensor(e)
						calls := []*Tensor{
							Invoke(Add, nil, x, y)[0], Invoke(Mul, nil, x, row)[0], Invoke(Add, nil, column, x)[0], Invoke(Equal, nil, x, column)[0],
							Invoke(Where, nil, truth, x, row)[0], Invoke(Copy, nil, x)[0], Invoke(Square, nil, x)[0],
						}
						if d.IsFloat() {
							calls = append(calls, Invoke(Exp, nil, x)[0], Invoke(Hypot, nil, x, column)[0], Invoke(Clamp, nil, x, column, row)[0])
						}
						InvokeInto(Add, nil, []*Tensor{x}, x, y)
						for _, r := range append(calls, x) {
							all = append(all, mustBytes(t, r))
						}
						return all
					}
					require.Equal(t, results(env), results(gpu))
				})
			}
		}
	}
}

// TestRowsThatABlockHoldsOnAGPUAgreeWithTheCPU goes through lengths up to what threads hold, and one that is longer, in rows that are packs and that are not.
func TestRowsThatABlockHoldsOnAGPUAgreeWithTheCPU(t *testing.T) {
	gpu := gpuOf(t, newEnv(t, "perdevice"))
	for _, d := range []dtype.DType{dtype.Float16, dtype.Float32, dtype.Float64} {
		for _, n := range []int{1, 3, 4, 31, 32, 255, 256, 260, 1000, 4096, 4097} {
			if n > 260 && (d != dtype.Float32 || testing.Short()) { // which the fake driver takes long for
				continue
			}
			for op, s := range map[*Operator]Sample{
				Softmax: {[][]int{{2, n}}, SoftmaxParams{-1}}, LogSoftmax: {[][]int{{2, n}}, SoftmaxParams{-1}},
				SoftmaxGradient: {[][]int{{2, n}, {2, n}}, SoftmaxParams{-1}}, LogSoftmaxGradient: {[][]int{{2, n}, {2, n}}, SoftmaxParams{-1}},
				LayerNorm: {[][]int{{2, n}, {n}, {n}}, LayerNormParams{-1, 1e-5}}, RMSNorm: {[][]int{{2, n}, {n}}, LayerNormParams{-1, 1e-5}},
				Sum: {[][]int{{2, n}}, ReduceParams{Axes: []int{1}}}, Max: {[][]int{{n, 40}}, ReduceParams{Axes: []int{0}}},
				LogSumExp: {[][]int{{n, 33}}, ReduceParams{Axes: []int{0}}},
			} {
				t.Run(fmt.Sprintf("%s %v %d", op.Name, d, n), func(t *testing.T) {
					c := newCase(op, s, d)
					want, _ := c.reference()
					ulps := c.row.ulps + otherOrder[op.Name]
					if d == dtype.Float64 {
						ulps += 200 // of the reference, which adds one by one
					}
					results := c.call(gpu, c.place(gpu, rowMajor))
					for i, got := range results {
						requireClose(t, want[i], got, ulps)
					}
					for how := range layouts {
						for i, x := range c.call(gpu, c.place(gpu, how)) {
							requireSame(t, mustBytes(t, results[i]), mustBytes(t, x))
						}
					}
				})
			}
		}
	}
}
