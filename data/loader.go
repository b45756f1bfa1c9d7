package data

import (
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"

	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
	"github.com/weft-nd/weft/random"
	"github.com/weft-nd/weft/resource"
)

// Loader goes through a data set in batches, prepared ahead of their use.
type Loader struct {
	dataset  Dataset
	batch    int
	prefetch int
	dropLast bool
	shuffle  *nd.Env // nil keeps the order

	mu      sync.Mutex
	current *LoaderState // where the iteration that began last stands
	resumed bool         // current is for the next iteration to go on from
}

// LoaderOption changes how a Loader goes through its data set.
type LoaderOption func(*Loader)

// Shuffle makes every iteration go through the samples in another random order, drawn from the generator of env.
// A nil Env panics with *nd.Error.
func Shuffle(env *nd.Env) LoaderOption {
	if env == nil {
		panic(&nd.Error{Operator: "data.Shuffle", Detail: "the Env is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	return func(l *Loader) { l.shuffle = env }
}

// DropLast leaves out samples at the end that do not fill a batch.
func DropLast() LoaderOption { return func(l *Loader) { l.dropLast = true } }

// Prefetch sets how many batches are prepared ahead, at least 1; 2 by default.
func Prefetch(batches int) LoaderOption { return func(l *Loader) { l.prefetch = max(batches, 1) } }

// NewLoader returns a loader of batches of the given size. A size below 1, or no data set, panics with *nd.Error.
func NewLoader(d Dataset, batch int, opts ...LoaderOption) *Loader {
	if d == nil {
		panic(&nd.Error{Operator: "data.NewLoader", Detail: "the data set is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	if batch < 1 {
		panic(&nd.Error{Operator: "data.NewLoader", Detail: fmt.Sprintf("batch size is %d (legal: at least 1)", batch), Cause: fault.ErrParameter, Site: fault.Here(1)})
	}
	l := &Loader{dataset: d, batch: batch, prefetch: 2, current: &LoaderState{}}
	for _, opt := range opts {
		if opt == nil {
			panic(&nd.Error{Operator: "data.NewLoader", Detail: "an option is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
		}
		opt(l)
	}
	return l
}

// Len returns the number of batches of one iteration.
func (l *Loader) Len() int {
	if l.dropLast {
		return l.dataset.Len() / l.batch
	}
	return (l.dataset.Len() + l.batch - 1) / l.batch
}

// prepared is a batch, or why there is none.
type prepared struct {
	batch Batch
	err   error
}

// Batches goes through the data set once. An error ends the iteration: the one of a batch, one with fault.ErrPanic if the
// data set panics, or the cause of ctx. What was prepared ahead is dropped when the loop is left. A nil ctx panics with *nd.Error.
func (l *Loader) Batches(ctx context.Context) iter.Seq2[Batch, error] {
	if ctx == nil {
		panic(&nd.Error{Operator: "data.Loader.Batches", Detail: "the context is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	return func(yield func(Batch, error) bool) {
		ctx, leave := context.WithCancel(ctx)
		defer leave()
		ahead := make(chan prepared, l.prefetch-1)
		position, at := l.begin()
		go l.prepare(ctx, at, ahead)
		for {
			select {
			case next, more := <-ahead:
				switch {
				case !more:
					l.move(position, LoaderState{})
					return
				case next.err == nil:
					at.Given++
					l.move(position, at)
				}
				if !yield(next.batch, next.err) || next.err != nil {
					return
				}
			case <-ctx.Done():
				yield(Batch{}, context.Cause(ctx))
				return
			}
		}
	}
}

// prepare sends the batches that are left after those that from has given to ahead, and closes it.
func (l *Loader) prepare(ctx context.Context, from LoaderState, ahead chan<- prepared) {
	defer close(ahead)
	returned := false
	send := func(p prepared) bool {
		select {
		case ahead <- p:
			return p.err == nil
		case <-ctx.Done():
			return false
		}
	}
	defer func() { // A data set is user code: its panic would end the process, as nobody can recover it on this goroutine.
		if reason := recover(); reason != nil || !returned {
			send(prepared{err: panicked(reason)})
		}
	}()
	order, err := l.order(ctx, from.Order)
	if err != nil {
		send(prepared{err: err})
	}
	for i := from.Given; err == nil && i < l.Len(); i++ {
		var batch Batch
		batch, err = l.dataset.Batch(order[i*l.batch : min((i+1)*l.batch, len(order))])
		if !send(prepared{batch, err}) {
			break
		}
	}
	returned = true
}

// panicked returns the error of a data set that panicked with reason, or, if that is nil, ended its goroutine.
func panicked(reason any) error {
	if mistake, ok := reason.(*nd.Error); ok {
		return mistake
	}
	e := &nd.Error{Operator: "data.Loader", Detail: fmt.Sprintf("panic: %v", reason), Cause: fault.ErrPanic, Stack: debug.Stack()}
	if reason == nil {
		e.Detail = "panic: the data set ended its goroutine"
	}
	return e
}

// order returns the numbers of the samples in the order that ticket gives one iteration.
func (l *Loader) order(ctx context.Context, ticket resource.Ticket) ([]int, error) {
	order := make([]int, l.dataset.Len())
	for i := range order {
		order[i] = i
	}
	if l.shuffle == nil {
		return order, nil
	}
	shuffled, err := nd.ValuesContext[int64](ctx, random.Permutation(l.shuffle.WithGenerator(ticket.Generator()), len(order)))
	for i, index := range shuffled {
		order[i] = int(index)
	}
	return order, err
}
