package ptx

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPTXIsCurrent needs no clang: PTX begins with a hash of its sources.
func TestPTXIsCurrent(t *testing.T) {
	require.NotEmpty(t, Modules())
	for _, module := range Modules() {
		hash, err := Hash(os.DirFS("."), module+".cu")
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(Text(module), hash), "%s.cu or a header was changed: run make ptx", module)
	}
}

func TestKernelsAreFoundByOperatorAndElementTypes(t *testing.T) {
	for name, want := range map[string]Kernel{
		"add_float32":              {Packed, "arithmetic", "pack_add_float32"},
		"copy_bits128":             {Packed, "move", "pack_copy_bits128"},
		"cast_any":                 {Each, "move", "each_cast_any"},
		"sum_word8":                {Fold, "fold", "fold_sum_word8"},
		"matmul_int8":              {Inner, "matmul", "inner_matmul_int8"},
		"cumsum_float64":           {Row, "scan", "row_cumsum_float64"},
		"softmax_gradient_float64": {Hold, "softmax_gradient", "hold_softmax_gradient_float64"},
	} {
		found, ok := Find(name)
		require.True(t, ok, name)
		require.Equal(t, want, found)
	}
	_, found := Find("relu_complex64")
	require.False(t, found)
}

// TestSignsOfFloatsAreBits is so that NaN, too, has the same bits wherever it is computed: PTX leaves open what neg and abs make of it.
func TestSignsOfFloatsAreBits(t *testing.T) {
	for _, name := range []string{"neg_float16", "neg_bfloat16", "neg_float32", "neg_float64", "abs_float16", "abs_bfloat16", "abs_float32", "abs_float64"} {
		_, body, found := strings.Cut(Text("arithmetic"), ".entry pack_"+name+"(")
		require.True(t, found, name)
		body, _, _ = strings.Cut(body, "\n}")
		require.NotRegexp(t, `(neg|abs)\.(ftz\.)?f`, body, name)
	}
}
