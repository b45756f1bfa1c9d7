package cuda

import (
	"errors"
	"fmt"
	"sync"

	"github.com/weft-nd/weft/fault"
	"github.com/weft-nd/weft/kernels/cuda/driver"
	"github.com/weft-nd/weft/kernels/cuda/internal/ptx"
)

// modules are the kernels that a device has loaded, a module when one of its kernels is first wanted: compiling it for the device takes
// time, for which those who want kernels of others do not wait.
type modules struct {
	functions sync.Map // by ptx.Kernel
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
	if f, found := m.functions.Load(k); found {
		return f.(driver.Function), nil
	}
	own := m.of(k.Module)
	own.Lock()
	defer own.Unlock()
	if f, found := m.functions.Load(k); found { // meanwhile
		return f.(driver.Function), nil
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
		m.functions.Store(k, f)
	}
	return f, err
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
