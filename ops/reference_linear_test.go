package ops

import (
	"math"
	"slices"
)

// referenceLinear adds the addends to the product, and applies the activation.
func referenceLinear(in []array, params any) []array {
	p := params.(LinearParams)
	out := referenceMatmul(in[:2], nil)[0]
	eachIndex(out.shape, func(number int, at []int) {
		sum := out.values[number] * p.Alpha
		out.scale[number] *= p.Alpha
		for _, addend := range in[2:] {
			sum += addend.broadcastAt(at)
			out.scale[number] += math.Abs(addend.broadcastAt(at))
		}
		switch p.Activation {
		case ReluActivation:
			sum = max(sum, 0)
		case GeluActivation:
			sum *= math.Erfc(-sum/math.Sqrt2) / 2
		}
		out.values[number] = sum
	})
	return []array{out}
}

// referenceLinearGradient multiplies what the layer lets through of the upstream gradient.
func referenceLinearGradient(in []array, params any) []array {
	p := params.(LinearGradientParams)
	x, weight, result, up := in[0], in[1], in[2], in[3]
	up.values = slices.Clone(up.values)
	addend := newArray(up.dtype, weight.shape[1:])
	addend.scale = make([]float64, len(addend.values))
	eachIndex(up.shape, func(number int, at []int) {
		if p.Rectified && result.values[number] <= 0 {
			up.values[number] = 0
		}
		addend.values[at[1]] += up.values[number]
		addend.scale[at[1]] += math.Abs(up.values[number])
	})
	turned := func(a array) array {
		t := newArray(a.dtype, []int{a.shape[1], a.shape[0]})
		eachIndex(a.shape, func(number int, at []int) { t.values[at[1]*a.shape[0]+at[0]] = a.values[number] })
		return t
	}
	results := append(referenceMatmul([]array{turned(x), up}, nil), addend)
	if p.Data {
		results = append(results, referenceMatmul([]array{up, turned(weight)}, nil)...)
	}
	return results
}

// onnxGemm is alpha·A·B + beta·C, of which A and B may be transposed and C may be missing.
func onnxGemm(c onnxCall) *Tensor {
	factor := func(name string) float64 {
		if a, given := c.attributes[name]; given {
			return a.float
		}
		return 1
	}
	operand := func(i int, name string) *Tensor {
		if c.integer(name, 0) == 0 {
			return c.in[i]
		}
		return Invoke(Transpose, TransposeParams{}, c.in[i])[0]
	}
	a, b := operand(0, "transA"), operand(1, "transB")
	addend := Scalar(c.env, 0, a.DType())
	if len(c.in) > 2 {
		addend = Invoke(Mul, nil, c.in[2], Scalar(c.env, factor("beta"), a.DType()))[0]
	}
	return Invoke(Linear, LinearParams{NoActivation, factor("alpha")}, a, b, addend)[0]
}
