package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// chooser is a handle of a library that chooses how a problem is computed. An error that wraps errors.ErrUnsupported
// tells that it cannot be.
type chooser[Problem comparable, Algorithm any] interface {
	Choose(p *Problem) (Algorithm, error)
}

// planner remembers what a library has chosen on a device: a problem has the same algorithm every time, and so the same bits.
type planner[Problem comparable, Algorithm any] struct {
	sync.Mutex
	handle  chooser[Problem, Algorithm] // nil until it is used
	absent  bool                        // there is no such library
	chosen  map[Problem]choice[Algorithm]
	problem error // of the last choice that failed
}

// choice is how a problem is computed.
type choice[Algorithm any] struct {
	algorithm Algorithm
	taken     bool // by the library
}

// mostChoices is how many problems a planner remembers; libraries do not compute others.
const mostChoices = 1 << 14

// choose returns how the library computes p, always the same; taken is false if it does not. Open makes the handle, without a stream, and
// variable is that which turns the library off.
func (l *planner[Problem, Algorithm]) choose(u *unit, p *Problem, variable string, open func(c driver.Context) (chooser[Problem, Algorithm], error)) (a Algorithm, taken bool, err error) {
	l.Lock()
	defer l.Unlock()
	if l.absent {
		return a, false, nil
	}
	if found, ok := l.chosen[*p]; ok || len(l.chosen) >= mostChoices {
		return found.algorithm, found.taken, nil
	}
	err = u.do(func(c driver.Context) (err error) {
		if l.handle == nil {
			var handle chooser[Problem, Algorithm]
			if handle, err = open(c); err != nil {
				l.absent = errors.Is(err, errors.ErrUnsupported)
				return err
			}
			l.handle = handle
		}
		a, err = l.handle.Choose(p)
		return err
	})
	if taken = err == nil; !taken && !errors.Is(err, errors.ErrUnsupported) {
		l.problem = withHint(variable, err)
		return a, false, l.problem
	}
	if l.chosen == nil {
		l.chosen = map[Problem]choice[Algorithm]{}
	}
	l.chosen[*p] = choice[Algorithm]{a, taken}
	return a, taken, nil
}

// refused remembers that the library does not compute p, though it has chosen how.
func (l *planner[Problem, Algorithm]) refused(p *Problem) {
	l.Lock()
	defer l.Unlock()
	l.chosen[*p] = choice[Algorithm]{}
}

// lacks returns the error of a call that has less temporary memory than an algorithm takes: of the choice that failed when memory was
// asked for. It is nil if there is enough.
func (l *planner[Problem, Algorithm]) lacks(u *unit, wanted, has int) error {
	if wanted <= has {
		return nil
	}
	l.Lock()
	defer l.Unlock()
	if l.problem != nil {
		return l.problem
	}
	return fmt.Errorf("%v: a call takes %d bytes of temporary memory and has %d", u.device, wanted, has)
}

// inUse reports whether there is a handle.
func (l *planner[Problem, Algorithm]) inUse() bool {
	l.Lock()
	defer l.Unlock()
	return l.handle != nil
}

// withHint adds to an error of a library what may be done about it.
func withHint(variable string, err error) error {
	return fmt.Errorf("%w (%s=0 does without the library)", err, variable)
}
