package engine

import (
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/parallel"
)

// DefaultLimit is the number of pending operations at which a goroutine that pushes starts to help.
const DefaultLimit = 1 << 11

// DefaultByteLimit is the memory taken by pending operations at which a goroutine that pushes starts to help.
const DefaultByteLimit = 4 << 30

// The environment variables that change what an engine is made with by default.
const (
	// limitVariable sets the number of pending operations at which a goroutine that pushes starts to help; 2048 if it is not set.
	limitVariable = "WEFT_ENGINE_LIMIT"
	// byteLimitVariable sets the memory taken by pending operations, in bytes, at which a goroutine that pushes starts to
	// help; 4 GiB if it is not set.
	byteLimitVariable = "WEFT_ENGINE_BYTE_LIMIT"
	// copiesVariable sets how many workers copy between devices while there is something else to do; half of them
	// (perdevice) or one (pooled) if it is not set.
	copiesVariable = "WEFT_COPY_THREADS"
)

type options struct {
	pool   *parallel.Pool
	limits limits
	copies int // 0 leaves it to the layout

	sanitize bool
}

// Option changes how an engine is made.
type Option func(*options)

// WithPool makes the engine use the workers of p instead of those of the process.
func WithPool(p *parallel.Pool) Option { return func(o *options) { o.pool = p } }

// WithLimit sets the number of pending operations at which a goroutine that pushes starts to help; at least 1. Without it
// that is WEFT_ENGINE_LIMIT, or DefaultLimit.
func WithLimit(operations int) Option {
	atLeastOne("engine.WithLimit", "limit", operations)
	return func(o *options) { o.limits.operations = uint64(operations) }
}

// WithByteLimit sets the memory taken by pending operations, as their Bytes tell, at which a goroutine that pushes starts to
// help; at least 1. Without it that is WEFT_ENGINE_BYTE_LIMIT, or DefaultByteLimit.
func WithByteLimit(bytes int) Option {
	atLeastOne("engine.WithByteLimit", "limit", bytes)
	return func(o *options) { o.limits.bytes = int64(bytes) }
}

// WithCopyThreads sets how many workers run copies while there is something else to do; at least 1. Without it that is
// WEFT_COPY_THREADS, or what NewPerDevice and NewPooled tell.
func WithCopyThreads(workers int) Option {
	atLeastOne("engine.WithCopyThreads", "number", workers)
	return func(o *options) { o.copies = workers }
}

func atLeastOne(call, what string, value int) {
	if value < 1 {
		panic(&Error{Operator: call, Detail: fmt.Sprintf("%s %d is less than 1", what, value), Cause: fault.ErrParameter, Site: fault.Here(2)})
	}
}

func newOptions(opts []Option) options {
	o := options{limits: limits{uint64(numberFrom(limitVariable, DefaultLimit)), int64(numberFrom(byteLimitVariable, DefaultByteLimit))}}
	o.copies = numberFrom(copiesVariable, 0)
	for _, opt := range opts {
		opt(&o)
	}
	if o.pool == nil {
		o.pool = parallel.Default()
	}
	return o.withSanitizer()
}

// numberFrom returns the number that an environment variable is set to. Anything but a positive number panics with *Error.
func numberFrom(variable string, otherwise int) int {
	value := os.Getenv(variable)
	if value == "" {
		return otherwise
	}
	number, err := strconv.ParseInt(value, 10, 64)
	if err != nil || number < 1 || number > math.MaxInt {
		panic(fault.Variable(variable, value, "a positive number"))
	}
	return int(number)
}
