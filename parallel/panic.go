package parallel

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// Panic is what a region panics with when a body has panicked, on every layer and in whichever goroutine the body ran. It
// passes unchanged through the regions around.
type Panic struct {
	Value any    // what the body panicked with
	Stack []byte // of the goroutine that ran the body, where it panicked
}

// errGoexit is the value of the Panic of a body that called runtime.Goexit in a helper.
var errGoexit = errors.New("parallel: a body called runtime.Goexit")

// Error returns the value, followed by the stack.
func (p *Panic) Error() string {
	return fmt.Sprintf("parallel: a body has panicked: %v\n\n%s", p.Value, p.Stack)
}

// Unwrap returns the value if it is an error, and nil otherwise.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Recovered takes the result of recover, called by a deferred function, and returns what the panic was about and the stack
// where it began: those inside a [*Panic], and otherwise the value itself and the stack of the caller.
func Recovered(recovered any) (value any, stack []byte) {
	if p, ok := recovered.(*Panic); ok {
		return p.Value, p.Stack
	}
	return recovered, debug.Stack()
}

// asPanic returns recovered as the Panic of a region. It is called by a deferred function while the stack of the body is there.
func asPanic(recovered any) *Panic {
	if p, ok := recovered.(*Panic); ok {
		return p
	}
	if recovered == nil {
		recovered = errGoexit
	}
	return &Panic{recovered, debug.Stack()}
}
