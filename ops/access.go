package ops

import (
	"context"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/storage"
)

// Access runs visit on the bytes of t, which must be contiguous, in host memory, as an operation of the engine: no writer
// runs meanwhile, and no reader either unless mode is engine.Read. It blocks until that is done, and returns the error that
// sticks to t, or that of visit. Visit of a write that fails leaves its error in the array. If user is set, visit is code of
// the user's that may wait and lock.
func Access(ctx context.Context, t *Tensor, mode engine.Mode, user bool, site *fault.Site, visit func(data []byte) error) error {
	host := device.CPU(0)
	lo, hi := t.view.Extent()
	if mode == engine.Update && t.view.CoversAll() {
		lo, hi = 0, t.view.Synced.Bytes()
	}
	v := &visitor{view: t.view, visit: visit}
	done := t.env.engine.NewVar()
	op := &engine.Operation{Name: "access", Function: v, Device: host, Host: user, Site: site, Context: ctx}
	t.env.engine.Atomically(func(p engine.Pusher) {
		v.replica, op.Accesses = t.view.Synced.Acquire(p, host, mode, lo, hi, nil, site)
		op.Accesses = append(op.Accesses, engine.Access{Var: done, Mode: engine.Write})
		p.Push(op)
	})
	if err := t.env.engine.Wait(ctx, done); err != nil {
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
	visit   func(data []byte) error
}

// Run implements engine.Function.
func (v *visitor) Run(*engine.RunContext) error {
	size := v.view.Count() * v.view.DType.Size()
	if size == 0 {
		return v.visit(nil)
	}
	p, err := v.replica.Claim()
	if err != nil {
		return err
	}
	return v.visit(p.Add(v.view.Offset * v.view.DType.Size()).Bytes(size))
}
