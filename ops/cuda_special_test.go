//go:build linux && amd64

package ops

import (
	"fmt"
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/weft-nd/weft/dtype"
)

// special are numbers at which functions change their ways, whole ones for integers among them.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 2, -2, 3, -5, 7, 63, -64, 0.5, -0.75, 1e-3, 30, -30, 800, -800, 1e17, -3e16, 1e300, -1e300, 1e-300, 5e-324,
	math.Inf(1), math.Inf(-1), math.NaN(), math.Pi, 0x1p-24, 65504,
}

// specialPairs returns arrays of type d with all pairs of special numbers, and their imaginary parts, which go through them in another order.
func specialPairs(d dtype.DType) (pairs [2]array, imaginary [2][]float64) {
	n := len(special)
	for i := range pairs {
		pairs[i] = newArray(d, []int{n * n})
		for j := range n * n {
			number, other := j/n, j%n
			if i == 1 {
				number, other = other, number
			}
			v := special[number]
			if d.IsInteger() || d == dtype.Bool {
				v = float64(int64(max(-64, min(v, 63))))
				if v != v || d.Kind() == dtype.KindUnsigned || d == dtype.Bool {
					v = float64(number % 2)
				}
			}
			pairs[i].values[j] = rounded(d, v)
			if d.IsComplex() {
				imaginary[i] = append(imaginary[i], rounded(d.RealPart(), special[(number+3*other+i)%n]))
			}
		}
	}
	return pairs, imaginary
}

// TestSpecialNumbersOnAGPUAreThoseOfTheCPU compares all element-wise operators in every bit, but those of NaN.
func TestSpecialNumbersOnAGPUAreThoseOfTheCPU(t *testing.T) {
	env := newEnv(t, "perdevice")
	gpu := gpuOf(t, env)
	for turn, op := range All() {
		if op.Form != FormUnary && op.Form != FormBinary {
			continue
		}
		for _, d := range dtypesOf(op) {
			if turn++; testing.Short() && turn%shortShare != 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s %v", op.Name, d), func(t *testing.T) { requireSpecial(t, op, d, env, gpu) })
		}
	}
}

func requireSpecial(t *testing.T, op *Operator, d dtype.DType, env, gpu *Env) {
	pairs, imaginary := specialPairs(d)
	on := func(e *Env) *Tensor {
		operands := []*Tensor{}
		for i := range op.Inputs {
			operands = append(operands, pairs[i].tensor(e, imaginary[i]...))
		}
		return Invoke(op, nil, operands...)[0]
	}
	partOf := func(i, at int) (imaginaryPart float64) {
		if at < len(imaginary[i]) {
			return imaginary[i][at]
		}
		return 0
	}
	want, got := on(env), on(gpu)
	wantBytes, gotBytes, of := mustBytes(t, want), mustBytes(t, got), want.DType().RealPart()
	for at := 0; at < len(wantBytes); at += of.Size() {
		w, g := codecs[of].get(unsafe.Pointer(&wantBytes[at])), codecs[of].get(unsafe.Pointer(&gotBytes[at]))
		if same := string(wantBytes[at:][:of.Size()]) == string(gotBytes[at:][:of.Size()]); !same && (w == w || g == g) {
			i := at / want.DType().Size()
			require.Failf(t, "elements differ", "element %d, of %v%+vi and %v%+vi, is %v in its part %d, not %v",
				i, pairs[0].values[i], partOf(0, i), pairs[1].values[i], partOf(1, i), g, at/of.Size()%(want.DType().Size()/of.Size()), w)
		}
	}
}

// TestNormsOnAGPUNeitherOverflowNorLackDigits clips gradients near the edges of float64, of one block and of several.
func TestNormsOnAGPUNeitherOverflowNorLackDigits(t *testing.T) {
	gpu := gpuOf(t, newEnv(t, "perdevice"))
	for _, scale := range []float64{0x1p1000, 0x1p520, 1, 0x1p-450, 0x1p-530, 0x1p-1000} {
		for _, most := range []float64{scale, 1e3 * scale} {
			c := newCase(ClipNorm, Sample{[][]int{{3, 7000}, {5}, {0}}, ClipNormParams{most}}, dtype.Float64)
			for _, a := range c.in {
				for i := range a.values {
					a.values[i] *= scale
				}
			}
			want, _ := c.reference()
			for i, got := range c.call(gpu, c.place(gpu, rowMajor)) {
				requireClose(t, want[i], got, c.row.ulps+otherOrder[c.op.Name])
			}
		}
	}
}
