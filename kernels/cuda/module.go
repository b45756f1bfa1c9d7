package cuda

import (
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

// modules are the kernels that a device has loaded, a module when one of its kernels is first wanted: compiling it for the device takes
// time, for which those who want kernels of others do not wait.
type modules struct {
	functions atomic.Pointer[map[ptx.Kernel]driver.Function] // replaced, never changed: launches look there
	mutex     sync.Mutex
	all       map[string]*module
}

// module is loaded by who has locked it.
type module struct {
	sync.Mutex
	handle  driver.Module
	loaded  bool
	problem error // why it never loads
}

func (m *modules) function(c driver.Context, k ptx.Kernel) (driver.Function, error) {
	if f, found := m.found(k); found {
		return f, nil
	}
	own := m.of(k.Module)
	own.Lock()
	defer own.Unlock()
	if f, found := m.found(k); found { // meanwhile
		return f, nil
	}
	if own.problem != nil {
		return 0, own.problem
	}
	if !own.loaded {
		handle, err := c.Load(ptx.Text(k.Module))
		if err != nil {
			err = fmt.Errorf("the kernels of %s do not load: %w", k.Module, err)
			if !errors.Is(err, fault.ErrOutOfMemory) { // of which there may be more the next time
				own.problem = err
			}
			return 0, err
		}
		own.handle, own.loaded = handle, true
	}
	f, err := c.Function(own.handle, k.Entry)
	if err == nil {
		m.add(k, f)
	}
	return f, err
}

func (m *modules) found(k ptx.Kernel) (f driver.Function, found bool) {
	if all := m.functions.Load(); all != nil {
		f, found = (*all)[k]
	}
	return f, found
}

func (m *modules) add(k ptx.Kernel, f driver.Function) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	more := map[ptx.Kernel]driver.Function{k: f}
	if all := m.functions.Load(); all != nil {
		maps.Copy(more, *all)
	}
	m.functions.Store(&more)
}

// of returns the module with a name.
func (m *modules) of(name string) *module {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.all == nil {
		m.all = map[string]*module{}
	}
	if m.all[name] == nil {
		m.all[name] = &module{}
	}
	return m.all[name]
}

// has reports whether a module is loaded.
func (m *modules) has(name string) bool {
	own := m.of(name)
	own.Lock()
	defer own.Unlock()
	return own.loaded
}
