package cpu

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNamesAreSortedAndFound(t *testing.T) {
	names := Names()
	require.True(t, slices.IsSorted(names))
	for _, name := range names {
		kernel, found := Lookup(name)
		require.True(t, found)
		require.NotNil(t, kernel)
	}
	_, found := Lookup("maximum/complex64")
	require.False(t, found)
}

func TestEveryKernelOfTheOperatorLayerIsThere(t *testing.T) {
	required := map[string][]string{}
	for _, operator := range []string{"exp", "log", "sqrt", "tanh", "sigmoid", "div", "mean", "softmax", "log_softmax",
		"softmax_cross_entropy", "sgd", "uniform", "normal"} {
		required[operator] = []string{"float32", "float64"}
	}
	for _, operator := range []string{"neg", "relu", "square", "add", "sub", "mul", "maximum", "greater", "equal", "where",
		"sum", "max", "argmax", "matmul", "take", "scatter_add", "one_hot"} {
		required[operator] = []string{"float32", "float64", "int64"}
	}
	common := []string{"bool", "uint8", "int32", "int64", "float32", "float64", "float16", "bfloat16"}
	for _, operator := range []string{"copy", "concat", "embed", "fill"} {
		required[operator] = common
	}
	required["permutation"] = []string{"int64"}
	required["equal"] = append(required["equal"], "bool")
	required["where"] = append(required["where"], "bool")
	required["take"] = append(required["take"], "bool")
	for _, from := range common {
		for _, to := range common {
			required["cast"] = append(required["cast"], from+"/"+to)
		}
	}
	for operator, dtypes := range required {
		for _, d := range dtypes {
			_, found := Lookup(operator + "/" + d)
			require.True(t, found, operator+"/"+d)
		}
	}
}
