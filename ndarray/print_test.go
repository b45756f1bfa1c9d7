package ndarray_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

func TestPrintingFollowsItsGoldenExamples(t *testing.T) {
	matrix := nd.FromSlice([]float32{1, -2.5, 0.125, 100}, 2, 2)
	var none *nd.Array
	for _, test := range []struct {
		format string
		value  *nd.Array
		want   string
	}{
		{"%v", matrix, "[[  1.000  -2.500]\n [  0.125 100.000]]"},
		{"%s", matrix.T(), "[[  1.000   0.125]\n [ -2.500 100.000]]"},
		{"%.1f", matrix, "[[  1.0  -2.5]\n [  0.1 100.0]]"},
		{"%8.2f", matrix, "[[    1.00    -2.50]\n [    0.12   100.00]]"},
		{"%.3v", matrix, "[[    1  -2.5]\n [0.125   100]]"},
		{"%e", matrix.Index(0), "[ 1.000000e+00 -2.500000e+00]"},
		{"%+.1f", matrix.Index(0), "[+1.0 -2.5]"},
		{"%+v", matrix, "[[  1.000  -2.500]\n [  0.125 100.000]] float32 (2,2) cpu(0)"},
		{"%#v", matrix, "nd.FromSlice([]float32{1, -2.5, 0.125, 100}, 2, 2)"},
		{"%#v", nd.Full(int64(7)), "nd.FromSlice([]int64{7}, []int{}...)"},
		{"%#v", nd.Zeros[dtype.F16](1), "nd.FromSlice([]dtype.F16{0}, 1)"},
		{"%#v", nd.FromSlice([]float64{math.Inf(-1), math.NaN()}), "nd.FromSlice([]float64{float64(math.Inf(-1)), float64(math.NaN())}, 2)"},
		{"%#v", nd.Arange[int64](0, 2000, 1), "nd.FromSlice([]int64{0, 1, 2, /* 1994 more */ 1997, 1998, 1999}, 2000)"},
		{"%v", nd.FromSlice([]int64{1, -20, 300}), "[  1 -20 300]"},
		{"%d", nd.FromSlice([]int64{1, -20}), "[  1 -20]"},
		{"%x", nd.FromSlice([]uint8{10, 255}), "[ a ff]"},
		{"%v", nd.FromSlice([]bool{true, false}), "[ true false]"},
		{"%v", nd.FromSlice([]float32{1, 2, 3}), "[1 2 3]"},
		{"%v", nd.FromSlice([]float64{0.1, 1.0 / 3}), "[0.10000000 0.33333333]"},
		{"%v", nd.FromSlice([]float32{0.1, 0.3}), "[0.1 0.3]"},
		{"%v", nd.FromSlice([]float64{1e10, 1.5, 0}), "[1.0e+10 1.5e+00 0.0e+00]"},
		{"%v", nd.FromSlice([]float64{1e-10, 1}), "[1e-10 1e+00]"},
		{"%v", nd.FromSlice([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5}), "[ NaN +Inf -Inf  0.5]"},
		{"%v", nd.FromSlice([]dtype.F16{dtype.ToF16(1.5), dtype.ToF16(-2)}), "[ 1.5 -2.0]"},
		{"%v", nd.FromSlice([]dtype.BF16{dtype.ToBF16(0.25)}), "[0.25]"},
		{"%v", nd.FromSlice([]complex64{1 + 2i, -1i}), "[1+2i 0-1i]"},
		{"%v", nd.FromSlice([]complex128{1.5 + 2i, -100 - 0.25i}), "[   1.5+2.00i -100.0-0.25i]"},
		{"%v", nd.FromSlice([]complex64{1e10 + 1i, complex(0, float32(math.Inf(-1)))}), "[  1e+10+1i 0e+00-Infi]"},
		{"%v", nd.Full(complex(math.NaN(), math.Inf(1))), "NaN+Infi"},
		{"%.1f", nd.FromSlice([]complex128{1 + 2i}), "[(1.0+2.0i)]"},
		{"%#v", nd.FromSlice([]complex64{1 - 2i}), "nd.FromSlice([]complex64{(1-2i)}, 1)"},
		{"%#v", nd.FromSlice([]complex128{complex(math.Inf(1), 0)}), "nd.FromSlice([]complex128{complex(float64(math.Inf(1)), 0)}, 1)"},
		{"%v", nd.Full(float32(1.5)), "1.5"},
		{"%v", nd.Zeros[float32](0), "[]"},
		{"%v", nd.Zeros[float32](2, 0), "[]"},
		{"%v", nd.Zeros[float32](1<<40, 0), "[]"},
		{"%v", nd.Arange[int64](0, 8, 1).Reshape(2, 2, 2), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]"},
		{"%v", nd.Arange[int64](0, 1001, 1), "[   0    1    2 ...  998  999 1000]"},
		{"%v", nd.Arange[int64](0, 2000, 1).Reshape(2, 1000), "[[   0    1    2 ...  997  998  999]\n [1000 1001 1002 ... 1997 1998 1999]]"},
		{"%v", none, "<nil>"},
		{"%v", new(nd.Array), "<nil>"},
	} {
		require.Equal(t, test.want, fmt.Sprintf(test.format, test.value), test.format)
	}
}

func TestBothAxesOfALargeArrayAreCut(t *testing.T) {
	want := strings.Join([]string{
		"[[   0    1    2 ...   97   98   99]",
		" [ 100  101  102 ...  197  198  199]",
		" [ 200  201  202 ...  297  298  299]",
		" ...",
		" [9700 9701 9702 ... 9797 9798 9799]",
		" [9800 9801 9802 ... 9897 9898 9899]",
		" [9900 9901 9902 ... 9997 9998 9999]]",
	}, "\n")
	require.Equal(t, want, nd.Arange[int64](0, 10000, 1).Reshape(100, 100).String())
}

func TestUpToAThousandElementsNothingIsLeftOut(t *testing.T) {
	require.Len(t, strings.Fields(nd.Zeros[bool](10, 100).String()), 1000)
	require.Len(t, strings.Fields(nd.Zeros[bool](1001).String()), 7)
}

func TestPrintingAnArrayInErrorShowsTheError(t *testing.T) {
	failed := floats(2).Take(nd.FromSlice([]int64{5}), 0)
	released := floats(2)
	released.Release()
	for _, format := range []string{"%v", "%+v", "%#v", "%.3f", "%d", "%s"} {
		require.Contains(t, fmt.Sprintf(format, failed), "take: index 5 is out of range", format)
		require.Contains(t, fmt.Sprintf(format, released), fault.ErrReleased.Error(), format)
		require.NotContains(t, fmt.Sprintf(format, released), " at print.go", format) // a file of package fmt
	}
	require.Contains(t, fmt.Sprint(failed.BroadcastTo(2000, 1)), "take: index 5")
}
