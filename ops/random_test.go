package ops

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// random are calls of the operators that draw: their references compute the bits that package philox documents.
var random = map[*Operator][]any{
	Uniform: {
		UniformParams{Shape: []int{7, 333}, DType: dtype.Float32, Low: -1, High: 3, Key: 1<<64 - 5, Sequence: 1 << 40},
		UniformParams{Shape: []int{7, 333}, DType: dtype.Float64, Low: -1, High: 3, Key: 9, Sequence: 1<<64 - 1},
		UniformParams{Shape: []int{300, 401}, DType: dtype.Float32, High: 1},
	},
	Normal: {
		NormalParams{Shape: []int{7, 333}, DType: dtype.Float32, Mean: 5, Deviation: 2, Key: 3, Sequence: 1 << 40},
		NormalParams{Shape: []int{7, 333}, DType: dtype.Float64, Deviation: 1, Key: 1<<64 - 5},
		NormalParams{Shape: []int{9}, DType: dtype.Float64, Mean: 2},
	},
	Permutation: {PermutationParams{Count: 5000, Key: 1<<64 - 5, Sequence: 1 << 40}, PermutationParams{Count: 2, Key: 1}},
}

func TestEveryOperatorThatDrawsIsTried(t *testing.T) {
	for _, op := range All() {
		for _, p := range op.Parameters() {
			if p.Name == "sequence" {
				require.Contains(t, random, op, op.Name)
			}
		}
	}
}

func TestRandomNumbersAreTheDocumentedFunctionOfKeyAndElement(t *testing.T) {
	env := newEnv(t, "perdevice")
	for op, all := range random {
		for _, params := range all {
			row := operators[op.Name]
			requireClose(t, row.reference(nil, params)[0], InvokeIn(env, op, params)[0], row.ulps)
		}
	}
}

// TestRandomBitsDoNotDependOnWorkersOrDevices also writes them to strided memory.
func TestRandomBitsDoNotDependOnWorkersOrDevices(t *testing.T) {
	envs := []*Env{newEnv(t, "naive")}
	for _, workers := range []int{1, 2, 8} {
		env := newEnv(t, "perdevice", poolOf(t, workers))
		envs = append(envs, env, simOf(env))
	}
	for op, all := range random {
		for _, params := range all {
			first := InvokeIn(envs[0], op, params)[0]
			want := mustBytes(t, first)
			for _, env := range envs {
				for range 3 {
					require.Equal(t, want, mustBytes(t, InvokeIn(env, op, params)[0]), op.Name)
				}
				strided := newArray(first.DType(), first.Shape()).placed(env, backward)
				InvokeInto(op, params, []*Tensor{strided})
				require.Equal(t, want, mustBytes(t, strided), op.Name)
			}
		}
	}
}

func TestTicketsOfAGeneratorGiveDifferentNumbers(t *testing.T) {
	env := newEnv(t, "perdevice").WithSeed(1)
	draw := func() []byte {
		ticket := env.Generator().Next()
		return mustBytes(t, InvokeIn(env, Uniform, UniformParams{Shape: []int{64}, DType: dtype.Float32, High: 1, Key: ticket.Key, Sequence: ticket.Sequence})[0])
	}
	first, second := draw(), draw()
	require.NotEqual(t, first, second)
	env = env.WithSeed(1)
	require.Equal(t, first, draw())
	require.Equal(t, second, draw())
}
