package cuda

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

func TestParametersAreReadAsCHasThem(t *testing.T) {
	for text, want := range map[string]device.Parameter{
		"const float *const __restrict__ x":  {Name: "x", DType: dtype.Float32, Array: true},
		"float * __restrict__ const rest":    {Name: "rest", DType: dtype.Float32, Array: true, Written: true},
		"float const *__restrict x":          {Name: "x", DType: dtype.Float32, Array: true},
		"float *constants":                   {Name: "constants", DType: dtype.Float32, Array: true, Written: true},
		"float *__restrict__":                {DType: dtype.Float32, Array: true, Written: true},
		"const unsigned long long int count": {Name: "count", DType: dtype.Uint64},
		"int constants":                      {Name: "constants", DType: dtype.Int32},
		"signed char":                        {DType: dtype.Int8},
	} {
		p, err := parseParameter(text)
		require.NoError(t, err)
		require.Equal(t, want, p, text)
	}
	for _, text := range []string{"float **x", "float *x y", "float *x[]", "float &x", "matrix x", "double2 x", "const"} {
		_, err := parseParameter(text)
		require.ErrorContains(t, err, text)
	}
}
