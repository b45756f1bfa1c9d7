//go:build linux && amd64

package ops

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRandomBitsOnAGPUAreThoseOfTheCPU(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	for op, all := range random {
		for _, d := range all {
			want := d.call(env, op)
			require.Equal(t, mustBytes(t, want), mustBytes(t, d.call(gpu, op)), op.Name)
			strided := newArray(want.DType(), want.Shape()).placed(gpu, backward)
			operands := d.operands(gpu)
			if len(operands) == 0 {
				strided = strided.In(d.at(gpu))
			}
			InvokeInto(op, d.params, []*Tensor{strided}, operands...)
			require.Equal(t, mustBytes(t, want), mustBytes(t, strided), op.Name)
		}
	}
}
