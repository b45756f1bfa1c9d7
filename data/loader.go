package data

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// Loader goes through a data set in batches, prepared ahead of their use.
type Loader struct {
	dataset    Dataset
	batch      int
	prefetch   int
	workers    int
	last       LastBatch
	orders     *nd.Env // whose generator orders are drawn from; nil if none are
	sampler    Sampler // nil shuffles if there are orders
	draws      *nd.Env // whose generator the random numbers of transforms are drawn from; nil if there are none
	transforms []Transform

	mu      sync.Mutex
	current *LoaderState // where the iteration that began last stands
	resumed bool         // current is for the next iteration to go on from
}

// LoaderOption changes how a Loader goes through its data set.
type LoaderOption func(*Loader)

// Shuffle makes every iteration go through the samples in another random order, drawn from the generator of env.
// A nil Env panics with *nd.Error.
func Shuffle(env *nd.Env) LoaderOption {
	checkOption("data.Shuffle", env == nil, "the Env is nil")
	return func(l *Loader) { l.orders, l.sampler = env, nil }
}

// Sampled makes every iteration go through the samples that s tells, drawn from the generator of env: from one split off it for each
// iteration, where s is not of this package. A nil Env or Sampler panics with *nd.Error.
func Sampled(env *nd.Env, s Sampler) LoaderOption {
	checkOption("data.Sampled", env == nil || s == nil, "the Env or the sampler is nil")
	return func(l *Loader) { l.orders, l.sampler = env, s }
}

// Transformed changes every batch by the transforms, the first first. Their random numbers follow from the generator of
// env, the iteration, and the number of each sample, whatever the number of workers. Without transforms nothing is
// drawn. A nil Env or Transform panics with *nd.Error.
func Transformed(env *nd.Env, transforms ...Transform) LoaderOption {
	checkOption("data.Transformed", env == nil, "the Env is nil")
	for i, t := range transforms {
		checkOption("data.Transformed", t == nil, fmt.Sprintf("transform %d is nil", i))
	}
	return func(l *Loader) {
		if len(transforms) > 0 {
			l.draws, l.transforms = env, slices.Clone(transforms)
		}
	}
}

// Prefetch sets how many batches are prepared ahead, at least 1; 2 by default. No more than these are in memory beside the one that
// the loop has.
func Prefetch(batches int) LoaderOption { return func(l *Loader) { l.prefetch = max(batches, 1) } }

// Workers sets how many batches are prepared at the same time, at least 1, which is the default, and at most as many as are prepared
// ahead. It changes no batch and no order.
func Workers(count int) LoaderOption { return func(l *Loader) { l.workers = max(count, 1) } }

// NewLoader returns a loader of batches of the given size. A size below 1, or no data set, panics with *nd.Error.
func NewLoader(d Dataset, batch int, opts ...LoaderOption) *Loader {
	if d == nil {
		mistake("data.NewLoader", fault.ErrMisuse, "the data set is nil")
	}
	if batch < 1 {
		mistake("data.NewLoader", fault.ErrParameter, fmt.Sprintf("batch size is %d (legal: at least 1)", batch))
	}
	l := &Loader{dataset: d, batch: batch, prefetch: 2, workers: 1, current: &LoaderState{}}
	for _, opt := range opts {
		if opt == nil {
			mistake("data.NewLoader", fault.ErrMisuse, "an option is nil")
		}
		opt(l)
	}
	return l
}

// checkOption fails in the line that calls the option.
func checkOption(option string, wrong bool, detail string) {
	if wrong {
		mistake(option, fault.ErrMisuse, detail)
	}
}

// mistake panics with the error of a mistaken call, in the user's line.
func mistake(operator string, cause error, detail string) {
	panic(&nd.Error{Operator: operator, Detail: detail, Cause: cause, Site: fault.Here(1)})
}

// Samples returns the number of samples of one iteration, without those that are carried over from the one before.
func (l *Loader) Samples() int {
	if l.sampler != nil {
		return l.sampler.Len()
	}
	return l.dataset.Len()
}

// Size returns the number of samples of a full batch.
func (l *Loader) Size() int { return l.batch }

// Len returns the number of batches of one iteration: with RollOver of the one that goes on or is next.
func (l *Loader) Len() int { return l.last.count(l.Samples()+len(l.State().Carried), l.batch) }

// Batches goes through the data set once. An error ends the iteration, at the batch that it is of and names: that of the data set
// or a transform, one with fault.ErrPanic if one of these panics, or the cause of ctx. What was prepared ahead is dropped when the
// loop is left, which then waits for the calls of the data set that run. A nil ctx panics with *nd.Error.
func (l *Loader) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	if ctx == nil {
		mistake("data.Loader.Batches", fault.ErrMisuse, "the context is nil")
	}
	return func(yield func(Batch, error) bool) {
		ctx, leave := context.WithCancel(ctx)
		position, at := l.begin()
		i := &iteration{loader: l, ctx: ctx, from: at}
		defer i.working.Wait() // Nobody reads the data set when the loop is over: it may be closed.
		defer leave()
		i.start()
		for {
			next, more := i.next()
			switch {
			case !more:
				l.move(position, LoaderState{Carried: i.rest})
				return
			case next.err == nil:
				at.Given++
				l.move(position, at)
			}
			if !yield(next.batch, next.err) || next.err != nil {
				return
			}
		}
	}
}
