package ndarray

import (
	"context"
	"slices"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/dtype"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/ops"
)

// Array is a handle on an n-dimensional array. Handles are immutable and cheap; the memory behind them is shared by views
// and ordered by the engine. It converts to *ops.Tensor and back without a copy.
type Array ops.Tensor

// Env is what an array carries beside its data: the engine and device that run its operators, a cancel scope, and a
// source of random numbers. Results join the Envs of their operands.
type Env = ops.Env

// DefaultEnv returns the Env of arrays made without one: the engine of the process on cpu(0).
func DefaultEnv() *Env { return ops.DefaultEnv() }

func (a *Array) tensor() *ops.Tensor { return (*ops.Tensor)(a) }

// made returns a, and fails in the user's line if it is nil.
func (a *Array) made(method string) *ops.Tensor {
	if a == nil || a.tensor().Env() == nil {
		fail(method, fault.ErrMisuse, "the array is nil")
	}
	return (*ops.Tensor)(a)
}

// Shape returns the number of elements along each axis, as a copy.
func (a *Array) Shape() []int { return slices.Clone(a.made("Shape").Shape()) }

// Strides returns the number of elements of memory from one index to the next along each axis, as a copy. Zero repeats an
// element, a negative stride runs backwards.
func (a *Array) Strides() []int { return slices.Clone(a.made("Strides").View().Strides) }

// DType returns the element type.
func (a *Array) DType() dtype.DType { return a.made("DType").DType() }

// Rank returns the number of axes.
func (a *Array) Rank() int { return len(a.made("Rank").Shape()) }

// Count returns the number of elements.
func (a *Array) Count() int { return a.made("Count").View().Count() }

// IsContiguous reports whether the elements follow one another in memory in row-major order, as Read and Write want them.
func (a *Array) IsContiguous() bool { return a.made("IsContiguous").View().IsContiguous() }

// Env returns the Env that operators on a run in.
func (a *Array) Env() *Env { return a.made("Env").Env() }

// Device returns the device that operators on a run on.
func (a *Array) Device() device.Device { return a.made("Device").Device() }

// In returns a handle on the same data whose operators run in env. It panics with *Error if env has another engine.
func (a *Array) In(env *Env) *Array {
	checkNotNil("In", a)
	if env == nil || env.Engine() != a.Env().Engine() {
		fail("In", fault.ErrMisuse, "the Env is nil or has another engine", a)
	}
	return (*Array)(a.tensor().In(env))
}

// To returns a handle on the same data whose operators run on d. The data are copied there when the first of them needs
// it. It panics with *Error if this machine has no such device.
func (a *Array) To(d device.Device) *Array {
	checkNotNil("To", a)
	return a.In(a.Env().WithDevice(d))
}

// Detach returns a handle on the same data that no tape watches.
func (a *Array) Detach() *Array { return (*Array)(a.made("Detach").Detach()) }

// Wait blocks until the contents of a are ready to be read, and returns the error that sticks to them, every time it is called.
// It returns the cause of ctx if that ends first.
func (a *Array) Wait(ctx context.Context) error {
	checkNotNil("Wait", a)
	checkContext("Wait", ctx)
	return a.tensor().Wait(ctx)
}

// Ready reports whether Wait would return at once: all operators called so far that write a are done, or have failed. It does
// not wait.
func (a *Array) Ready() bool { return a.made("Ready").View().Synced.Var().IsWritten() }

// WaitToWrite blocks until no operator called before still reads or writes a, so that memory given to Adopt may be changed. It
// returns the error that sticks to a, or the cause of ctx if that ends first. It counts as a write: like Write, it panics with
// *Error if a tape watches a or has saved its memory, or a is not contiguous.
func (a *Array) WaitToWrite(ctx context.Context) error {
	checkNotNil("WaitToWrite", a)
	checkContext("WaitToWrite", ctx)
	checkVisit("WaitToWrite", a, engine.Update)
	return a.visit(ctx, engine.Update, false, func([]byte) error { return nil })
}

// Release gives the memory of a back as soon as the operators called so far are done; it does not wait. Using a, or
// another view of its memory, later panics with fault.ErrReleased. Memory that is not released is given back some time
// after it has become unreachable.
func (a *Array) Release() {
	checkNotNil("Release", a)
	a.tensor().Release()
}
