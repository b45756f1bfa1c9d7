package vars

import (
	"expvar"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
)

var (
	publishing sync.Mutex
	published  = make(map[string]*atomic.Pointer[func() any])
)

// Publish makes what stats returns visible as the expvar variable name, in JSON; under /debug/vars where the program serves
// that. Publishing a name again replaces its function, and a nil one shows null. A name that another package has published
// panics with a *fault.Error. Functions are called from any goroutine.
func Publish(name string, stats func() any) {
	publishing.Lock()
	defer publishing.Unlock()
	current := published[name]
	if current == nil {
		if expvar.Get(name) != nil {
			panic(&fault.Error{
				Operator: "vars.Publish", Detail: "another package has published " + name, Cause: fault.ErrMisuse, Site: fault.Here(1),
			})
		}
		current = new(atomic.Pointer[func() any])
		current.Store(&stats)
		published[name] = current
		expvar.Publish(name, expvar.Func(func() any {
			if function := *current.Load(); function != nil {
				return function()
			}
			return nil
		}))
	}
	current.Store(&stats)
}
