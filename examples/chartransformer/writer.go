package main

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/nn"
)

// write returns as many characters as -length says, which the network draws one after the other to continue the prompt. What
// it draws is that of the seed.
func (t *trainer) write(ctx context.Context, prompt []int64) ([]int64, error) {
	o, random := t.options, rand.New(rand.NewPCG(t.options.seed, 1))
	text := slices.Clone(prompt)
	for range o.length {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		seen := text[max(0, len(text)-o.context):]
		scores := t.Model.Forward(nn.Infer(), nd.FromSliceIn(t.Env, seen, 1, len(seen)))
		last, err := nd.ValuesAs[float64](scores.Index(0, -1))
		if err != nil {
			return nil, err
		}
		text = append(text, int64(choose(random, last, o.temperature, o.top)))
	}
	return text[len(prompt):], nil
}

// choose draws a number by the softmax of the scores over the temperature, among the top highest ones, or all if top is zero.
// The temperature 0 chooses the highest.
func choose(random *rand.Rand, scores []float64, temperature float64, top int) int {
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	if temperature == 0 {
		return order[0]
	}
	if top > 0 {
		order = order[:min(top, len(order))]
	}
	sum, weights := 0.0, make([]float64, len(order))
	for i, number := range order {
		weights[i] = math.Exp((scores[number] - scores[order[0]]) / temperature)
		sum += weights[i]
	}
	rest := random.Float64() * sum
	for i, weight := range weights {
		if rest -= weight; rest < 0 {
			return order[i]
		}
	}
	return order[len(order)-1]
}
