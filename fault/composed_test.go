package fault

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFunctionsAreKnownAsUsersWriteThem(t *testing.T) {
	const module = "github.com/weft-nd/weft/"
	for symbol, want := range map[string]string{
		module + "ndarray.(*Array).Median": "Median", module + "ndarray.(*Array).Median.func1": "Median", module + "ndarray.Stack": "Stack",
		module + "ndarray.Masked.Mean": "Masked.Mean", module + "ndarray.Full[...]": "Full", module + "ndarray.(*Captured).Call": "Captured.Call",
		module + "linalg.Condition": "linalg.Condition", module + "nn.(*Dense).Forward": "nn.Dense.Forward", module + "nn.Func.Forward": "nn.Func.Forward",
		module + "nn.init.func2": "nn.init", module + "ops.Invoke": "", module + "autograd.(*Tape).Gradient": "", "main.main": "", "": "",
	} {
		require.Equal(t, want, functionOf(symbol), symbol)
	}
}

func TestFormsOfOperatorsAreNotMadeOfThem(t *testing.T) {
	for function, operator := range map[string]string{
		"Add": "add", "AddScalar": "add", "AddInto": "add", "SumKeepDims": "sum", "AnyTrue": "any", "MatMul": "matmul", "ExpandDims": "expand_dims", "fft.FFT": "fft.FFT",
		"linalg.Inverse": "linalg.Inverse", "TakeAlongAxis": "take_along_axis", "random.NegativeBinomial": "negative_binomial", "Invoke": "exp", "Histogram": "Histogram",
	} {
		require.True(t, isForm(function, operator), "%s %s", function, operator)
	}
	for function, operator := range map[string]string{
		"Median": "sort", "Histogram": "searchsorted", "nn.Dense.Forward": "linear", "linalg.Norm": "linalg.SVD", "MaskSelect": "mask_take", "Masked.Max": "where",
	} {
		require.False(t, isForm(function, operator), "%s %s", function, operator)
	}
}

func TestErrorsAtUnknownPlacesNameTheOperatorAlone(t *testing.T) {
	require.Empty(t, (*Site)(nil).Function())
	require.Empty(t, Here(0).Function()) // called nothing of the library
	root := &Error{Operator: "take", Cause: ErrIndex}
	require.Equal(t, "weft: add was not run: its input failed: take: index out of range", root.Follow(&Error{Operator: "add"}).Error())
}
