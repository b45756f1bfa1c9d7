package data

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
)

// Sampler tells which samples of a data set an iteration goes through, and in which order. Its methods may be called from any
// goroutine.
type Sampler interface {
	// Len returns how many numbers Order returns.
	Len() int
	// Order returns the numbers of the samples. They follow from the generator of env alone, which is the iteration's own: whatever it draws,
	// nobody else draws the same.
	Order(ctx context.Context, env *nd.Env) ([]int, error)
}

// Sequential goes through so many samples in their order; it draws nothing.
type Sequential int

// Len implements Sampler.
func (s Sequential) Len() int { return int(s) }

// Order implements Sampler.
func (s Sequential) Order(ctx context.Context, _ *nd.Env) ([]int, error) {
	var numbers *nd.Array
	if err := nd.Try(func() { numbers = nd.Arange(0, int64(s), 1) }); err != nil { // as there are more than memory holds
		return nil, err
	}
	return numbered(ctx, numbers)
}

// Random goes through so many samples in random order.
type Random int

// Len implements Sampler.
func (s Random) Len() int { return int(s) }

// Order implements Sampler.
func (s Random) Order(ctx context.Context, env *nd.Env) ([]int, error) {
	return numbered(ctx, random.Permutation(env, int(s)))
}

// weighted draws samples with replacement.
type weighted struct {
	weights []float64
	draws   int
}

// Weighted draws so many samples with replacement, sample i with the probability of weights[i] divided by their sum. It panics with
// *nd.Error if a weight is negative or not finite, all are zero, or draws is negative.
func Weighted(weights []float64, draws int) Sampler {
	sum := 0.0
	for i, w := range weights {
		if !(w >= 0) || math.IsInf(w, 1) {
			mistake("data.Weighted", fault.ErrParameter, fmt.Sprintf("weight %d is %v (legal: at least 0 and finite)", i, w))
		}
		sum += w
	}
	if !(sum > 0) || draws < 0 {
		mistake("data.Weighted", fault.ErrParameter, fmt.Sprintf("%d draws from weights whose sum is %v (legal: no negative number of draws, a positive sum)", draws, sum))
	}
	return weighted{slices.Clone(weights), draws}
}

// Len implements Sampler.
func (w weighted) Len() int { return w.draws }

// Order implements Sampler.
func (w weighted) Order(ctx context.Context, env *nd.Env) ([]int, error) {
	return numbered(ctx, random.Categorical(nd.FromSliceIn(env, w.weights), w.draws))
}

// numbered returns the elements of an int64 array.
func numbered(ctx context.Context, a *nd.Array) ([]int, error) {
	values, err := nd.ValuesContext[int64](ctx, a)
	order := make([]int, len(values))
	for i, v := range values {
		order[i] = int(v)
	}
	return order, err
}
