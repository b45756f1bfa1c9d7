//go:build linux && (amd64 || arm64)

package bind

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
)

// graphCalls are the functions of CUDA graphs, which some drivers may not have.
type graphCalls struct {
	BeginCapture symbol `c:"cuStreamBeginCapture_v2"`
	EndCapture   symbol `c:"cuStreamEndCapture"`
	Instantiate  symbol `c:"cuGraphInstantiateWithFlags"`
	Destroy      symbol `c:"cuGraphDestroy"`
	Launch       symbol `c:"cuGraphLaunch"`
	DestroyExec  symbol `c:"cuGraphExecDestroy"`
}

// captureRelaxed is the CUstreamCaptureMode in which other threads may call what a capture must not have.
const captureRelaxed = 2

// Capture implements driver.Context.
func (c *context) Capture(s driver.Stream) error {
	begin := c.driver.graphs.BeginCapture
	if begin.address == 0 {
		return fmt.Errorf("the CUDA driver has no graphs: %w", errors.ErrUnsupported)
	}
	return c.call(begin, uintptr(s), captureRelaxed)
}

// EndCapture implements driver.Context.
func (c *context) EndCapture(s driver.Stream) (driver.Graph, error) {
	calls := &c.driver.graphs
	var kept, ready uintptr
	if err := c.call(calls.EndCapture, uintptr(s), uintptr(unsafe.Pointer(&kept))); err != nil {
		return 0, err
	}
	err := c.call(calls.Instantiate, uintptr(unsafe.Pointer(&ready)), kept, 0)
	return driver.Graph(ready), errors.Join(err, c.call(calls.Destroy, kept))
}

// Replay implements driver.Context.
func (c *context) Replay(g driver.Graph, s driver.Stream) error {
	return c.call(c.driver.graphs.Launch, uintptr(g), uintptr(s))
}

// CloseGraph implements driver.Context.
func (c *context) CloseGraph(g driver.Graph) error {
	return c.call(c.driver.graphs.DestroyExec, uintptr(g))
}
