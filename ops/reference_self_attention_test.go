package ops

import "math"

// selfAttentionReference is the operand of self_attention, and what its elements are.
type selfAttentionReference struct {
	samples, times, heads, size int
	causal                      bool
	x                           array
}

func newSelfAttentionReference(x array, params any) selfAttentionReference {
	p := params.(AttentionParams)
	return selfAttentionReference{x.shape[0], x.shape[1], p.Heads, x.shape[2] / 3 / p.Heads, p.Causal, x}
}

// at returns the number of an element of the queries, keys or values, which are part 0, 1 and 2.
func (a selfAttentionReference) at(sample, time, part, head, i int) int {
	return ((sample*a.times+time)*3+part)*a.heads*a.size + head*a.size + i
}

// of returns the number of an element of the result.
func (a selfAttentionReference) of(sample, time, head, i int) int {
	return ((sample*a.times+time)*a.heads+head)*a.size + i
}

func (a selfAttentionReference) scale() float64 { return 1 / math.Sqrt(float64(max(1, a.size))) }

// seen returns how many times one looks at.
func (a selfAttentionReference) seen(time int) int {
	if a.causal {
		return time + 1
	}
	return a.times
}

func (a selfAttentionReference) score(sample, head, row, column int) float64 {
	sum := 0.0
	for i := range a.size {
		sum += a.x.values[a.at(sample, row, 0, head, i)] * a.x.values[a.at(sample, column, 1, head, i)]
	}
	return sum * a.scale()
}

// eachRow calls body for all times of all heads of all samples.
func (a selfAttentionReference) eachRow(body func(sample, head, time int)) {
	for sample := range a.samples {
		for head := range a.heads {
			for time := range a.times {
				body(sample, head, time)
			}
		}
	}
}

// ofOnes returns an array whose errors are counted in units of the given number.
func ofOnes(like array, shape []int, unit float64) array {
	a := newArray(like.dtype, shape)
	a.scale = make([]float64, len(a.values))
	for i := range a.scale {
		a.scale[i] = unit
	}
	return a
}

func referenceSelfAttention(in []array, params any) []array {
	a := newSelfAttentionReference(in[0], params)
	y, logs := ofOnes(in[0], []int{a.samples, a.times, a.heads * a.size}, 8), ofOnes(in[0], []int{a.samples, a.heads, a.times}, 8)
	logs.dtype = singleOf(logs.dtype)
	a.eachRow(func(sample, head, time int) {
		sum := 0.0
		for column := range a.seen(time) {
			sum += math.Exp(a.score(sample, head, time, column))
		}
		logs.values[(sample*a.heads+head)*a.times+time] = math.Log(sum)
		for column := range a.seen(time) {
			for i := range a.size {
				y.values[a.of(sample, time, head, i)] += math.Exp(a.score(sample, head, time, column)) / sum * a.x.values[a.at(sample, column, 2, head, i)]
			}
		}
	})
	return []array{y, logs}
}

func referenceSelfAttentionGradient(in []array, params any) []array {
	a, y, logs, u := newSelfAttentionReference(in[0], params), in[1].values, in[2].values, in[3].values
	dx := ofOnes(in[0], in[0].shape, 256)
	a.eachRow(func(sample, head, time int) {
		offset := 0.0
		for i := range a.size {
			offset += u[a.of(sample, time, head, i)] * y[a.of(sample, time, head, i)]
		}
		for column := range a.seen(time) {
			weight := math.Exp(a.score(sample, head, time, column) - logs[(sample*a.heads+head)*a.times+time])
			slope := -offset
			for i := range a.size {
				slope += u[a.of(sample, time, head, i)] * a.x.values[a.at(sample, column, 2, head, i)]
				dx.values[a.at(sample, column, 2, head, i)] += weight * u[a.of(sample, time, head, i)]
			}
			slope *= weight * a.scale()
			for i := range a.size {
				dx.values[a.at(sample, time, 0, head, i)] += slope * a.x.values[a.at(sample, column, 1, head, i)]
				dx.values[a.at(sample, column, 1, head, i)] += slope * a.x.values[a.at(sample, time, 0, head, i)]
			}
		}
	})
	return []array{dx}
}

// makeSelfAttended makes y and the logarithms of sums results for x, seen whole: weights do not add up to more than one then.
func makeSelfAttended(in []array) {
	for i, result := range referenceSelfAttention(in[:1], AttentionParams{Heads: in[2].shape[1]}) {
		for j, v := range result.values {
			in[1+i].values[j] = rounded(in[1+i].dtype, v)
		}
	}
}

// badSelfAttention returns calls with mistakes.
func badSelfAttention() []Sample {
	p := AttentionParams{2, true}
	return []Sample{
		{[][]int{{3, 12}}, p}, {[][]int{{2, 3, 9}}, p}, {[][]int{{2, 3, 12}}, AttentionParams{0, true}},
	}
}

func badSelfAttentionGradient() []Sample {
	p, x, y, logs := AttentionParams{2, true}, []int{2, 3, 12}, []int{2, 3, 4}, []int{2, 2, 3}
	return []Sample{
		{[][]int{{2, 3, 9}, {2, 3, 3}, logs, {2, 3, 3}}, p}, {[][]int{x, {2, 3, 3}, logs, y}, p}, {[][]int{x, y, {2, 3, 2}, y}, p}, {[][]int{x, y, logs, x}, p},
	}
}
