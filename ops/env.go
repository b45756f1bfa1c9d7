package ops

import (
	"context"
	"fmt"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/engine"
	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/resource"
	"github.com/weft-nd/weft/storage"
)

// Env is what an array carries beside its data: where and by whom its operators are run. It is immutable; the With
// methods derive others. The result of an operator joins the Envs of its operands.
type Env struct {
	engine    engine.Engine
	device    device.Device
	scope     scope // cancels operators that have not started
	generator *resource.Generator
	priority  int          // of operators that are ready
	memory    *MemoryScope // that results belong to; nil if there is none
	capture   *capturing   // that keeps the calls; nil if there is none
}

// DefaultEnv returns the Env of arrays made without one: the default engine, cpu(0), and a generator seeded by chance.
var DefaultEnv = sync.OnceValue(func() *Env { return NewEnv(engine.Default()) })

// NewEnv returns an Env of e on cpu(0).
func NewEnv(e engine.Engine) *Env {
	storage.LoadBallast()
	return &Env{engine: e, generator: resource.NewGenerator(resource.RandomSeed())}
}

// Engine returns the engine that runs the operators.
func (e *Env) Engine() engine.Engine { return e.engine }

// Device returns the device that operators run on.
func (e *Env) Device() device.Device { return e.device }

// Generator returns the source of random numbers.
func (e *Env) Generator() *resource.Generator { return e.generator }

// WithDevice returns an Env whose operators run on d. It panics with *fault.Error if this machine has no such device.
func (e *Env) WithDevice(d device.Device) *Env {
	if err := device.Check(d); err != nil {
		panic(&fault.Error{Operator: "WithDevice", Detail: err.Error(), Device: d.String(), Cause: fault.ErrDevice, Site: fault.Here(1)})
	}
	derived := *e
	derived.device = d
	return &derived
}

// Priority returns the priority of operators; it is 0 at first.
func (e *Env) Priority() int { return e.priority }

// WithPriority returns an Env of whose operators, when several are ready on one device, those of higher priority run first; a number
// may be negative. So do the copies between devices that they need. None waits for ever: every so often the oldest is taken. Where
// operands of several priorities meet, the highest counts. Results do not depend on priorities.
func (e *Env) WithPriority(priority int) *Env {
	derived := *e
	derived.priority = priority
	return &derived
}

// WithScope returns an Env whose operators are skipped, with the cause of ctx as their error, if ctx ends before they
// start. A nil ctx panics with *fault.Error.
func (e *Env) WithScope(ctx context.Context) *Env {
	if ctx == nil {
		panic(&fault.Error{Operator: "WithScope", Detail: "the context is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	derived := *e
	derived.scope = e.scope.with(ctx)
	return &derived
}

// WithoutScope returns an Env whose operators no scope cancels.
func (e *Env) WithoutScope() *Env {
	derived := *e
	derived.scope = nil
	return &derived
}

// WithGenerator returns an Env whose random operators draw from g. A nil g panics with *fault.Error.
func (e *Env) WithGenerator(g *resource.Generator) *Env {
	if g == nil {
		panic(&fault.Error{Operator: "WithGenerator", Detail: "the generator is nil", Cause: fault.ErrMisuse, Site: fault.Here(1)})
	}
	derived := *e
	derived.generator = g
	return &derived
}

// WithSeed returns an Env whose random operators draw from a new generator with the given seed.
func (e *Env) WithSeed(seed uint64) *Env { return e.WithGenerator(resource.NewGenerator(seed)) }

// join returns the Env that c runs in, of its operands and destinations. Those on two devices, or of two engines, do not
// meet; scalars go anywhere.
func (c *Call) join(tensors []*Tensor) *Env {
	if len(tensors) == 0 {
		c.Fail(fault.ErrMisuse, "without operands nothing tells where to run: use InvokeIn")
	}
	for i, t := range tensors {
		if t == nil || t.env == nil {
			c.Fail(fault.ErrMisuse, fmt.Sprintf("destination %d is nil", i-len(c.Inputs)))
		}
	}
	joined := leadingOf(tensors).env
	for _, t := range tensors {
		if t.env != joined {
			c.checkMeets(joined, t)
			joined = joined.united(t.env)
		}
	}
	return joined
}

// leadingOf returns the first tensor that is not a scalar, the first of all if there is none.
func leadingOf(tensors []*Tensor) *Tensor {
	for _, t := range tensors {
		if !t.IsScalar() {
			return t
		}
	}
	return tensors[0]
}

// checkMeets fails unless t can be an operand in e.
func (c *Call) checkMeets(e *Env, t *Tensor) {
	if t.env.engine != e.engine {
		c.Fail(fault.ErrDevice, "the operands belong to two engines")
	}
	if !t.IsScalar() && t.env.device != e.device {
		c.Fail(fault.ErrDevice, fmt.Sprintf("the operands are on %v and %v", e.device, t.env.device))
	}
	if capture := t.env.capturing(); capture != nil && e.capturing() != nil && capture != e.capturing() {
		c.Fail(fault.ErrMisuse, "the operands belong to two captures")
	}
}

// united returns e with the scopes, the priority, the capture and the memory scope of other, too; e itself where that changes nothing.
func (e *Env) united(other *Env) *Env {
	scope, priority, memory, capture := e.scope.with(other.scope...), max(e.priority, other.priority), e.memory.inner(other.memory), e.capture
	if open := other.capturing(); open != nil {
		capture = open
	}
	if len(scope) == len(e.scope) && priority == e.priority && memory == e.memory && capture == e.capture {
		return e
	}
	derived := *e
	derived.scope, derived.priority, derived.memory, derived.capture = scope, priority, memory, capture
	return &derived
}
