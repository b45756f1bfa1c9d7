package ops

import (
	"maps"
	"sync"
)

// fallbacks counts the calls that were run on the CPU because their device has no kernel for them.
var fallbacks struct {
	sync.Mutex
	counts map[string]uint64
}

func countFallback(operator string) {
	fallbacks.Lock()
	defer fallbacks.Unlock()
	if fallbacks.counts == nil {
		fallbacks.counts = map[string]uint64{}
	}
	fallbacks.counts[operator]++
}

// Fallbacks returns how often each operator was run on the CPU in place of the device of its operands, which has no kernel for
// it, since the process began. Profiles name such a call "argsort (on cpu for gpu)", and show the copies that it needs: of the
// operands to the CPU, unless they are there already, and of the result to the device when a kernel of the device needs it.
// Fallbacks may be called from any goroutine.
func Fallbacks() map[string]uint64 {
	fallbacks.Lock()
	defer fallbacks.Unlock()
	return maps.Clone(fallbacks.counts)
}
