package cuda

import (
	"math"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
)

// attention is the geometry of self_attention; see kernels/cpu/attention.go. Scores are computed for some heads at a time, and for some
// rows of their matrices, so that they stay in a cache.
type attention struct {
	samples, times, heads, size int
	causal                      bool

	someSamples, someHeads, someRows int // at a time
}

// attentionScores is about how many scores there are at a time.
const attentionScores = 1 << 23

// attentionOf reads the geometry from the first input and Integers: the number of heads, and 1 if it is causal.
func attentionOf(a *device.Arguments) attention {
	shape, heads := a.Inputs[0].Shape, int(a.Integers[0])
	g := attention{samples: shape[0], times: shape[1], heads: heads, size: shape[2] / (3 * heads), causal: a.Integers[1] != 0}
	times := max(g.times, 1)
	g.someRows = min(g.times, max(attentionScores/times, 1))
	if g.causal && g.times >= 512 { // most of what is hidden is not computed
		g.someRows = min(g.someRows, ceil(g.times, 4))
	}
	matrix := max(g.someRows, 1) * times
	g.someHeads = min(heads, max(attentionScores/matrix, 1))
	g.someSamples = 1
	if g.someHeads == heads {
		g.someSamples = max(1, min(g.samples, attentionScores/(matrix*heads)))
	}
	return g
}

func (g *attention) scale() float64 { return 1 / math.Sqrt(float64(max(1, g.size))) }

// scores returns memory for scores that so many of times are seen by, behind what other matrices take.
func (g *attention) scores(memory device.Pointer, d dtype.DType, b *attentionBlock, matrix int) device.View {
	at := memory.Add(matrix * g.scoresBytes(d))
	return rowMajor(at, d, []int{b.samples, b.heads, b.rows, b.seen})
}

func (g *attention) scoresBytes(d dtype.DType) int {
	return g.someSamples * g.someHeads * g.someRows * g.times * d.Size()
}

// sums returns memory for what is added to the gradients of keys and values.
func (g *attention) sums(memory device.Pointer, d dtype.DType, b *attentionBlock) device.View {
	return rowMajor(memory.Add(2*g.scoresBytes(d)), d, []int{b.samples, b.heads, b.seen, g.size})
}

// attentionBlock is some rows of scores, of some heads of some samples.
type attentionBlock struct {
	sample, samples, head, heads int
	first, rows, seen            int
}

// blocks calls body for all blocks; of each head that of the last rows comes first.
func (g *attention) blocks(body func(b *attentionBlock) error) error {
	for sample := 0; sample < g.samples; sample += g.someSamples {
		for head := 0; head < g.heads; head += g.someHeads {
			for first := (g.times - 1) / g.someRows * g.someRows; first >= 0; first -= g.someRows {
				b := attentionBlock{
					sample: sample, samples: min(g.someSamples, g.samples-sample), head: head, heads: min(g.someHeads, g.heads-head),
					first: first, rows: min(g.someRows, g.times-first), seen: g.times,
				}
				if g.causal {
					b.seen = b.first + b.rows
				}
				if err := body(&b); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// heads returns the vectors of the block's heads, of the first times from one on: of v of shape (samples, times, features), in which
// those of all heads are behind so many elements.
func (g *attention) vectors(v device.View, b *attentionBlock, before, first, times int) device.View {
	s := v.Strides
	at := b.sample*s[0] + first*s[1] + (before+b.head*g.size)*s[2]
	v.Pointer = v.Pointer.Add(at * v.DType.Size())
	v.Shape, v.Strides = []int{b.samples, b.heads, times, g.size}, []int{s[0], g.size * s[2], s[1], s[2]}
	return v
}

// logs returns the numbers of a block's rows, of v of shape (samples, heads, times), each for all that is seen.
func (g *attention) logs(v device.View, b *attentionBlock) device.View {
	s := v.Strides
	v.Pointer = v.Pointer.Add((b.sample*s[0] + b.head*s[1] + b.first*s[2]) * v.DType.Size())
	v.Shape, v.Strides = []int{b.samples, b.heads, b.rows, b.seen}, []int{s[0], s[1], s[2], 0}
	return v
}

// queries, keys and values are those of the block's rows, and of all that they see.
func (g *attention) queries(x device.View, b *attentionBlock) device.View {
	return g.vectors(x, b, 0, b.first, b.rows)
}

func (g *attention) keys(x device.View, b *attentionBlock) device.View {
	return g.vectors(x, b, g.heads*g.size, 0, b.seen)
}

func (g *attention) values(x device.View, b *attentionBlock) device.View {
	return g.vectors(x, b, 2*g.heads*g.size, 0, b.seen)
}

// integers are those of the kernels of attention.cu.
func (g *attention) integers(b *attentionBlock) []int64 {
	return []int64{int64(b.first), bit(g.causal), int64(b.rows)}
}

// selfAttention computes Outputs[0] of shape (samples, times, features), and Outputs[1] of shape (samples, heads, times), the logarithms
// of the sums of the exponentials of the scores, from Inputs[0] of shape (samples, times, 3·features).
func selfAttention(l *launcher, a *device.Arguments) error {
	if a.Outputs[1].Count() == 0 {
		return nil
	}
	g, x := attentionOf(a), a.Inputs[0]
	return g.blocks(func(b *attentionBlock) error {
		scores := g.scores(a.Scratch, x.DType, b, 0)
		if err := l.multiply(scores, g.queries(x, b), transposed(g.keys(x, b))); err != nil {
			return err
		}
		err := l.launch("attention_weights", l.types, &device.Arguments{
			Outputs: []device.View{scores, g.logs(a.Outputs[1], b)}, Integers: g.integers(b), Scalars: []float64{g.scale()},
		})
		if err != nil || g.size == 0 {
			return err
		}
		return l.multiply(g.vectors(a.Outputs[0], b, 0, b.first, b.rows), scores, g.values(x, b))
	})
}

func selfAttentionScratch(a *device.Arguments) int {
	g := attentionOf(a)
	return g.scoresBytes(a.Inputs[0].DType)
}

// selfAttentionGradient computes Outputs[0], of the shape of x, from x, the two results of selfAttention, and the gradient of the first,
// Inputs.
func selfAttentionGradient(l *launcher, a *device.Arguments) error {
	if a.Outputs[0].Count() == 0 {
		return nil
	}
	g, dx, x, y, u := attentionOf(a), a.Outputs[0], a.Inputs[0], a.Inputs[1], a.Inputs[3]
	return g.blocks(func(b *attentionBlock) error {
		scores, slopes := g.scores(a.Scratch, x.DType, b, 0), g.scores(a.Scratch, x.DType, b, 1)
		ofY, ofU := g.vectors(y, b, 0, b.first, b.rows), g.vectors(u, b, 0, b.first, b.rows)
		if err := l.multiply(scores, g.queries(x, b), transposed(g.keys(x, b))); err != nil {
			return err
		}
		if err := l.multiply(slopes, ofU, transposed(g.values(x, b))); err != nil {
			return err
		}
		rows := []device.View{g.logs(a.Inputs[2], b), ofY, ofU}
		for i := range rows[1:] {
			rows[1+i].Shape, rows[1+i].Strides = scores.Shape, append(rows[1+i].Strides[:3:3], 0)
		}
		err := l.launch("attention_slopes", l.types, &device.Arguments{
			Outputs: []device.View{scores, slopes}, Inputs: rows, Scalars: []float64{g.scale()},
			Integers: append(g.integers(b), int64(g.size), int64(y.Strides[2]), int64(u.Strides[2])),
		})
		if err != nil {
			return err
		}
		if err := l.multiply(g.queries(dx, b), slopes, g.keys(x, b)); err != nil {
			return err
		}
		if err := g.accumulate(l, a, b, g.keys(dx, b), slopes, g.queries(x, b)); err != nil {
			return err
		}
		return g.accumulate(l, a, b, g.values(dx, b), scores, ofU)
	})
}

// accumulate adds the product of the transpose of x and y to z, or writes it there if the block is the first of its heads.
func (g *attention) accumulate(l *launcher, a *device.Arguments, b *attentionBlock, z, x, y device.View) error {
	if b.first+b.rows == g.times {
		return l.multiply(z, transposed(x), y)
	}
	sums := g.sums(a.Scratch, z.DType, b)
	if err := l.multiply(sums, transposed(x), y); err != nil {
		return err
	}
	return l.launch("add", l.types, &device.Arguments{Outputs: []device.View{z}, Inputs: []device.View{z, sums}})
}

func selfAttentionGradientScratch(a *device.Arguments) int {
	g, d := attentionOf(a), a.Inputs[0].DType
	bytes := 2 * g.scoresBytes(d)
	if g.someRows < g.times {
		bytes += g.someSamples * g.someHeads * g.times * g.size * d.Size()
	}
	return bytes
}
