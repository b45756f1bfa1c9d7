package ndarray_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/ops"
)

func TestPrintingFollowsItsGoldenExamples(t *testing.T) {
	matrix := nd.FromSlice([]float32{1, -2.5, 0.125, 100}, 2, 2)
	var none *nd.Array
	for _, test := range []struct {
		format string
		value  *nd.Array
		want   string
	}{
		{"%s", matrix.T(), "[[  1.      0.125]\n [ -2.5   100.   ]]"},
		{"%.1f", matrix, "[[  1.0  -2.5]\n [  0.1 100.0]]"},
		{"%8.2f", matrix, "[[    1.00    -2.50]\n [    0.12   100.00]]"},
		{"%.2v", matrix, "[[  1.    -2.5 ]\n [  0.12 100.  ]]"},
		{"%8v", matrix.Index(0), "[     1.      -2.5]"},
		{"%e", matrix.Index(0), "[ 1.000000e+00 -2.500000e+00]"},
		{"%+.1f", matrix.Index(0), "[+1.0 -2.5]"},
		{"%+v", matrix, "[[  1.     -2.5  ]\n [  0.125 100.   ]] float32 (2,2) cpu(0)"},
		{"%#v", matrix, "nd.FromSlice([]float32{1, -2.5, 0.125, 100}, 2, 2)"},
		{"%#v", nd.Full(int64(7)), "nd.FromSlice([]int64{7}, []int{}...)"},
		{"%#v", nd.Zeros[dtype.F16](1), "nd.FromSlice([]dtype.F16{0}, 1)"},
		{"%#v", nd.FromSlice([]float64{math.Inf(-1), math.NaN()}), "nd.FromSlice([]float64{float64(math.Inf(-1)), float64(math.NaN())}, 2)"},
		{"%#v", nd.FromSlice([]float32{1e10, float32(math.Copysign(0, -1))}), "nd.FromSlice([]float32{1e+10, float32(math.Copysign(0, -1))}, 2)"},
		{"%#v", nd.FromSlice([]complex64{1 + 2i}), "nd.FromSlice([]complex64{complex(1, 2)}, 1)"},
		{"%#v", nd.Arange[int64](0, 2000, 1), "nd.FromSlice([]int64{0, 1, 2, /* 1994 more */ 1997, 1998, 1999}, 2000)"},
		{"%#v", nd.Arange[int64](0, 2000, 1).Reshape(1000, 2).T(), "nd.FromSlice([]int64{0, 2, 4, /* 1994 more */ 1995, 1997, 1999}, 2, 1000)"},
		{"%d", nd.FromSlice([]int64{1, -20}), "[  1 -20]"},
		{"%x", nd.FromSlice([]uint8{10, 255}), "[ a ff]"},
		{"%c", nd.FromSlice([]int32{'a', 'é'}), "[a é]"},
		{"%t", nd.FromSlice([]bool{true, false}), "[ true false]"},
		{"%.2f", nd.FromSlice([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0.5}), "[ NaN +Inf -Inf 0.50]"},
		{"%v", nd.FromSlice([]dtype.BF16{dtype.ToBF16(0.1), dtype.ToBF16(3)}), "[0.1 3. ]"},
		{"%v", nd.Full(dtype.ToBF16(0.1)), "0.1"},
		{"%.1f", nd.FromSlice([]complex128{1 + 2i}), "[(1.0+2.0i)]"},
		{"%v", nd.Full(float32(1.5)), "1.5"},
		{"%.2v", nd.Full(float32(0.123)), "0.12"},
		{"%6v", nd.Full(float32(1.5)), "   1.5"},
		{"%v", nd.Zeros[float32](0), "[]"},
		{"%v", nd.Zeros[float32](1<<40, 0), "[]"},
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

// TestOnlyWhatIsShownIsCopied prints arrays that take more memory than there are addresses, and as many axes as there can be.
func TestOnlyWhatIsShownIsCopied(t *testing.T) {
	for _, where := range []device.Device{device.CPU(0), device.Sim(0)} {
		huge := nd.Arange[float32](0, 4, 1).To(where).Reshape(2, 2).BroadcastTo(1<<20, 1<<20, 2, 2)
		require.Len(t, strings.Fields(huge.String()), 6*6*2*2+6+1, where)
		require.Contains(t, fmt.Sprintf("%.1f", huge), "2.0")
		require.Contains(t, fmt.Sprintf("%#v", huge), "/* 4398046511098 more */")
	}
	flat := nd.Zeros[bool]().BroadcastTo(slices.Repeat([]int{7}, 16)...)
	require.Equal(t, "[...]", flat.String())
	require.Equal(t, "[...] bool "+fault.FormatShape(flat.Shape())+" cpu(0)", fmt.Sprintf("%+v", flat))
}

func TestOfAnArrayOnADeviceOnlyWhatIsShownIsCopiedToTheHost(t *testing.T) {
	x := nd.Arange[float64](0, 5000, 1).To(device.Sim(0)).AddScalar(1).Reshape(50, 100).T()
	require.Contains(t, x.String(), "... 4.701e+03 4.801e+03 4.901e+03]")
	require.Contains(t, fmt.Sprintf("%#v", x), "float64{1, 101, 201, /* 4994 more */ 4800, 4900, 5000}")
	v, err := nd.At[float64](x, 99, -1)
	require.NoError(t, err)
	require.Equal(t, 5000.0, v)
	require.Equal(t, []float64{401, 402}, values[float64](t, x.Index(nd.Span(0, 2), 4)))
	require.Equal(t, []device.Device{device.Sim(0)}, (*ops.Tensor)(x).View().Synced.Valid())
}
