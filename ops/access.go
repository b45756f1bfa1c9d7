package ops

import (
	"context"
	"sync/atomic"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// briefBytes is how much a visit that is no user's copies in the time that it takes to hand it to a worker.
const briefBytes = 4 << 10

// Access runs visit on the bytes of t, which must be contiguous, in host memory, as an operation of the engine: no writer
// runs meanwhile, and no reader either unless mode is engine.Read. It blocks until that is done, and returns the error that
// sticks to t, or that of visit. Visit of a write that fails leaves its error in the array. If ctx ends before visit has
// started, visit is not called and the cause of ctx is returned; the array stays as it is, or with engine.Write, which needs
// no old contents, has that error. A visit that has started is waited for. If user is set, visit is code of the user's that
// may wait and lock.
func Access(ctx context.Context, t *Tensor, mode engine.Mode, user bool, site *fault.Site, visit func(data []byte) error) error {
	if !t.view.IsContiguous() {
		panic(&fault.Error{Operator: "access", Detail: "the array is not contiguous", Cause: fault.ErrMisuse, Shapes: [][]int{t.Shape()}, DTypes: []dtype.DType{t.DType()}, Site: site})
	}
	if mode != engine.Read && t.env.capturing() != nil {
		panic(&fault.Error{
			Operator: "access", Detail: "a capture keeps calls of operators alone, and no write of the program itself", Cause: fault.ErrMisuse,
			Shapes: [][]int{t.Shape()}, DTypes: []dtype.DType{t.DType()}, Site: site,
		})
	}
	host := t.env.device // memory that other processes write has no copy elsewhere
	if !host.OnHost() {
		host = device.CPU(0)
	}
	lo, hi := t.view.Extent()
	switch coversAll := t.view.CoversAll(); {
	case mode != engine.Read && coversAll:
		lo, hi = 0, t.view.Synced.Bytes()
	case mode == engine.Write:
		mode = engine.Update
	}
	// Nobody can give up a visit without a context, so it is not claimed, and may be tried again.
	brief := mode == engine.Read && !user && hi-lo <= briefBytes && ctx.Done() == nil
	v := &visitor{view: t.view, mode: mode, visit: visit, brief: brief}
	done := t.env.engine.NewVar()
	op := &engine.Operation{Name: "access", Function: v, Device: host, Host: user, Inline: !user, KeepOnSkip: true, Site: site, Context: ctx}
	if brief {
		op.Brief, op.Context = true, nil
	}
	t.env.engine.Atomically(func(p engine.Pusher) {
		v.replica, op.Accesses = t.view.Synced.Acquire(p, host, mode, lo, hi, nil, site)
		op.Accesses = append(op.Accesses, engine.Access{Var: done, Mode: engine.Write})
		p.Push(op)
	})
	err := t.env.engine.Wait(ctx, done)
	if ctx.Err() != nil && !v.claimed.CompareAndSwap(false, true) {
		err = t.env.engine.Wait(context.WithoutCancel(ctx), done)
	}
	if err != nil {
		if mode == engine.Read {
			if sticky := t.view.Synced.Var().Err(); sticky != nil {
				return sticky
			}
		}
		return err
	}
	return nil
}

// visitor shows the bytes of a view to a function.
type visitor struct {
	view    storage.View
	replica *storage.Replica
	mode    engine.Mode
	visit   func(data []byte) error
	brief   bool
	claimed atomic.Bool // by Run, or by an Access that gives up before that
}

// Run implements engine.Function.
func (v *visitor) Run(rc *engine.RunContext) error {
	size := v.view.Count() * v.view.DType.Size()
	var memory []byte
	if size > 0 {
		start, err := v.replica.Claim() // at first: without memory, Run is called again
		if err != nil {
			return err
		}
		memory = start.Add(v.view.Offset * v.view.DType.Size()).Bytes(size)
	}
	if !v.brief && !v.claimed.CompareAndSwap(false, true) {
		if v.mode == engine.Write {
			return context.Cause(rc.Context)
		}
		return nil
	}
	return v.visit(memory)
}
