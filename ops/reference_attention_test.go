package ops

import (
	"math"
	"slices"
)

// attentionReference are the operands of attention, and what their elements are.
type attentionReference struct {
	attentionShape
	q, k, v array
	masks   []array
}

func newAttentionReference(in []array, mask int) attentionReference {
	c := &Call{Operator: Attention}
	for _, x := range in {
		c.Inputs = append(c.Inputs, Operand{Shape: x.shape})
	}
	return attentionReference{c.attention(mask), in[0], in[1], in[2], in[mask:]}
}

func (a attentionReference) scale() float64 { return 1 / math.Sqrt(float64(max(1, a.size))) }

// score is that of a time and another of the head at the given place.
func (a attentionReference) score(head []int, time, other int) float64 {
	sum := 0.0
	for i := range a.size {
		sum += a.q.broadcastAt(append(slices.Clone(head), time, i)) * a.k.broadcastAt(append(slices.Clone(head), other, i))
	}
	sum *= a.scale()
	for _, mask := range a.masks {
		sum += mask.broadcastAt(append(slices.Clone(head), time, other))
	}
	return sum
}

// eachTime calls body for all times of all heads.
func (a attentionReference) eachTime(body func(head []int, time int)) {
	eachIndex(a.with(a.times), func(_ int, index []int) {
		last := len(index) - 1
		body(slices.Clone(index[:last]), index[last])
	})
}

func referenceAttention(in []array, _ any) []array {
	a := newAttentionReference(in, 3)
	y, logs := ofOnes(in[0], a.with(a.times, a.width), 8), ofOnes(in[0], a.with(a.times), 8)
	logs.dtype = singleOf(logs.dtype)
	a.eachTime(func(head []int, time int) {
		sum := 0.0
		for other := range a.others {
			sum += math.Exp(a.score(head, time, other))
		}
		logs.values[logs.number(append(head, time))] = logarithm(sum)
		for other := range a.others {
			for i := range a.width {
				weighed := math.Exp(a.score(head, time, other)) / sum * a.v.broadcastAt(append(slices.Clone(head), other, i))
				y.values[y.number(append(slices.Clone(head), time, i))] += weighed
			}
		}
	})
	return []array{y, logs}
}

func referenceAttentionGradient(in []array, _ any) []array {
	a, y, logs, u := newAttentionReference(in, 6), in[3], in[4], in[5]
	dq, dk, dv := ofOnes(in[0], a.with(a.times, a.size), 256), ofOnes(in[0], a.with(a.others, a.size), 256), ofOnes(in[0], a.with(a.others, a.width), 256)
	a.eachTime(func(head []int, time int) {
		at := func(last ...int) []int { return append(slices.Clone(head), last...) }
		offset := 0.0
		for i := range a.width {
			offset += u.at(at(time, i)...) * y.at(at(time, i)...)
		}
		for other := range a.others {
			weight, slope := math.Exp(a.score(head, time, other)-logs.at(at(time)...)), -offset
			for i := range a.width {
				slope += u.at(at(time, i)...) * a.v.broadcastAt(at(other, i))
				dv.values[dv.number(at(other, i))] += weight * u.at(at(time, i)...)
			}
			slope *= weight * a.scale()
			for i := range a.size {
				dq.values[dq.number(at(time, i))] += slope * a.k.broadcastAt(at(other, i))
				dk.values[dk.number(at(other, i))] += slope * a.q.broadcastAt(at(time, i))
			}
		}
	})
	return []array{dq, dk, dv}
}

// makeAttended makes y and the logarithms of sums results of q, k and v without a mask: weights do not add up to more than one then.
func makeAttended(in []array) {
	for i, result := range referenceAttention(in[:3], nil) {
		for j, v := range result.values {
			in[3+i].values[j] = rounded(in[3+i].dtype, v)
		}
	}
}

// badAttention returns calls with mistakes.
func badAttention() []Sample {
	return []Sample{
		{Shapes: [][]int{{2}, {3, 2}, {3, 2}}}, {Shapes: [][]int{{4, 2}, {3, 3}, {3, 2}}}, {Shapes: [][]int{{4, 2}, {3, 2}, {2, 2}}},
		{Shapes: [][]int{{2, 4, 2}, {3, 3, 2}, {3, 2}}}, {Shapes: [][]int{{4, 2}, {3, 2}, {3, 2}, {3, 3}}}, {Shapes: [][]int{{4, 2}, {3, 2}, {3, 2}, {2, 4, 3}}},
	}
}

func badAttentionGradient() []Sample {
	q, k, y, logs := []int{4, 2}, []int{3, 2}, []int{4, 2}, []int{4}
	return []Sample{
		{Shapes: [][]int{q, k, k, {3, 2}, logs, y}}, {Shapes: [][]int{q, k, k, y, {3}, y}}, {Shapes: [][]int{q, k, k, y, logs, {4}}}, {Shapes: [][]int{q, k, {4, 2}, y, logs, y}},
		{Shapes: [][]int{q, k, k, y, logs, y, {5}}},
	}
}
