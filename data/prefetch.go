package data

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/fault"
	nd "github.com/weft-nd/weft/ndarray"
)

// iteration is one way through a data set. One goroutine deals out the batches to workers, or prepares them itself if it is to be the
// only one; each batch has a slot, and the slots come in order, so that the loop sees the batches in order whoever is done first. A
// batch is dealt out when its slot is in ahead, whose capacity therefore bounds what is prepared and not yet used.
type iteration struct {
	loader  *Loader
	ctx     context.Context
	from    LoaderState
	ahead   chan chan prepared
	jobs    chan job // nil without workers
	working sync.WaitGroup
	rest    []int // the samples that the next iteration begins with; there when ahead is closed
}

// prepared is a batch, or why there is none.
type prepared struct {
	batch Batch
	err   error
}

// job is a batch to prepare.
type job struct {
	number, count int // of all batches
	samples       []int
	padding       int // of the samples
	slot          chan<- prepared
}

// start starts the goroutines of the iteration, which end with its context or its last batch.
func (i *iteration) start() {
	i.ahead = make(chan chan prepared, i.room())
	if workers := min(i.loader.workers, cap(i.ahead)); workers > 1 {
		i.jobs = make(chan job)
		for range workers {
			i.working.Go(i.work)
		}
	}
	i.working.Go(i.deal)
}

// room returns how many batches are prepared ahead: no more than there are.
func (i *iteration) room() int {
	l, batches := i.loader, 0
	_ = guarded("the data set", func() error { // A Len that panics does so again in order.
		batches = l.last.count(l.Samples()+len(i.from.Carried), l.batch)
		return nil
	})
	return max(min(l.prefetch, batches), 1)
}

// deal hands the batches that are left to the workers.
func (i *iteration) deal() {
	defer close(i.ahead)
	if i.jobs != nil {
		defer close(i.jobs)
	}
	order, err := i.order()
	if err != nil {
		return
	}
	l := i.loader
	count := l.last.count(len(order), l.batch)
	for n := i.from.Given; n < count; n++ {
		slot := make(chan prepared, 1)
		samples, padding := l.last.cut(order, n, l.batch)
		if !i.send(slot) {
			return
		}
		j := job{n, count, samples, padding, slot}
		if i.jobs == nil {
			i.prepare(j)
			continue
		}
		select {
		case i.jobs <- j:
		case <-i.ctx.Done():
			return
		}
	}
	if l.last == RollOver && len(order)%l.batch > 0 {
		i.rest = order[count*l.batch:]
	}
}

// order returns the numbers of the samples. An error ends the iteration, also where the sampler ends the goroutine.
func (i *iteration) order() (order []int, err error) {
	err = errEnded("the sampler")
	defer func() {
		if err != nil {
			slot := make(chan prepared, 1)
			slot <- prepared{err: err}
			i.send(slot)
		}
	}()
	err = guarded("the sampler", func() (err error) {
		order, err = i.loader.order(i.ctx, i.from)
		return err
	})
	return order, err
}

// send puts a slot behind those of the batches before, when there is room.
func (i *iteration) send(slot chan prepared) bool {
	select {
	case i.ahead <- slot:
		return true
	case <-i.ctx.Done():
		return false
	}
}

// work prepares batches.
func (i *iteration) work() {
	for j := range i.jobs {
		if i.ctx.Err() != nil {
			return
		}
		i.prepare(j)
	}
}

// prepare fills the slot of a batch, also where the data set ends the goroutine; the iteration ends there.
func (i *iteration) prepare(j job) {
	p := prepared{err: errEnded("the data set")}
	defer func() {
		if p.err != nil {
			p = prepared{err: fmt.Errorf("batch %d of %d: %w", j.number+1, j.count, p.err)}
		}
		j.slot <- p
	}()
	p.err = guarded("the data set", func() (err error) {
		p.batch, err = i.loader.load(j, i.from)
		return err
	})
}

// next returns the next batch, or the error that the iteration ends with. There is no more after the last.
func (i *iteration) next() (p prepared, more bool) {
	select {
	case slot, more := <-i.ahead:
		if !more {
			break
		}
		select {
		case p := <-slot:
			return p, true
		case <-i.ctx.Done():
		}
	case <-i.ctx.Done():
	}
	if i.ctx.Err() != nil { // which may have closed ahead too
		return prepared{err: context.Cause(i.ctx)}, true
	}
	return prepared{}, false
}

// errEnded is the error of user code that does not return, nor panics.
func errEnded(who string) error {
	return &nd.Error{Operator: "data.Loader", Detail: fmt.Sprintf("panic: %s ended its goroutine", who), Cause: fault.ErrPanic}
}

// guarded returns the error of f, or that of its panic: data sets and samplers are user code, whose panic would end the process,
// as nobody can recover it on this goroutine.
func guarded(who string, f func() error) (err error) {
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case *nd.Error:
			err = reason
		default:
			err = &nd.Error{Operator: "data.Loader", Detail: fmt.Sprintf("panic of %s: %v", who, reason), Cause: fault.ErrPanic, Stack: debug.Stack()}
		}
	}()
	return f()
}

// load returns a batch of the data set, transformed.
func (l *Loader) load(j job, from LoaderState) (Batch, error) {
	batch, err := l.dataset.Batch(j.samples)
	if err != nil {
		return Batch{}, err
	}
	draws := &Draws{ticket: from.Draws, samples: j.samples}
	for i, transform := range l.transforms {
		if batch, err = transform(batch, draws); err != nil {
			return Batch{}, fmt.Errorf("transform %d: %w", i, err)
		}
	}
	switch {
	case batch.Inputs == nil:
		return Batch{}, errors.New("there are no inputs")
	case batch.Inputs.Rank() == 0 || batch.Inputs.Shape()[0] != len(j.samples) || batch.Count != len(j.samples):
		return Batch{}, fmt.Errorf("the inputs have the shape %s, and Count is %d, for %d samples",
			fault.FormatShape(batch.Inputs.Shape()), batch.Count, len(j.samples))
	}
	batch.Padding = j.padding
	return batch, nil
}

// order returns the numbers of the samples of an iteration, those that are carried over from the one before first.
func (l *Loader) order(ctx context.Context, from LoaderState) (order []int, err error) {
	switch {
	case l.orders == nil:
		order, err = Sequential(l.dataset.Len()).Order(ctx, nil)
	case l.sampler == nil:
		order, err = Random(l.dataset.Len()).Order(ctx, onHost(l.orders).WithGenerator(from.Order.Generator()))
	default:
		order, err = l.sampler.Order(ctx, onHost(l.orders).WithGenerator(from.Order.Generator()))
	}
	if err != nil {
		return nil, err
	}
	return append(from.Carried[:len(from.Carried):len(from.Carried)], order...), nil
}

// onHost returns env on the CPU, where orders are wanted: drawn elsewhere they would be copied.
func onHost(env *nd.Env) *nd.Env { return env.WithDevice(device.CPU(0)) }
