//go:build linux && amd64

package ops

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// large are calls that a GPU computes in more than one launch, or by more than one block. References of gradients of norms take the square
// of a row's time.
var large = map[*Operator][]Sample{
	Sum:                   {{[][]int{{30000}}, ReduceParams{}}, {[][]int{{9000, 12}}, ReduceParams{Axes: []int{0}}}, {[][]int{{9000, 70}}, ReduceParams{Axes: []int{0}}}},
	Mean:                  {{[][]int{{3, 9000}}, ReduceParams{Axes: []int{1}}}},
	Max:                   {{[][]int{{30000}}, ReduceParams{}}, {[][]int{{10, 2, 9000}}, ReduceParams{Axes: []int{2, 0}}}},
	ArgMin:                {{[][]int{{3, 9001}}, ReduceParams{Axes: []int{1}}}},
	CountNonzero:          {{[][]int{{9000, 33}}, ReduceParams{Axes: []int{0}}}},
	Conv:                  {{[][]int{{2, 3, 20, 21}, {34, 3, 3, 3}}, ConvParams{Stride: []int{2, 1}, Padding: []int{1}}}},
	ConvBias:              {{[][]int{{2, 6, 9, 9}, {70, 3, 3, 3}, {70}}, ConvParams{Groups: 2}}},
	ConvGradientData:      {{[][]int{{2, 34, 9, 10}, {34, 3, 3, 3}}, ConvGradientDataParams{Stride: []int{2}, Shape: []int{19, 21}}}},
	ConvGradientWeights:   {{[][]int{{4, 3, 30, 30}, {4, 5, 28, 28}}, ConvGradientWeightsParams{Kernel: []int{3, 3}}}},
	CumSum:                {{[][]int{{3, 140_000}}, ScanParams{Axis: 1}}, {[][]int{{5000, 3}}, ScanParams{Reverse: true, Exclusive: true}}},
	Std:                   {{[][]int{{3, 30000}}, SpreadParams{Axes: []int{1}}}, {[][]int{{9000, 9}}, SpreadParams{Axes: []int{0}, Correction: 1}}},
	CumMax:                {{[][]int{{2, 3000}}, ScanParams{Axis: 1}}},
	SelfAttention:         {{[][]int{{1, 515, 12}}, AttentionParams{2, true}}},
	SelfAttentionGradient: {{[][]int{{1, 515, 12}, {1, 515, 4}, {1, 2, 515}, {1, 515, 4}}, AttentionParams{2, true}}},
	Unique:                {{[][]int{{9000}}, nil}},
	Norm:                  {{[][]int{{30000}}, NormParams{Order: 3}}},
	LogSumExp:             {{[][]int{{9000, 40}}, ReduceParams{Axes: []int{0}}}},
	Sort:                  {{[][]int{{3, 1500}}, SortParams{Axis: 1, Descending: true}}},
	ArgSort:               {{[][]int{{1100, 2}}, SortParams{Axis: 0}}},
	LayerNorm:             {{[][]int{{2, 9000}, {9000}, {9000}}, LayerNormParams{-1, 1e-5}}},
	RMSNorm:               {{[][]int{{2, 9000}, {9000}}, LayerNormParams{-1, 1e-5}}},
	BatchNorm:             {{[][]int{{2, 9, 60, 80}, {9}, {9}}, BatchNormParams{1e-5}}},
	GroupNorm:             {{[][]int{{1, 4, 70, 70}, {4}, {4}}, GroupNormParams{2, 1e-5}}},
	LayerNormGradient:     {{[][]int{{1, 9000}, {9000}, {1, 9000}}, LayerNormParams{-1, 1e-5}}, {[][]int{{9000, 9}, {9}, {9000, 9}}, LayerNormParams{-1, 1e-5}}},
	RMSNormGradient:       {{[][]int{{1, 9000}, {9000}, {1, 9000}}, LayerNormParams{-1, 1e-5}}},
	BatchNormGradient:     {{[][]int{{2, 2, 60, 80}, {2}, {2, 2, 60, 80}}, BatchNormParams{1e-5}}},
	GroupNormGradient:     {{[][]int{{1, 4, 70, 70}, {4}, {1, 4, 70, 70}}, GroupNormParams{2, 1e-5}}},
}

// TestLargeOperatorsOnAGPUAgreeWithTheCPU compares values, and results for operands in other layouts in every bit
// where the same kernel computes them.
func TestLargeOperatorsOnAGPUAgreeWithTheCPU(t *testing.T) {
	if testing.Short() {
		t.Skip("large arrays on the fake driver are computed one element after the other: the full tests have them")
	}
	gpu := gpuOf(t, newEnv(t, "perdevice"))
	types := []dtype.DType{dtype.Float32, dtype.Float64}
	for op, samples := range large {
		for i, s := range samples {
			for _, d := range types {
				t.Run(fmt.Sprintf("%s %d %v", op.Name, i, d), func(t *testing.T) {
					before := Fallbacks()[op.Name]
					c := newCase(op, s, d)
					want, _ := c.reference()
					results := c.call(gpu, c.place(gpu, rowMajor))
					ulps := c.row.ulps + otherOrder[op.Name]
					if d == dtype.Float64 {
						ulps += 200 // of the reference, which adds one by one
					}
					for i, got := range results {
						requireClose(t, want[i], got, ulps)
					}
					again := c.call(gpu, c.place(gpu, backward))
					for i, got := range results {
						if layoutDecides(op) {
							requireClose(t, want[i], again[i], ulps)
							continue
						}
						requireSame(t, mustBytes(t, got), mustBytes(t, again[i]))
					}
					if Fallbacks()[op.Name] != before {
						t.Error("the CPU has computed it")
					}
				})
			}
		}
	}
}

// requireSame fails without writing what is compared, which is long.
func requireSame(t *testing.T, want, got []byte) {
	t.Helper()
	for i := range want {
		if want[i] != got[i] {
			t.Fatalf("byte %d of %d differs", i, len(want))
		}
	}
}

// TestOrderOnAGPUIsThatOfTheCPU compares sorts and extremes of numbers that are equal, or none, in every bit.
func TestOrderOnAGPUIsThatOfTheCPU(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	zero, inf := math.Copysign(0, -1), math.Inf(1)
	for _, values := range [][]float64{
		{3, 0, zero, 0, math.NaN(), -1, inf, -inf, zero, math.Copysign(math.NaN(), -1), 3}, {zero, 0, zero}, {0, zero}, {-inf, -inf}, {inf, math.NaN(), inf},
	} {
		for _, d := range []dtype.DType{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
			x := array{d, []int{len(values)}, values, nil}
			for _, op := range []*Operator{Max, Min, ArgMax, ArgMin} {
				want, got := Invoke(op, ReduceParams{}, x.tensor(env))[0], Invoke(op, ReduceParams{}, x.tensor(gpu))[0]
				if isNaN := valuesOf(t, want)[0]; isNaN != isNaN {
					continue // of which there are more than one
				}
				require.Equal(t, mustBytes(t, want), mustBytes(t, got), "%s of %v %v", op.Name, d, values)
			}
			for _, op := range []*Operator{Sort, ArgSort} {
				for _, descending := range []bool{false, true} {
					p := SortParams{Axis: 0, Descending: descending}
					require.Equal(t, mustBytes(t, Invoke(op, p, x.tensor(env))[0]), mustBytes(t, Invoke(op, p, x.tensor(gpu))[0]), "%s of %v %v", op.Name, d, values)
				}
			}
		}
	}
}
