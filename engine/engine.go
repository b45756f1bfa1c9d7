package engine

import (
	"context"
	"fmt"
	"os"
	"sync"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// Error is the error of an operation; see fault.Error.
type Error = fault.Error

// Engine runs operations in an order that respects their accesses. All methods may be called from any goroutine.
type Engine interface {
	// Name returns the kind of engine, such as "naive".
	Name() string
	// NewVar returns a new variable of this engine. It needs no deletion: an unreachable variable is collected.
	NewVar() *Var
	// Push registers op and returns; op runs when its accesses allow. It fills in Access.Sequence of every written
	// access. Push panics with *Error if op is malformed: without a function, pushed before, or with a variable of another
	// engine. After Close, op is not run and poisons what it writes with fault.ErrClosed.
	Push(op *Operation)
	// Atomically calls register, which may push several operations; no other goroutine's operation comes between them.
	// What register pushes starts after it returns. It must not call other methods of the engine.
	Atomically(register func(p Pusher))
	// Wait blocks until every write of v that was pushed before is done, and returns the error that sticks to v, each time
	// it is asked. It returns the cause of ctx if that ends first.
	Wait(ctx context.Context, v *Var) error
	// WaitAll blocks until nothing is pending. It returns the errors that stick to variables still in use, joined.
	WaitAll(ctx context.Context) error
	// Stats returns counters of the engine's life.
	Stats() Stats
	// Close refuses what is pushed from now on, by host functions too, waits until nothing is pending and stops the engine.
	// It returns the cause of ctx if that ends first; then it can be repeated. Closing twice is harmless.
	Close(ctx context.Context) error
}

// Pusher registers operations; see Engine.Atomically.
type Pusher interface {
	// Push registers op as Engine.Push does.
	Push(op *Operation)
}

// Stats counts what an engine has done.
type Stats struct {
	Pushed  uint64 // operations pushed
	Done    uint64 // operations done, skipped ones included
	Skipped uint64 // operations not run because of an error, a cancelled context or a closed engine
	Failed  uint64 // operations that ran and failed
}

// DefaultLimit is the number of leaf operations pending at which a goroutine that pushes starts to help.
const DefaultLimit = 1 << 14

type options struct {
	pool  *parallel.Pool
	limit int
}

// Option changes how an engine is made.
type Option func(*options)

// WithPool makes the engine use the workers of p instead of those of the process.
func WithPool(p *parallel.Pool) Option { return func(o *options) { o.pool = p } }

// WithLimit sets the number of pending leaf operations at which a goroutine that pushes starts to help; at least 1.
func WithLimit(operations int) Option {
	if operations < 1 {
		panic(&Error{Operator: "engine.WithLimit", Detail: fmt.Sprintf("limit %d is less than 1", operations), Cause: fault.ErrParameter, Site: fault.Here(1)})
	}
	return func(o *options) { o.limit = operations }
}

// kinds are the engines by the names that WEFT_ENGINE and New know.
var kinds = map[string]func(...Option) Engine{
	"naive":     NewNaive,
	"pooled":    NewPooled,
	"perdevice": NewPerDevice,
}

// New returns a new engine of the kind that name names: "naive", "pooled" or "perdevice".
func New(name string, opts ...Option) (Engine, error) {
	kind, found := kinds[name]
	if !found {
		return nil, &Error{Operator: "engine.New", Detail: fmt.Sprintf("unknown engine %q (known: naive, pooled, perdevice)", name), Cause: fault.ErrParameter, Site: fault.Here(1)}
	}
	return kind(opts...), nil
}

// engineVariable names the engine of the process: naive, pooled or perdevice; perdevice if it is not set.
const engineVariable = "WEFT_ENGINE"

// Default returns the engine of the process: the kind named by the environment variable WEFT_ENGINE, PerDevice without
// it. An unknown name panics with *Error.
var Default = sync.OnceValue(func() Engine {
	name := os.Getenv(engineVariable)
	if name == "" {
		name = "perdevice"
	}
	e, err := New(name)
	if err != nil {
		panic(&Error{Operator: engineVariable, Detail: fmt.Sprintf("unknown engine %q (known: naive, pooled, perdevice)", name), Cause: fault.ErrParameter})
	}
	return e
})
