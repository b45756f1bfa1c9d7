package gorgonia

// #include <cuda.h>
import "C"

import (
	"errors"
	"unsafe"

	"github.com/weft-nd/weft/kernels/cuda/driver"
	"gorgonia.org/cu"
)

// Capture implements driver.Context. Other threads may meanwhile call what a capture must not have.
func (c *context) Capture(s driver.Stream) error {
	return c.doC("cuStreamBeginCapture", func() C.CUresult {
		return C.cuStreamBeginCapture(C.CUstream(pointer(s)), C.CU_STREAM_CAPTURE_MODE_RELAXED)
	})
}

// EndCapture implements driver.Context.
func (c *context) EndCapture(s driver.Stream) (driver.Graph, error) {
	var kept C.CUgraph
	err := c.doC("cuStreamEndCapture", func() C.CUresult { return C.cuStreamEndCapture(C.CUstream(pointer(s)), &kept) })
	if err != nil {
		return 0, err
	}
	var ready C.CUgraphExec
	err = c.doC("cuGraphInstantiateWithFlags", func() C.CUresult { return C.cuGraphInstantiateWithFlags(&ready, kept, 0) })
	err = errors.Join(err, c.do("cuGraphDestroy", wrap[cu.Graph](uintptr(unsafe.Pointer(kept))).Destroy))
	return driver.Graph(unsafe.Pointer(ready)), err
}

// Replay implements driver.Context.
func (c *context) Replay(g driver.Graph, s driver.Stream) error {
	return c.doC("cuGraphLaunch", func() C.CUresult {
		return C.cuGraphLaunch(C.CUgraphExec(pointer(g)), C.CUstream(pointer(s)))
	})
}

// CloseGraph implements driver.Context.
func (c *context) CloseGraph(g driver.Graph) error {
	return c.do("cuGraphExecDestroy", wrap[cu.ExecGraph](g).Destroy)
}
