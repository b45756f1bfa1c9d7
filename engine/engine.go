package engine

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/profile"
)

// Error is the error of an operation; see fault.Error.
type Error = fault.Error

// Engine runs operations in an order that respects their accesses. All methods may be called from any goroutine.
type Engine interface {
	// Name returns the kind of engine, such as "naive".
	Name() string
	// NewVar returns a new variable of this engine. It needs no deletion: an unreachable variable is collected.
	NewVar() *Var
	// DeleteVar calls free, which may be nil, when all operations pushed before that touch v are done. From now on v must not
	// be used: pushing an operation that touches it, or deleting it again, panics with *Error.
	DeleteVar(v *Var, free func())
	// Push registers op and returns; op runs when its accesses allow. It fills in Access.Sequence of every written access. Push
	// panics with *Error if op is malformed, such as without a function or with a variable of another engine. After Close, op
	// is not run, and what it writes is in error with fault.ErrClosed.
	Push(op *Operation)
	// NewOperator returns a copy of op that is checked once, for Push to take again and again, from several goroutines at a
	// time. The copy must not be changed; Push does not fill in the sequence numbers of its accesses.
	NewOperator(op Operation) *Operation
	// NewBulkOperator returns an operator that stands for several operations, all of a kind that a Bulk gathers: each time it
	// is pushed, they run one after another, as if pushed in a Bulk of that size. Their accesses are analysed once, so that
	// each push costs less than the operations would. On a device that the host cannot address the operations must repeat the
	// same work (Operation.Repeats); if the device can keep work, all of them together cost one call, and an error of one is an
	// error of all.
	NewBulkOperator(operations ...Operation) *Operation
	// DeleteOperator ends the use of op, which NewOperator has returned: pushing it from now on panics with *Error.
	DeleteOperator(op *Operation)
	// Atomically calls register, which may push several operations; no other goroutine's operation comes between them.
	// What register pushes starts after it returns. It must not call other methods of the engine.
	Atomically(register func(p Pusher))
	Alone
	// NewBulk returns a Bulk that gathers operations into tasks of at most size.
	NewBulk(size int) *Bulk
	// Bulk is Atomically, with the operations gathered into tasks of at most size. Operations without a Site get the line that
	// calls Bulk as theirs.
	Bulk(size int, register func(p Pusher))
	// Wait blocks until every write of v that was pushed before is done, and returns the error that sticks to v, every time it
	// is called. It returns the cause of ctx if that ends first. A host function that waits, with its own context, for
	// something that depends on its own end gets an error that wraps fault.ErrDeadlock.
	Wait(ctx context.Context, v *Var) error
	// WaitAll blocks until nothing is pending. It returns the errors that stick to variables still in use, joined, in the
	// order of their operations.
	WaitAll(ctx context.Context) error
	// Stats returns counters of the engine's life, and how many operations have no memory now.
	Stats() Stats
	// Snapshot returns what is pending now, and what holds it up. It does not change the order in which anything runs, but must
	// not be called by an observer or a Finisher.
	Snapshot() Snapshot
	// Dump writes a Snapshot to w for people; see Snapshot.WriteText. It returns the error of w.
	Dump(w io.Writer) error
	// Observe reports every operation that ends to o, from now on until stop is called or the engine is closed. If o has a
	// method Flush() error, that is called whenever a wait returns.
	Observe(o profile.Observer) (stop func())
	// Stop lets nothing more start, except deletions, and returns when what runs has ended. It returns the cause of ctx if
	// that ends first. Operations can be pushed meanwhile; Start lets them run.
	Stop(ctx context.Context) error
	// Start ends what Stop began; it is harmless without one.
	Start()
	// Close refuses what is pushed from now on, by host functions too, waits until nothing is pending and stops the engine.
	// It returns the cause of ctx if that ends first; then it can be repeated. Closing twice is harmless.
	Close(ctx context.Context) error
	// Closed reports whether Close was called.
	Closed() bool
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

	Parked   int    // tasks that have no memory now, or wait behind such a task; see Starved. A bulk counts as one
	Parkings uint64 // how many tasks have ever been parked
}

// kinds are the engines by the names that WEFT_ENGINE and New know.
var kinds = map[string]func(...Option) Engine{
	"naive":     NewNaive,
	"pooled":    NewPooled,
	"perdevice": NewPerDevice,
	"shuffled":  newShuffledFromEnvironment,
}

// New returns a new engine of the given kind: "naive", "pooled", "perdevice" or "shuffled". An unknown name is an error that
// wraps fault.ErrParameter.
func New(name string, opts ...Option) (Engine, error) {
	kind, found := kinds[name]
	if !found {
		return nil, &Error{Operator: "engine.New", Detail: fmt.Sprintf("unknown engine %q (known: naive, pooled, perdevice, shuffled)", name), Cause: fault.ErrParameter, Site: fault.Here(1)}
	}
	return kind(opts...), nil
}

// engineVariable names the engine of the process: naive, pooled, perdevice or shuffled; perdevice if it is not set.
const engineVariable = "WEFT_ENGINE"

// watchdogVariable makes a watchdog log what takes longer than the given duration, such as 10s, in the engine of the process;
// there is none if it is not set.
const watchdogVariable = "WEFT_WATCHDOG"

// Default returns the engine of the process: the kind named by the environment variable WEFT_ENGINE, PerDevice without
// it, with a watchdog (see Watch) if WEFT_WATCHDOG sets its limit, a trace if WEFT_TRACE names its file, and labels for CPU profiles if
// WEFT_PPROF_LABELS is set. An unknown name, a malformed limit or a file that cannot be made panics with *Error.
var Default = sync.OnceValue(newDefault)

func newDefault() Engine {
	name := os.Getenv(engineVariable)
	if name == "" {
		name = "perdevice"
	}
	e, err := New(name)
	if err != nil {
		panic(fault.Variable(engineVariable, name, "naive, pooled, perdevice, shuffled"))
	}
	watchFromEnvironment(e)
	traceFromEnvironment(e)
	return e
}
