package ops

import (
	"math"
	"slices"

	"github.com/weft-nd/weft/dtype"
)

// onnxAttention is attention without a past and caps of scores. Several heads of queries may share one of keys and values.
func onnxAttention(c onnxCall) *Tensor {
	for _, unmapped := range c.in[min(4, len(c.in)):] {
		if unmapped != nil {
			panic(errUnmapped)
		}
	}
	if c.number("softcap", 0) != 0 || c.in[0].DType() != c.in[2].DType() {
		panic(errUnmapped)
	}
	q, k, v, packed := c.in[0], c.in[1], c.in[2], len(c.in[0].Shape()) == 3
	if packed { // (samples, times, heads·size)
		q, k, v = headsApart(q, c.integer("q_num_heads", 0)), headsApart(k, c.integer("kv_num_heads", 0)), headsApart(v, c.integer("kv_num_heads", 0))
	}
	samples, heads, times, size := q.Shape()[0], q.Shape()[1], q.Shape()[2], q.Shape()[3]
	groups, others := k.Shape()[1], k.Shape()[2]
	if scale := c.number("scale", 0); scale != 0 {
		q = Invoke(Mul, nil, q, Scalar(c.env, scale*math.Sqrt(float64(size)), q.DType()))[0]
	}
	grouped := func(x *Tensor, each int) *Tensor {
		return reshaped(x, slices.Concat([]int{samples, groups, each}, x.Shape()[2:]))
	}
	operands := []*Tensor{grouped(q, heads/groups), grouped(k, 1), grouped(v, 1)}
	if len(c.in) > 3 && c.in[3] != nil {
		operands = append(operands, groupedMask(c.in[3], groups, heads/groups))
	}
	if c.integer("is_causal", 0) == 1 {
		operands = append(operands[:3], causally(c.env, operands[3:], q.DType(), times, others))
	}
	y := reshaped(Invoke(Attention, nil, operands...)[0], []int{samples, heads, times, v.Shape()[3]})
	if packed {
		y = reshaped(Invoke(Transpose, TransposeParams{[]int{0, 2, 1, 3}}, y)[0], []int{samples, times, heads * v.Shape()[3]})
	}
	return y
}

func headsApart(x *Tensor, heads int) *Tensor {
	shape := x.Shape()
	apart := reshaped(x, []int{shape[0], shape[1], heads, shape[2] / heads})
	return Invoke(Transpose, TransposeParams{[]int{0, 2, 1, 3}}, apart)[0]
}

// groupedMask divides the axis of heads of a mask.
func groupedMask(mask *Tensor, groups, each int) *Tensor {
	shape := mask.Shape()
	if len(shape) < 3 {
		return mask
	}
	divided := []int{1, 1}
	if heads := shape[len(shape)-3]; heads > 1 {
		divided = []int{groups, each}
	}
	return reshaped(mask, slices.Concat(shape[:len(shape)-3], divided, shape[len(shape)-2:]))
}

// causally adds −Inf to a mask, if there is one, where others come later.
func causally(env *Env, masks []*Tensor, d dtype.DType, times, others int) *Tensor {
	lowest := Invoke(BroadcastTo, BroadcastParams{[]int{times, others}}, Scalar(env, math.Inf(-1), d))[0]
	later := Invoke(Triu, TriangleParams{1}, lowest)[0]
	switch {
	case len(masks) == 0:
		return later
	case masks[0].DType() == dtype.Bool:
		return Invoke(Where, nil, masks[0], later, Scalar(env, math.Inf(-1), d))[0]
	}
	return Invoke(Add, nil, masks[0], later)[0]
}
