package ndarray_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	nd "github.com/weft-nd/weft/ndarray"
)

func halves(numbers ...float32) *nd.Array {
	elements := make([]dtype.F16, len(numbers))
	for i, x := range numbers {
		elements[i] = dtype.ToF16(x)
	}
	return nd.FromSlice(elements)
}

// TestTextsAreThoseOfNumPy has what str, or numpy.array2string with the options, of NumPy 2.4.6 returns.
func TestTextsAreThoseOfNumPy(t *testing.T) {
	for _, test := range []struct {
		array   *nd.Array
		options nd.PrintOptions
		want    string
	}{
		{nd.FromSlice([]float64{0.1, 1.0 / 3, 2}), nd.PrintOptions{}, "[0.1        0.33333333 2.        ]"},
		{nd.FromSlice([]float32{0.1, 1.0 / 3, -2}), nd.PrintOptions{}, "[ 0.1         0.33333334 -2.        ]"},
		{nd.FromSlice([]float32{1, -2.5, 0.125, 100}, 2, 2), nd.PrintOptions{}, "[[  1.     -2.5  ]\n [  0.125 100.   ]]"},
		{nd.FromSlice([]float64{1e10, 1.5, 0}), nd.PrintOptions{}, "[1.0e+10 1.5e+00 0.0e+00]"},
		{nd.FromSlice([]float64{1e-10, 1}), nd.PrintOptions{}, "[1.e-10 1.e+00]"},
		{nd.FromSlice([]float64{1e-10, 1}), nd.PrintOptions{Suppress: true}, "[0. 1.]"},
		{nd.FromSlice([]float64{0.00011, 0.11}), nd.PrintOptions{}, "[0.00011 0.11   ]"},
		{nd.FromSlice([]float64{0.00011, 0.12}), nd.PrintOptions{}, "[1.1e-04 1.2e-01]"},
		{nd.FromSlice([]float64{99999999, 1e6}), nd.PrintOptions{}, "[99999999.  1000000.]"},
		{nd.FromSlice([]float64{1e100, -1e-300, 1}), nd.PrintOptions{}, "[ 1.e+100 -1.e-300  1.e+000]"},
		{nd.FromSlice([]float32{999999, 1000}), nd.PrintOptions{}, "[999999.   1000.]"},
		{nd.FromSlice([]float32{1000000, 1000}), nd.PrintOptions{}, "[1.e+06 1.e+03]"},
		{nd.FromSlice([]float32{16777216, 0.1}), nd.PrintOptions{}, "[1.6777216e+07 1.0000000e-01]"},
		{nd.FromSlice([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5}), nd.PrintOptions{}, "[ nan  inf -inf  0.5]"},
		{nd.FromSlice([]float64{math.NaN(), math.Inf(1)}), nd.PrintOptions{}, "[nan inf]"},
		{nd.FromSlice([]float64{math.Copysign(0, -1), 0}), nd.PrintOptions{}, "[-0.  0.]"},
		{nd.FromSlice([]float64{math.Pi, -math.E}), nd.PrintOptions{Precision: 3}, "[ 3.142 -2.718]"},
		{nd.FromSlice([]float64{math.Pi, -math.E}), nd.PrintOptions{Precision: -1}, "[ 3. -3.]"},
		{nd.FromSlice([]float64{math.Pi, 1e-9}), nd.PrintOptions{Precision: 4}, "[3.1416e+00 1.0000e-09]"},
		{halves(1.5, -2, 0.1), nd.PrintOptions{}, "[ 1.5 -2.   0.1]"},
		{halves(65504, 6e-8), nd.PrintOptions{}, "[6.55e+04 5.96e-08]"},
		{halves(999, 0.015625), nd.PrintOptions{}, "[9.990e+02 1.563e-02]"},
		{halves(500, 600), nd.PrintOptions{}, "[500. 600.]"},
		{nd.FromSlice([]complex128{1 + 2i, -0.5i, 10}), nd.PrintOptions{}, "[ 1.+2.j   0.-0.5j 10.+0.j ]"},
		{nd.FromSlice([]complex64{1e-6 + 1i, 100}), nd.PrintOptions{}, "[1.e-06+1.j 1.e+02+0.j]"},
		{nd.FromSlice([]bool{true, false}), nd.PrintOptions{}, "[ True False]"},
		{nd.FromSlice([]bool{true}), nd.PrintOptions{}, "[ True]"},
		{nd.FromSlice([]int64{1, -20, 300}), nd.PrintOptions{}, "[  1 -20 300]"},
		{nd.FromSlice([]uint64{1 << 63, 0}), nd.PrintOptions{}, "[9223372036854775808                   0]"},
		{nd.FromSlice([]int8{-128, 127}, 2, 1), nd.PrintOptions{}, "[[-128]\n [ 127]]"},
		{nd.Full(float64(1) / 3), nd.PrintOptions{}, "0.3333333333333333"},
		{nd.Full(float32(1e6)), nd.PrintOptions{}, "1e+06"},
		{nd.Full(float32(3)), nd.PrintOptions{}, "3.0"},
		{nd.Full(1e16), nd.PrintOptions{}, "1e+16"},
		{nd.Full(dtype.ToF16(0.1)), nd.PrintOptions{}, "0.1"},
		{nd.Full(1 - 2i), nd.PrintOptions{}, "(1-2j)"},
		{nd.Full(2i), nd.PrintOptions{}, "2j"},
		{nd.Full(true), nd.PrintOptions{}, "True"},
		{nd.Zeros[float32](2, 0), nd.PrintOptions{}, "[]"},
		{nd.Linspace(0.0, 1, 11), nd.PrintOptions{}, "[0.  0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1. ]"},
		{nd.Linspace(0.0, 1, 12), nd.PrintOptions{}, `[0.         0.09090909 0.18181818 0.27272727 0.36363636 0.45454545
 0.54545455 0.63636364 0.72727273 0.81818182 0.90909091 1.        ]`},
		{nd.Arange[int64](0, 40, 1).MulScalar(1000), nd.PrintOptions{}, `[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000
 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000
 24000 25000 26000 27000 28000 29000 30000 31000 32000 33000 34000 35000
 36000 37000 38000 39000]`},
		{nd.Arange[int64](0, 8, 1).Reshape(2, 2, 2), nd.PrintOptions{}, `[[[0 1]
  [2 3]]

 [[4 5]
  [6 7]]]`},
		{nd.Arange[int64](0, 40, 1).Reshape(2, 20), nd.PrintOptions{LineWidth: 30}, `[[ 0  1  2  3  4  5  6  7  8
   9 10 11 12 13 14 15 16 17
  18 19]
 [20 21 22 23 24 25 26 27 28
  29 30 31 32 33 34 35 36 37
  38 39]]`},
		{nd.Arange[int64](0, 6, 1), nd.PrintOptions{LineWidth: 2}, `[0
 1
 2
 3
 4
 5]`},
		{nd.Arange[int64](0, 1001, 1), nd.PrintOptions{}, "[   0    1    2 ...  998  999 1000]"},
		{nd.Arange[int64](0, 2000, 1).Reshape(2, 1000), nd.PrintOptions{}, "[[   0    1    2 ...  997  998  999]\n [1000 1001 1002 ... 1997 1998 1999]]"},
		{nd.Arange[int64](0, 2000, 1).Reshape(1000, 2).T(), nd.PrintOptions{}, "[[   0    2    4 ... 1994 1996 1998]\n [   1    3    5 ... 1995 1997 1999]]"},
		{nd.Arange[int64](0, 4096, 1).Reshape(8, 8, 8, 8), nd.PrintOptions{EdgeItems: 1}, `[[[[   0 ...    7]
   ...
   [  56 ...   63]]

  ...

  [[ 448 ...  455]
   ...
   [ 504 ...  511]]]


 ...


 [[[3584 ... 3591]
   ...
   [3640 ... 3647]]

  ...

  [[4032 ... 4039]
   ...
   [4088 ... 4095]]]]`},
		{nd.Arange[float64](0, 100, 1).Reshape(10, 10), nd.PrintOptions{Threshold: 20, EdgeItems: 2}, `[[ 0.  1. ...  8.  9.]
 [10. 11. ... 18. 19.]
 ...
 [80. 81. ... 88. 89.]
 [90. 91. ... 98. 99.]]`},
	} {
		if test.options == (nd.PrintOptions{}) {
			require.Equal(t, test.want, fmt.Sprint(test.array))
			if test.array.Rank() == 0 { // A single number has all its digits only where nobody asks for fewer.
				continue
			}
		}
		text, err := test.array.Text(test.options)
		require.NoError(t, err)
		require.Equal(t, test.want, text, "%+v", test.options)
	}
}
