package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/weft-nd/weft/device"
	"github.com/weft-nd/weft/kernels/cuda/driver"
)

var _ device.Capturer = (*stream)(nil)

// errIndices tells of a kernel that has to tell of indices out of range, each time others.
var errIndices = fmt.Errorf("indices of kept work are not looked at: %w", errors.ErrUnsupported)

// work is a CUDA graph.
type work struct {
	unit     *unit
	handle   driver.Graph
	launches int
}

// graphs are those that nobody has any more, which the next capture gives back: cleanups call no driver.
type graphs struct {
	sync.Mutex
	unused []driver.Graph
}

func (g *graphs) keep(handle driver.Graph) {
	g.Lock()
	defer g.Unlock()
	g.unused = append(g.unused, handle)
}

// giveBack gives back graphs that nobody has.
func (g *graphs) giveBack(c driver.Context) {
	g.Lock()
	unused := g.unused
	g.unused = nil
	g.Unlock()
	for _, handle := range unused {
		_ = c.CloseGraph(handle) // of a lost device it is gone
	}
}

// Capture implements device.Capturer, by a CUDA graph.
func (s *stream) Capture() error {
	if s.capturing {
		return errors.New(s.unit.device.String() + ": the stream keeps its work already")
	}
	err := s.enqueue(func(c driver.Context) error {
		s.unit.graphs.giveBack(c)
		// Handles are not made while work is kept.
		if s.unit.multiplies.Load() {
			if err := s.useBLAS(c); err != nil {
				return err
			}
		}
		if s.unit.convolutions.inUse() {
			if err := s.useDNN(c); err != nil {
				return err
			}
		}
		if s.unit.affines.inUse() {
			if err := s.useAffine(c); err != nil {
				return err
			}
		}
		s.chains = s.unit.prepareChains(c) == nil // without its kernels work is kept as it is
		return c.Capture(s.handle)
	})
	s.capturing, s.launches = err == nil, 0
	return err
}

// Captured implements device.Capturer.
func (s *stream) Captured() (device.Work, error) {
	if !s.capturing {
		return nil, errors.New(s.unit.device.String() + ": the stream keeps no work")
	}
	flushed := s.unit.do(s.flush)
	s.capturing, s.chain = false, chain{}
	w := &work{unit: s.unit, launches: s.launches}
	err := s.enqueue(func(c driver.Context) (err error) {
		w.handle, err = c.EndCapture(s.handle)
		return err
	})
	if err == nil {
		runtime.AddCleanup(w, s.unit.graphs.keep, w.handle)
	}
	if err = errors.Join(flushed, err); err != nil {
		return nil, err
	}
	s.unit.counters.Kept()
	return w, nil
}

// NotKept implements device.Capturer.
func (s *stream) NotKept(why error) {
	s.unit.counters.NotKept()
	s.unit.notKept.Store(&why)
}

// Enqueue implements device.Work.
func (w *work) Enqueue(s device.Stream) error {
	own, ok := s.(*stream)
	if !ok || own == nil || own.unit != w.unit {
		return fmt.Errorf("%v: work of another device: %T", w.unit.device, s)
	}
	defer runtime.KeepAlive(w)
	err := own.enqueue(func(c driver.Context) error { return c.Replay(w.handle, own.handle) })
	if err == nil {
		w.unit.counters.Launched(w.launches)
	}
	return err
}
